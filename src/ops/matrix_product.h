// What the ops that multiply matrices share.
#pragma once

#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {

/// `[m, k]` times `[k, n]`, either transposed by transpose_a or transpose_b.
void matmul_shape(ShapeContext& c);

struct ProductGradients {
  Output a, b;
};
/// Of matmul(a, b) with these transpositions, when `grad` flows into it; of one type.
ProductGradients product_gradients(Output a, Output b, Output grad, bool transpose_a,
                                   bool transpose_b);

/// `[..., m, k]` times `[..., k, n]`, either transposed by adj_x or adj_y; the dimensions in front
/// are broadcast.
void batch_matmul_shape(ShapeContext& c);
/// Throws unimplemented when operands and result are of different types.
void batch_matmul_gradient(GradientContext& c);

}  // namespace thalweg
