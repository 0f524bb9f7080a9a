#include "estimator/metrics/macro_ranking.h"

#include <limits>
#include <vector>

#include "estimator/metrics/ranking.h"
#include "thalweg/base/parallel.h"

namespace thalweg {

MacroRanking macro_ranking(std::span<const float> scores, size_t classes,
                           std::span<const float> weights,
                           const std::function<bool(size_t, size_t)>& is_positive) {
  const size_t rows = classes == 0 ? 0 : scores.size() / classes;
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> auc(classes, kNaN), precision(classes, kNaN);
  parallel_for(static_cast<int64_t>(classes), 1, [&](int64_t begin, int64_t end) {
    std::vector<float> column(rows);
    std::vector<uint8_t> positive(rows);
    for (auto c = static_cast<size_t>(begin); c < static_cast<size_t>(end); ++c) {
      for (size_t row = 0; row < rows; ++row) {
        column[row] = scores[row * classes + c];
        positive[row] = is_positive(row, c) ? 1 : 0;
      }
      const Ranking ranking(column, positive, weights);
      if (!ranking.is_defined()) continue;
      auc[c] = ranking.roc_auc();
      precision[c] = ranking.average_precision();
    }
  });
  MacroRanking result;
  for (size_t c = 0; c < classes; ++c) {
    if (auc[c] != auc[c]) continue;
    result.roc_auc += auc[c];
    result.average_precision += precision[c];
    ++result.classes;
  }
  const auto count = static_cast<double>(result.classes);
  result.roc_auc = count > 0 ? result.roc_auc / count : kNaN;
  result.average_precision = count > 0 ? result.average_precision / count : kNaN;
  return result;
}

}  // namespace thalweg
