// How far scores rank the examples of a class above all others: exact, not by fixed thresholds. An
// example of equal score counts by its share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "thalweg/estimator/evaluation_report.h"

namespace thalweg {

/// Immutable.
class Ranking {
 public:
  /// Of each example its score, finite, whether it is of the class, and its weight; `weights` may
  /// be empty: 1 each. Examples of weight 0 are left out.
  Ranking(std::span<const float> scores, std::span<const uint8_t> is_positive,
          std::span<const float> weights = {});

  double positives() const { return steps_.empty() ? 0 : steps_.back().positives; }
  double negatives() const { return steps_.empty() ? 0 : steps_.back().negatives; }
  /// Whether there are positives and negatives; the figures are NaN without.
  bool is_defined() const { return positives() > 0 && negatives() > 0; }

  /// Area under the ROC curve: the probability that a positive has the higher score (Fawcett 2006).
  double roc_auc() const;
  /// Sum over thresholds of precision times the rise of recall: the area under the
  /// precision-recall curve without interpolation.
  double average_precision() const;

  /// At most about `most` points, from (0, 0) to (1, 1). The first has an infinite threshold.
  std::vector<CurvePoint> roc(int most = 100) const;
  /// From the highest threshold to recall 1.
  std::vector<CurvePoint> precision_recall(int most = 100) const;

 private:
  // What scores of at least the threshold hold.
  struct Step {
    float threshold;
    double positives, negatives;
  };
  std::vector<Step> steps_;  // one for each different score, falling
};

}  // namespace thalweg
