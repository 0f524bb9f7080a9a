// Index vectors `[..., k]`, which name slices of a tensor or of a variable.
#pragma once

#include "thalweg/graph/shape_context.h"

namespace thalweg {

/// The slices that `indices` name: the vectors' number, then the shape of one slice. Throws
/// invalid_argument when the vectors are too long for `tensor`.
Shape slices_shape(const ShapeContext& context, const Shape& indices, const Shape& tensor);
/// Throws invalid_argument when `updates` are not such slices.
void check_updates(const ShapeContext& context, const Shape& indices, const Shape& updates,
                   const Shape& tensor);

}  // namespace thalweg
