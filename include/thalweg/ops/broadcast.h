// The reverse of broadcasting, which every gradient of a broadcasting op needs.
#pragma once

#include "thalweg/graph/graph.h"

namespace thalweg {

/// `gradient`, of the shape of a broadcast result, summed over the dimensions along which `like`
/// was repeated: the result has the shape of `like`. Adds nothing when the shapes tell that `like`
/// was not broadcast, Sum (and Reshape) when they tell how it was, and otherwise finds out as the
/// graph runs (BroadcastGradientArgs).
Output sum_to_shape_of(Output gradient, Output like);

/// The same when the result came of broadcasting `like` with `other` alone: `other`'s shape then
/// often tells that `like` was not repeated (a bias beside a batch of unknown size).
Output sum_to_shape_of(Output gradient, Output like, Output other);

}  // namespace thalweg
