// What an evaluation of numbers gathers: errors of each output, and of guessing the training's
// mean.
#pragma once

#include <string>
#include <vector>

#include "estimator/head.h"
#include "estimator/metrics/value_metrics.h"

namespace thalweg {

/// Absolute errors of all rows are kept for the median, up to 2^27.
class ValueScore : public Score {
 public:
  /// `names` and `guesses` of the outputs. `with_deviance`: predictions are means of counts.
  ValueScore(std::vector<std::string> names, std::vector<double> guesses,
             bool with_deviance = false);
  void add(const Tensor& labels, const Tensor& predictions, const Tensor& weights,
           double loss) override;
  EvaluationReport report() const override;

 private:
  struct Column {
    ErrorSums errors, guess;
    double deviance = 0, guess_deviance = 0;
    std::vector<float> absolute;
  };
  double mean_of(double (*figure)(const Column&)) const;
  double median() const;
  std::string why_no_median() const;

  std::vector<std::string> names_;
  std::vector<double> guesses_;
  bool with_deviance_;
  std::vector<Column> columns_;
  std::vector<float> weights_;  // of the rows whose errors are kept
  bool keeps_errors_ = true;
  bool is_finite_ = true;
  int64_t examples_ = 0;
  double weight_ = 0, loss_ = 0;
};

}  // namespace thalweg
