// What an evaluation of a classification gathers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "estimator/head.h"
#include "estimator/metrics/calibration.h"
#include "estimator/metrics/class_metrics.h"

namespace thalweg {

/// Of guessing for each row the shares of the classes in training: accuracy, auc, pr_auc, log_loss
/// and brier on rows of which each class has the weight `support`.
std::vector<Figure> class_baseline(std::span<const double> support, std::span<const double> shares,
                                   size_t positive);

/// Scores of all rows are kept for the ranking: a float for each class (of two, one), up to 2^26.
class ClassScore : public Score {
 public:
  /// `positive`: of two classes, the one that rankings speak of.
  ClassScore(const LabelSpec& label, size_t positive);
  void add(const Tensor& labels, const Tensor& predictions, const Tensor& weights,
           double loss) override;
  EvaluationReport report() const override;

 private:
  size_t classes() const { return names_.size(); }
  bool is_binary() const { return classes() == 2; }
  void add_row(size_t label, std::span<const float> row, double weight);
  void keep_scores(std::span<const int64_t> labels, std::span<const float> probabilities,
                   std::span<const float> weights);
  void report_ranking(EvaluationReport& report) const;
  void report_choices(EvaluationReport& report) const;
  std::string only_class() const;

  std::vector<std::string> names_;
  std::vector<double> shares_;  // in training
  size_t positive_;
  ClassCounts counts_;
  std::vector<std::vector<int64_t>> confusion_;
  std::vector<std::vector<double>> weighted_confusion_;
  std::vector<int64_t> not_finite_;  // by label
  bool has_weights_ = false;
  bool has_undecided_ = false;  // rows with weight whose probabilities are not finite
  int64_t examples_ = 0;
  double weight_ = 0, loss_ = 0, log_loss_ = 0, brier_ = 0, positive_sum_ = 0;
  Calibration calibration_;
  // Of rows with weight.
  bool keeps_scores_ = true;
  std::vector<float> scores_, weights_;
  std::vector<int32_t> labels_;
};

}  // namespace thalweg
