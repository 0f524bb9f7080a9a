// Shapes and gradients of batch normalisation, whose rows stand in normalization.cpp.
#pragma once

#include "thalweg/graph/op_def.h"

namespace thalweg {

void batch_norm_shape(ShapeContext& context);
void batch_norm_gradient(GradientContext& context);
void batch_norm_grad_shape(ShapeContext& context);
void batch_norm_grad_gradient(GradientContext& context);

}  // namespace thalweg
