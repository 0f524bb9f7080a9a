// Rankings of several classes, each against all others, and their means.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace thalweg {

struct MacroRanking {
  /// Means over the classes that some rows are of and some are not; NaN when there is none.
  double roc_auc = 0;
  double average_precision = 0;
  int64_t classes = 0;  // averaged over
};

/// `scores` `[rows, classes]`, finite. `is_positive(row, class)` is asked from several threads.
MacroRanking macro_ranking(std::span<const float> scores, size_t classes,
                           std::span<const float> weights,
                           const std::function<bool(size_t, size_t)>& is_positive);

}  // namespace thalweg
