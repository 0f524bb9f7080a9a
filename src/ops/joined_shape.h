// The shape of tensors that are joined along a dimension, for the ops that join them.
#pragma once

#include "thalweg/graph/shape_context.h"

namespace thalweg {

/// Of the inputs [begin, end) along the dimension that input `axis` names. Throws invalid_argument
/// when they do not fit together.
Shape joined_shape(const ShapeContext& context, int begin, int end, int axis);

}  // namespace thalweg
