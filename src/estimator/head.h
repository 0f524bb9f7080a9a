// What a classifier and a regressor do differently: labels, loss, metrics, predictions.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/data/split.h"
#include "thalweg/estimator/estimator.h"
#include "thalweg/nn/metrics.h"

namespace thalweg {

/// Gathers an evaluation batch by batch.
class Score {
 public:
  virtual ~Score() = default;
  /// `labels` as encoded, `predictions` as of Head::predictions, `loss` the mean of the batch.
  virtual void add(const Tensor& labels, const Tensor& predictions, double loss) = 0;
  virtual EvaluationReport report() const = 0;
};

class Head {
 public:
  explicit Head(LabelSpec label) : label_(std::move(label)) {}
  virtual ~Head() = default;

  virtual std::string_view kind() const = 0;
  virtual DType label_dtype() const = 0;
  const LabelSpec& label() const { return label_; }

  /// Learns what there is from all labels `[rows]` given to fit; throws invalid_argument for what
  /// cannot be a label.
  virtual void learn_labels(const Tensor& labels) = 0;
  /// Learns from those of the training rows, encoded.
  virtual void learn_training_labels(const Tensor& encoded) = 0;
  /// Labels as they come, `[rows]`, as the graph wants them: label_dtype() `[rows]`.
  virtual Tensor encode(const Tensor& labels) const = 0;
  virtual data::RowSplit split(const Tensor& encoded, double fraction, uint64_t seed) const = 0;

  /// Throws invalid_argument unless the network's output `[batch, ...]` has the right shape.
  virtual void check_output(const Output& output) const = 0;
  virtual Output loss(Output labels, Output output) const = 0;
  virtual std::vector<Metric> metrics(Output labels, Output output) const = 0;
  virtual Output predictions(Output output) const = 0;

  virtual std::unique_ptr<Score> make_score() const = 0;
  /// Metrics of guessing without features.
  virtual std::vector<Figure> baseline(const Tensor& encoded) const = 0;

 protected:
  LabelSpec label_;
};

/// The place of the largest; none when one is not finite: then they say nothing.
std::optional<size_t> best_class(std::span<const float> probabilities);

/// `label`: what is known before; class names that it holds stay.
std::unique_ptr<Head> make_classifier_head(LabelSpec label);
std::unique_ptr<Head> make_regressor_head(LabelSpec label);
/// By ModelRecord::kind.
std::unique_ptr<Head> make_head(std::string_view kind, LabelSpec label);

/// `[rows]` or `[rows, 1]` as `[rows]`; throws invalid_argument for other shapes.
Tensor label_vector(const Tensor& labels);

}  // namespace thalweg
