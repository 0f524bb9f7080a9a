// What an evaluation of several independent labels gathers.
#pragma once

#include <vector>

#include "estimator/head.h"

namespace thalweg {

/// A label counts as predicted when its probability is above 0.5. Probabilities of all rows are
/// kept for the ranking, up to 2^26.
class MultiLabelScore : public Score {
 public:
  explicit MultiLabelScore(const LabelSpec& label);
  void add(const Tensor& labels, const Tensor& predictions, const Tensor& weights,
           double loss) override;
  EvaluationReport report() const override;
  /// Of guessing for each row the shares of the labels in training.
  std::vector<Figure> baseline() const;

 private:
  struct Counts {
    double positives = 0, predicted = 0, right = 0;
  };
  size_t classes() const { return names_.size(); }

  std::vector<std::string> names_;
  std::vector<double> shares_;  // in training
  std::vector<Counts> counts_;
  int64_t examples_ = 0;
  double weight_ = 0, loss_ = 0, log_loss_ = 0, all_right_ = 0, label_right_ = 0;
  bool is_finite_ = true;
  // Of rows with weight.
  bool keeps_scores_ = true;
  std::vector<float> scores_, weights_;
  std::vector<uint8_t> labels_;
};

}  // namespace thalweg
