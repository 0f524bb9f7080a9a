// Labels, predictions and weights under one shape, without broadcasting.
#pragma once

#include <string_view>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// `labels` under the shape of `predictions`, cast to its dtype. A dimension of size 1 at the end
/// of one alone is dropped or added; anything else that differs is invalid_argument naming `what`
/// and both shapes. What is known only when the graph runs is checked then.
Output match_labels(std::string_view what, Output labels, Output predictions);

/// `weights` as `[batch]`, cast to the dtype of `values` `[batch]`.
Output match_weights(Output weights, Output values);

/// `labels` as int32 or int64 classes of the shape of `logits` `[batch, ..., classes]` without its
/// last dimension.
Output match_classes(std::string_view what, Output labels, Output logits);

}  // namespace thalweg
