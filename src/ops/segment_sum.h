// What UnsortedSegmentSum shares with the other reductions by segment.
#pragma once

#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {

/// `[segments, slice...]` for inputs data, ids and the number of segments.
void unsorted_segments_shape(ShapeContext& c);
/// Each slice of the data gets the gradient of its segment; those that were dropped get zeros.
void segment_sum_gradient(GradientContext& c);

}  // namespace thalweg
