// Losses that are computed together with their gradient, for accuracy and speed.
#pragma once

#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct LossOptions {
  std::string name = {};
};

/// Cross entropy `[batch]` of the distributions `labels` `[batch, classes]` and softmax(`logits`).
/// Output 1 of the node is its gradient by the logits. TensorFlow's SoftmaxCrossEntropyWithLogits.
Output softmax_cross_entropy_with_logits(Output logits, Output labels, LossOptions options = {});

/// Cross entropy `[batch]` of the classes `labels` (int32 or int64 `[batch]`) and softmax(`logits`
/// `[batch, classes]`). A label outside [0, classes) is an invalid_argument error when it runs.
/// TensorFlow's SparseSoftmaxCrossEntropyWithLogits.
Output sparse_softmax_cross_entropy_with_logits(Output logits, Output labels,
                                                LossOptions options = {});

/// Element-wise cross entropy of the probabilities `labels` and sigmoid(`logits`), in the form
/// `max(x, 0) - x * z + log1p(exp(-|x|))` that neither overflows nor takes the logarithm of 0; a
/// composition. TensorFlow's tf.nn.sigmoid_cross_entropy_with_logits.
Output sigmoid_cross_entropy_with_logits(Output logits, Output labels, LossOptions options = {});

/// `sum(t * t) / 2`, a scalar. TensorFlow's L2Loss.
Output l2_loss(Output t, LossOptions options = {});

}  // namespace thalweg
