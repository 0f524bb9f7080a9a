// Losses: how far predictions are from labels, with optional weights of examples.
//
// Labels come first, as in tf.losses. Shapes must agree and nothing is ever broadcast: `[batch]`
// and `[batch, 1]` count as equal, everything else is invalid_argument naming both shapes. Labels
// of another dtype (classes, bool) are cast to that of the predictions.
#pragma once

#include <string_view>

#include "thalweg/graph/graph.h"

namespace thalweg::losses {

/// What is made of the losses of the examples.
enum class Reduction {
  kMean,  ///< sum(weight * loss) / sum(weight); 0, and gradient 0, when the weights sum to 0
  kSum,   ///< sum(weight * loss)
  kNone,  ///< weight * loss, `[batch]`
};

/// The reduction of `values` `[batch]`, or `[batch, ...]` whose mean over the other dimensions is
/// the example's value. `weights` `[batch]` or `[batch, 1]`, not negative; default: 1 each.
Output reduce(Output values, Output weights = {}, Reduction reduction = Reduction::kMean);

/// Of int32 or int64 classes `[batch]` and logits `[batch, classes]`. A label outside [0, classes)
/// is an invalid_argument error when it runs.
Output sparse_softmax_cross_entropy(Output labels, Output logits, Output weights = {},
                                    Reduction reduction = Reduction::kMean);
/// Of distributions `[batch, classes]` (rows sum to 1) and logits.
Output softmax_cross_entropy(Output labels, Output logits, Output weights = {},
                             Reduction reduction = Reduction::kMean);
/// Of labels in [0, 1] and logits, element by element: several labels an example are independent.
Output sigmoid_cross_entropy(Output labels, Output logits, Output weights = {},
                             Reduction reduction = Reduction::kMean);

// From probabilities. Prefer the forms from logits, which are exact. Here p + 1e-7 * (1 - p) stands
// for p under the logarithm: exactly 0 for a sure and right prediction, large but finite (about 16)
// with a finite gradient that still pushes for a sure and wrong one.

/// -t log(p) - (1 - t) log(1 - p) of labels t in [0, 1] and probabilities p.
Output log_loss(Output labels, Output probabilities, Output weights = {},
                Reduction reduction = Reduction::kMean);
/// -sum t log(p) of distributions `[batch, classes]`.
Output categorical_log_loss(Output labels, Output probabilities, Output weights = {},
                            Reduction reduction = Reduction::kMean);
/// sum t log(t / p) of distributions `[batch, classes]`; a label of 0 adds nothing.
Output kl_divergence(Output labels, Output probabilities, Output weights = {},
                     Reduction reduction = Reduction::kMean);

Output mean_squared_error(Output labels, Output predictions, Output weights = {},
                          Reduction reduction = Reduction::kMean);
Output mean_absolute_error(Output labels, Output predictions, Output weights = {},
                           Reduction reduction = Reduction::kMean);
/// e^2 / 2 for errors |e| <= delta, and delta * (|e| - delta / 2) beyond; delta above 0. Huber
/// 1964.
Output huber(Output labels, Output predictions, double delta = 1, Output weights = {},
             Reduction reduction = Reduction::kMean);
/// max(0, 1 - y * score) with y = -1 or 1 for labels 0 and 1.
Output hinge(Output labels, Output scores, Output weights = {},
             Reduction reduction = Reduction::kMean);

}  // namespace thalweg::losses
