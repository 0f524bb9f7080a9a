// The shape of whatever sums, joins or measures over axes.
#pragma once

#include "thalweg/graph/shape_context.h"

namespace thalweg {

/// `x` less the dimensions that input `axes_input` names; with `keep_dims` they stay, of size 1.
/// Throws on an axis out of range or given twice.
Shape reduced_shape(const ShapeContext& context, const Shape& x, int axes_input, bool keep_dims);

/// The shape function of ops with a tensor, axes and the attribute `keep_dims`.
void reduction_shape(ShapeContext& context);
/// Of ops that run along one axis, the second input, and keep the shape of the first.
void accumulation_shape(ShapeContext& context);

}  // namespace thalweg
