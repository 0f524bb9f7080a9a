// The rows of a linear model as its solvers read them: what each weight is multiplied with.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "thalweg/data/example.h"
#include "thalweg/estimator/transform.h"

namespace thalweg::linear {

/// One feature column of a linear model: its variable `[buckets or numbers, units]`, and where its
/// values are among the prepared tensors.
struct Term {
  std::string variable;  // "linear/<key>/weights"
  Transform::Place place;
};

/// Prepared tensors, named. Throws invalid_argument when `inputs` are not what `spec` describes.
struct PreparedRows {
  PreparedRows(const PreparedSpec& spec, const data::Example& inputs);

  int64_t rows = 0;
  const Tensor* numbers = nullptr;  // null: none
  const Tensor* ids = nullptr;
  struct Bag {
    const Tensor* ids;
    const Tensor* weights;
  };
  std::vector<Bag> bags;
};

/// Features of the rows in blocks of kBlock: numbers column by column within a block, so that the
/// products run over rows side by side; categories as ids. Ids that no row has get no feature:
/// their weights stay what they are (0, where weights are penalised), and cost nothing.
///
/// Sums run in a fixed order, whatever the number of threads. Immutable.
class DesignMatrix {
 public:
  static constexpr int64_t kBlock = 256;

  DesignMatrix(const PreparedRows& rows, const std::vector<Term>& terms);

  int64_t rows() const { return rows_; }
  int64_t blocks() const { return (rows_ + kBlock - 1) / kBlock; }
  int64_t numbers() const { return numbers_; }
  /// Numbers first, then the ids and words that occur.
  int64_t features() const { return static_cast<int64_t>(places_.size()); }
  bool has_ids() const { return !by_feature_.begin.empty(); }

  /// The row of a term's variable that a feature is multiplied with.
  struct FeaturePlace {
    int32_t term;
    int64_t row;
  };
  const FeaturePlace& place(int64_t feature) const { return places_[static_cast<size_t>(feature)]; }

  /// scores[k][i] = bias[k] + sum_f x[row i of block][f] weights[f][k]. `weights` `[features + 1,
  /// units]`: the last row must be 0; `scores` `[units, kBlock]`.
  void multiply(int64_t block, const float* weights, const float* bias, int64_t units,
                float* scores) const;
  /// sums[d][k] += sum_i x[i][d] values[k][i] of the block's numbers; `values` `[units, kBlock]`.
  void add_number_sums(int64_t block, const float* values, int64_t units, double* sums) const;
  /// sums[k] += sum_i values[k][i]: the same of a bias.
  static void add_bias_sums(const float* values, int64_t units, double* sums);
  /// sums[f - numbers()][k] = sum over all rows of x[i][f] values[block][k][i]; `values` `[blocks,
  /// units, kBlock]`.
  void id_sums(const float* values, int64_t units, double* sums) const;

  /// sum_i weights[i] x[i][f]^2 for each feature; `weights` `[blocks * kBlock]`.
  std::vector<double> square_sums(const float* weights) const;
  /// The block's features as a plain table `[features, kBlock]`.
  void expand(int64_t block, float* table) const;

 private:
  // Of each feature that is an id: the rows that have it, ascending; `values` empty: all 1.
  struct ByFeature {
    std::vector<int64_t> begin;  // one more than features
    std::vector<int32_t> rows;
    std::vector<float> values;
  };
  // Of each row: words and their weights.
  struct ByRow {
    std::vector<int64_t> begin;
    std::vector<int32_t> features;
    std::vector<float> values;
  };

  void take_numbers(const PreparedRows& rows, const std::vector<int64_t>& columns);
  void take_ids(const PreparedRows& rows, const std::vector<Term>& terms);
  void take_bags(const PreparedRows& rows, const std::vector<Term>& terms);
  void index_features();
  // A number of feature for each id that occurs, ascending by id.
  std::vector<int32_t> number_ids(int32_t term, int64_t buckets, const std::vector<bool>& occurs);

  int64_t rows_ = 0;
  int64_t numbers_ = 0;
  int64_t id_columns_ = 0;
  std::vector<FeaturePlace> places_;
  std::vector<float> dense_;  // [blocks, numbers, kBlock], 0 after the last row
  std::vector<int32_t> ids_;  // [blocks, id columns, kBlock]: features; features(): none
  ByRow words_;
  ByFeature by_feature_;
};

}  // namespace thalweg::linear
