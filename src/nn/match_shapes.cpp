#include "nn/match_shapes.h"

#include <algorithm>

#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

// `x` with the shape `target`, of `like`, or nothing when they contradict each other.
Output with_shape(Output x, Output like, const Shape& target) {
  const Shape& shape = x.shape();
  if (!shape.has_rank() || !target.has_rank()) return {};
  Output result = x;
  if (shape.rank() == target.rank() + 1 && shape.dim(-1) == 1) {
    result = squeeze(x, {-1});
  } else if (shape.rank() + 1 == target.rank() && target.dim(-1) == 1) {
    result = expand_dims(x, -1);
  }
  if (!result.shape().is_compatible_with(target)) return {};
  if (result.shape().is_fully_defined() && target.is_fully_defined()) return result;
  if (!like) return result;
  // An open dimension could still be 1 beside n when the graph runs, and be broadcast in silence.
  // Reshaping fails then, by the number of elements; where several dimensions are open that would
  // let a transposed shape pass, but AddN wants equal ones.
  const auto open = [](const Shape& s) {
    return std::count(s.dims().begin(), s.dims().end(), kUnknownDim);
  };
  if (std::max(open(result.shape()), open(target)) <= 1) {
    return reshape(result, shape_of(like), {.name = "labels_shaped_as_predictions"});
  }
  return add_n({result, zeros_like(like)}, {.name = "labels_shaped_as_predictions"});
}

}  // namespace

Output match_labels(std::string_view what, Output labels, Output predictions) {
  if (!is_floating(predictions.dtype())) {
    throw invalid_argument(what, ": predictions are of dtype ", predictions.dtype(),
                           ", a floating one is wanted");
  }
  const Output matched =
      with_shape(cast(labels, predictions.dtype()), predictions, predictions.shape());
  if (matched) return matched;
  throw invalid_argument(what, ": labels ", labels.shape(), " and predictions ",
                         predictions.shape(),
                         " must have the same shape; nothing is broadcast, reshape one of them");
}

Output match_weights(Output weights, Output values) {
  const Output matched = weights.shape().rank() == 0
                             ? Output()
                             : with_shape(cast(weights, values.dtype()), values, values.shape());
  if (matched) return matched;
  throw invalid_argument("weights ", weights.shape(), " must have one value for each example of ",
                         values.shape(), ": [batch] or [batch, 1]",
                         weights.shape().rank() == 0 ? "; to scale a loss, multiply it" : "");
}

Output match_classes(std::string_view what, Output labels, Output logits) {
  if (logits.shape().rank() < 2) {
    throw invalid_argument(what, ": logits ", logits.shape(),
                           " must be [batch, ..., classes]; for one logit an example, use "
                           "sigmoid_cross_entropy");
  }
  if (!is_integer(labels.dtype()) && labels.dtype() != kBool) {
    throw invalid_argument(what, ": labels are of dtype ", labels.dtype(),
                           ", classes of an integer type are wanted; use cast(labels, kInt64), or "
                           "softmax_cross_entropy for distributions");
  }
  if (labels.dtype() != kInt32 && labels.dtype() != kInt64) labels = cast(labels, kInt64);
  const Output matched = with_shape(labels, Output(), logits.shape().slice(0, -1));
  if (matched) return matched;
  throw invalid_argument(what, ": labels ", labels.shape(),
                         " must have one class for each row of logits ", logits.shape());
}

}  // namespace thalweg
