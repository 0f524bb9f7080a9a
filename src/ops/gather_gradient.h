// The gradient of picking slices out of a tensor along one dimension, which GatherV2 and TopKV2
// share.
#pragma once

namespace thalweg {

class GradientContext;

/// Adds up, for each slice of `params`, the gradients of the places it went to. Dense.
void gather_gradient(GradientContext& context);
/// The values of TopKV2 are gathered at its indices.
void top_k_gradient(GradientContext& context);

}  // namespace thalweg
