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
  /// `labels` as encoded, `predictions` as of Head::predictions, `weights` float32 `[rows]` (not
  /// valid: 1 each), `loss` the weighted mean of the batch.
  virtual void add(const Tensor& labels, const Tensor& predictions, const Tensor& weights,
                   double loss) = 0;
  virtual EvaluationReport report() const = 0;
};

/// Weights of examples are float32 `[rows]`; a Tensor that is not valid, or an Output that is
/// none, stands for 1 each.
class Head {
 public:
  explicit Head(LabelSpec label) : label_(std::move(label)) {}
  virtual ~Head() = default;

  /// "classifier", "regressor", or to_string(HeadKind).
  virtual std::string_view kind() const = 0;
  virtual std::unique_ptr<Head> clone() const = 0;
  const LabelSpec& label() const { return label_; }

  // Labels.

  virtual DType label_dtype() const = 0;
  /// Of encoded labels: `[rows]`, or `[rows, outputs]`; kUnknownDim stands for any number.
  virtual Shape label_shape(int64_t rows) const { return {rows}; }
  /// Learns what there is from all labels given to fit; throws invalid_argument for what cannot be
  /// a label.
  virtual void learn_labels(const Tensor& labels) = 0;
  /// Learns from those of the training rows, encoded. Throws invalid_argument when all weights are
  /// 0.
  virtual void learn_training_labels(const Tensor& encoded, const Tensor& weights) = 0;
  /// Labels as they come, as the graph wants them: label_dtype(), label_shape().
  virtual Tensor encode(const Tensor& labels) const = 0;
  /// What rows count in training: `weights` times those of their classes. Evaluation goes by
  /// `weights` alone.
  virtual Tensor training_weights(const Tensor& /*encoded*/, const Tensor& weights) const {
    return weights;
  }
  virtual data::RowSplit split(const Tensor& encoded, double fraction, uint64_t seed) const = 0;

  // The network's output `[batch, outputs()]`.

  virtual int64_t outputs() const = 0;
  /// Throws invalid_argument unless `output` has the right shape.
  virtual void check_output(const Output& output) const = 0;
  /// The weighted mean over the batch; 0 when all its weights are 0.
  virtual Output loss(Output labels, Output output, Output weights) const = 0;
  /// For lines of progress and history.
  virtual std::vector<Metric> metrics(Output labels, Output output, Output weights) const = 0;
  /// float32 prediction_shape(batch).
  virtual Output predictions(Output output) const = 0;
  virtual Shape prediction_shape(int64_t rows) const = 0;
  /// Of the columns of predictions: classes, or "prediction", "q0.1", of several heads name/those.
  virtual std::vector<std::string> prediction_names() const = 0;

  virtual std::unique_ptr<Score> make_score() const = 0;
  /// Metrics of guessing without features.
  virtual std::vector<Figure> baseline(const Tensor& encoded, const Tensor& weights) const = 0;

 protected:
  LabelSpec label_;
};

/// The place of the largest; none when one is not finite: then they say nothing.
std::optional<size_t> best_class(std::span<const float> probabilities);

/// `label`: what is known before; class names that it holds stay.
std::unique_ptr<Head> make_classifier_head(LabelSpec label);
std::unique_ptr<Head> make_regressor_head(LabelSpec label);
/// By ModelRecord::kind, of models of tensors.
std::unique_ptr<Head> make_head(std::string_view kind, LabelSpec label);
/// `label` as learn_label() (labels.h) makes it. Throws invalid_argument for a spec that cannot be.
std::unique_ptr<Head> make_head(const HeadSpec& spec, LabelSpec label);

/// `[rows]` or `[rows, 1]` as `[rows]`; throws invalid_argument for other shapes.
Tensor label_vector(const Tensor& labels);

}  // namespace thalweg
