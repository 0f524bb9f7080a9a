#include "thalweg/nn/metrics.h"

#include <utility>

#include "nn/match_shapes.h"
#include "thalweg/nn/losses.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg::metrics {
namespace {

using losses::Reduction;

// The weighted share of examples with `chosen` among those with `counted`.
Metric share(std::string name, Output chosen, Output counted, Output weights) {
  return {std::move(name), losses::reduce(cast(chosen, kFloat32), weights, Reduction::kSum),
          losses::reduce(cast(counted, kFloat32), weights, Reduction::kSum)};
}

// Of half precision as float32: sums of such numbers stop to grow at 256 or 2048.
Output exact(Output x) {
  const bool is_half = x.dtype() == kFloat16 || x.dtype() == kBFloat16;
  return is_half ? cast(x, kFloat32) : x;
}

// `right` `[batch, ...]` without the rows of logits `[batch, ..., classes]` that hold a NaN: they
// name no class, though argmax gives one.
Output said(Output right, Output logits) {
  if (!is_floating(logits.dtype())) return right;
  return logical_and(right, logical_not(reduce_any(is_nan(logits), -1)));
}

// Labels and scores as bool of one shape.
struct Decisions {
  Output truth;
  Output predicted;
};
Decisions decide(std::string_view what, Output labels, Output scores, double threshold) {
  const Output truth = greater(match_labels(what, labels, scores), 0.5);
  return {truth, greater_equal(scores, threshold)};
}

// Classes as int64 `[batch, ...]`, also of distributions.
Output classes_of(std::string_view what, Output labels, Output logits) {
  const Shape& shape = labels.shape();
  const bool is_distribution = shape.rank() >= 2 && shape.rank() == logits.shape().rank() &&
                               (shape.dim(-1) != 1 || logits.shape().dim(-1) == 1);
  if (is_distribution) return argmax(match_labels(what, labels, logits), -1);
  return cast(match_classes(what, labels, logits), kInt64);
}

}  // namespace

Metric mean(std::string name, Output values, Output weights) {
  values = is_floating(values.dtype()) ? exact(values) : cast(values, kFloat32);
  return {std::move(name), losses::reduce(values, weights, Reduction::kSum),
          losses::reduce(ones_like(values), weights, Reduction::kSum)};
}

Metric accuracy(Output labels, Output logits, Output weights) {
  const Output classes = classes_of("accuracy", labels, logits);
  return mean("accuracy", said(equal(argmax(logits, -1), classes), logits), weights);
}

Metric top_k_accuracy(Output labels, Output logits, int64_t k, Output weights) {
  const Output classes = classes_of("top_k_accuracy", labels, logits);
  const Output best = cast(top_k(logits, k).indices, kInt64);
  const Output hit = reduce_any(equal(best, expand_dims(classes, -1)), -1);
  return mean(str("top_", k, "_accuracy"), said(hit, logits), weights);
}

Metric binary_accuracy(Output labels, Output scores, double threshold, Output weights) {
  const Decisions d = decide("binary_accuracy", labels, scores, threshold);
  // A NaN is no decision, not even the negative one.
  const Output right = logical_and(equal(d.truth, d.predicted), logical_not(is_nan(scores)));
  return mean("accuracy", right, weights);
}

Metric precision(Output labels, Output scores, double threshold, Output weights) {
  const Decisions d = decide("precision", labels, scores, threshold);
  return share("precision", logical_and(d.truth, d.predicted), d.predicted, weights);
}

Metric recall(Output labels, Output scores, double threshold, Output weights) {
  const Decisions d = decide("recall", labels, scores, threshold);
  return share("recall", logical_and(d.truth, d.predicted), d.truth, weights);
}

Metric mean_squared_error(Output labels, Output predictions, Output weights) {
  return mean("mean_squared_error",
              losses::mean_squared_error(labels, exact(predictions), {}, Reduction::kNone),
              weights);
}

Metric mean_absolute_error(Output labels, Output predictions, Output weights) {
  return mean("mean_absolute_error",
              losses::mean_absolute_error(labels, exact(predictions), {}, Reduction::kNone),
              weights);
}

}  // namespace thalweg::metrics
