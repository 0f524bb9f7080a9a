#include "thalweg/nn/losses.h"

#include <cmath>

#include "nn/match_shapes.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/loss.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg::losses {
namespace {

constexpr double kEpsilon = 1e-7;

// log(p), but about -16 at 0, and 0 at 1 to the bit: there p + epsilon * (1 - p) is 1. A p below 0
// by rounding counts as 0; maximum hands the gradient of a tie to its first argument, so that it
// still flows at exactly 0, where clipping would lose it.
Output safe_log(Output p) {
  const Output q = maximum(p, 0.0);
  return log(q + (1.0 - q) * kEpsilon);
}

// The sum over classes of `terms` `[batch, ..., classes]`.
Output sum_classes(Output terms) { return reduce_sum(terms, -1); }

void require_classes(std::string_view what, const Output& x) {
  if (x.shape().rank() >= 2) return;
  throw invalid_argument(what, ": [batch, ..., classes] is wanted, got ", x.shape());
}

}  // namespace

Output reduce(Output values, Output weights, Reduction reduction) {
  const int rank = values.shape().rank();
  if (rank < 1) {
    throw invalid_argument("the values of a loss must be [batch, ...], got ", values.shape());
  }
  if (!weights && reduction == Reduction::kMean) return reduce_mean(values);
  std::vector<int64_t> axes;
  for (int i = 1; i < rank; ++i) axes.push_back(i);
  Output each = axes.empty() ? values : reduce_mean(values, axes);
  if (!weights) return reduction == Reduction::kNone ? each : reduce_sum(each);

  const Output factors = match_weights(weights, each);
  each = each * factors;
  if (reduction == Reduction::kNone) return each;
  const Output sum = reduce_sum(each);
  return reduction == Reduction::kSum ? sum : div_no_nan(sum, reduce_sum(factors));
}

Output sparse_softmax_cross_entropy(Output labels, Output logits, Output weights,
                                    Reduction reduction) {
  const Output classes = match_classes("sparse_softmax_cross_entropy", labels, logits);
  if (logits.shape().rank() == 2) {
    return reduce(sparse_softmax_cross_entropy_with_logits(logits, classes), weights, reduction);
  }
  const int64_t count = logits.shape().dim(-1);
  const Output rows = sparse_softmax_cross_entropy_with_logits(reshape(logits, {-1, count}),
                                                               reshape(classes, {-1}));
  return reduce(reshape(rows, shape_of(classes)), weights, reduction);
}

Output softmax_cross_entropy(Output labels, Output logits, Output weights, Reduction reduction) {
  require_classes("softmax_cross_entropy", logits);
  const Output targets = match_labels("softmax_cross_entropy", labels, logits);
  if (logits.shape().rank() == 2) {
    return reduce(softmax_cross_entropy_with_logits(logits, targets), weights, reduction);
  }
  const int64_t count = logits.shape().dim(-1);
  const Output rows = softmax_cross_entropy_with_logits(reshape(logits, {-1, count}),
                                                        reshape(targets, {-1, count}));
  const Output shape = shape_of(sum_classes(targets));
  return reduce(reshape(rows, shape), weights, reduction);
}

Output sigmoid_cross_entropy(Output labels, Output logits, Output weights, Reduction reduction) {
  const Output targets = match_labels("sigmoid_cross_entropy", labels, logits);
  return reduce(sigmoid_cross_entropy_with_logits(logits, targets), weights, reduction);
}

Output log_loss(Output labels, Output probabilities, Output weights, Reduction reduction) {
  const Output t = match_labels("log_loss", labels, probabilities);
  const Output each = -(t * safe_log(probabilities)) - (1.0 - t) * safe_log(1.0 - probabilities);
  return reduce(each, weights, reduction);
}

Output categorical_log_loss(Output labels, Output probabilities, Output weights,
                            Reduction reduction) {
  require_classes("categorical_log_loss", probabilities);
  const Output t = match_labels("categorical_log_loss", labels, probabilities);
  return reduce(-sum_classes(t * safe_log(probabilities)), weights, reduction);
}

Output kl_divergence(Output labels, Output probabilities, Output weights, Reduction reduction) {
  require_classes("kl_divergence", probabilities);
  const Output t = match_labels("kl_divergence", labels, probabilities);
  const Output each = sum_classes(t * (safe_log(t) - safe_log(probabilities)));
  return reduce(each, weights, reduction);
}

Output mean_squared_error(Output labels, Output predictions, Output weights, Reduction reduction) {
  const Output targets = match_labels("mean_squared_error", labels, predictions);
  return reduce(squared_difference(predictions, targets), weights, reduction);
}

Output mean_absolute_error(Output labels, Output predictions, Output weights, Reduction reduction) {
  const Output targets = match_labels("mean_absolute_error", labels, predictions);
  return reduce(abs(predictions - targets), weights, reduction);
}

Output huber(Output labels, Output predictions, double delta, Output weights, Reduction reduction) {
  if (!(delta > 0 && std::isfinite(delta))) {
    throw invalid_argument("huber: delta must be above 0 and finite, got ", delta);
  }
  const Output error = abs(predictions - match_labels("huber", labels, predictions));
  const Output inner = minimum(error, delta);
  // With e cut at delta: e^2 / 2 + delta * (|e| - e), which is both branches at once.
  return reduce(square(inner) * 0.5 + (error - inner) * delta, weights, reduction);
}

Output hinge(Output labels, Output scores, Output weights, Reduction reduction) {
  const Output sign = match_labels("hinge", labels, scores) * 2.0 - 1.0;
  return reduce(relu(1.0 - sign * scores), weights, reduction);
}

}  // namespace thalweg::losses
