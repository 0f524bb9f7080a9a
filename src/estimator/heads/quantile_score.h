// What an evaluation of quantiles gathers.
#pragma once

#include <vector>

#include "estimator/head.h"
#include "estimator/metrics/value_metrics.h"

namespace thalweg {

/// Pinball losses, in the labels' units, and of each quantile the share of labels that it covers.
class QuantileScore : public Score {
 public:
  QuantileScore(std::vector<double> quantiles, std::vector<double> guesses);
  void add(const Tensor& labels, const Tensor& predictions, const Tensor& weights,
           double loss) override;
  EvaluationReport report() const override;

 private:
  struct Column {
    double pinball = 0, guess = 0, covered = 0;
  };
  std::vector<double> quantiles_;
  std::vector<double> guesses_;
  std::vector<Column> columns_;
  ErrorSums median_errors_;  // of the quantile 0.5, where there is one
  bool is_finite_ = true;
  int64_t examples_ = 0;
  double weight_ = 0, loss_ = 0;
};

}  // namespace thalweg
