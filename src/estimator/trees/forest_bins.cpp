#include <algorithm>
#include <cmath>

#include "estimator/trees/forest_tree.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

constexpr size_t kMostBins = 255;

// Bins of sorted values: each value its own while there are few, else about as many rows each; a
// value is never split between bins.
BinnedColumns::Column cut(const std::vector<float>& sorted) {
  BinnedColumns::Column column;
  size_t distinct = sorted.empty() ? 0 : 1;
  for (size_t i = 1; i < sorted.size(); ++i) distinct += sorted[i] != sorted[i - 1] ? 1 : 0;
  const bool one_a_value = distinct <= kMostBins;
  for (size_t begin = 0; begin < sorted.size();) {
    const size_t bins_left = kMostBins - column.low.size();
    size_t end = begin + 1;
    if (!one_a_value) end = begin + std::max<size_t>(1, (sorted.size() - begin) / bins_left);
    while (end < sorted.size() && sorted[end] == sorted[end - 1]) ++end;
    column.low.push_back(sorted[begin]);
    column.high.push_back(sorted[end - 1]);
    begin = end;
  }
  return column;
}

}  // namespace

BinnedColumns bin_columns(const CheckedRows& rows) {
  BinnedColumns result;
  result.rows = rows.rows;
  result.columns.resize(static_cast<size_t>(rows.columns));
  result.codes.resize(static_cast<size_t>(rows.rows * rows.columns));
  parallel_for(rows.columns, 1, [&](int64_t begin, int64_t end) {
    std::vector<float> values;
    for (int64_t c = begin; c < end; ++c) {
      values.clear();
      for (int64_t i = 0; i < rows.rows; ++i) {
        const float value = rows.features[i * rows.columns + c];
        if (!std::isnan(value) && rows.weights[static_cast<size_t>(i)] > 0) values.push_back(value);
      }
      std::sort(values.begin(), values.end());
      BinnedColumns::Column& column = result.columns[static_cast<size_t>(c)];
      column = cut(values);
      uint8_t* codes = result.codes.data() + c * rows.rows;
      for (int64_t i = 0; i < rows.rows; ++i) {
        const float value = rows.features[i * rows.columns + c];
        if (std::isnan(value) || column.high.empty()) {
          codes[i] = BinnedColumns::kMissing;
          continue;
        }
        // Rows that do not count may lie beyond the last bin; nothing looks at them.
        const auto bin = std::lower_bound(column.high.begin(), column.high.end() - 1, value);
        codes[i] = static_cast<uint8_t>(bin - column.high.begin());
      }
    }
  });
  return result;
}

}  // namespace thalweg
