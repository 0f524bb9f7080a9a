// Growing one tree of a forest: CART on binned columns (Breiman et al., 1984).
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "estimator/trees/tree_rows.h"
#include "thalweg/base/philox.h"

namespace thalweg {

/// Columns cut into at most 255 bins each: one a value when there are so few, else by quantiles of
/// the rows that count.
struct BinnedColumns {
  static constexpr uint8_t kMissing = 255;
  struct Column {
    std::vector<float> low, high;  // least and largest value of each bin
  };
  int64_t rows = 0;
  std::vector<Column> columns;
  std::vector<uint8_t> codes;  // [columns, rows]
  const uint8_t* codes_of(size_t column) const {
    return codes.data() + column * static_cast<size_t>(rows);
  }
};
BinnedColumns bin_columns(const CheckedRows& rows);

/// What leaves are to hold: shares of classes, or means.
struct ForestTargets {
  bool classes = false;                // `class_of` is used, else `values`
  int64_t width = 1;                   // values of a leaf
  std::vector<int32_t> class_of = {};  // [rows]
  std::vector<float> values = {};      // [rows, width], less `mean`
  std::vector<double> mean = {};       // [width]: so that sums of squares stay small
  const std::vector<float>& weights;   // [rows]
};

struct GrowOptions {
  int64_t max_depth = 16;
  int64_t columns_a_split = 1;
  int64_t most_values = std::numeric_limits<int64_t>::max();  // of all leaves
};

/// Grows `rows` (indices, which it reorders) into a tree. Each split is the best one of a random
/// choice of columns: the one with the least sum over the targets of their variances, which for
/// classes is Gini's index. Missing values go where that is less. `gains` [columns]: what each
/// column's splits took off these sums is added. Throws resource_exhausted for more values in
/// leaves than options.most_values.
GrownTree grow_tree(const BinnedColumns& columns, const ForestTargets& targets,
                    const GrowOptions& options, std::vector<int32_t> rows, Philox& random,
                    std::vector<double>& gains);

}  // namespace thalweg
