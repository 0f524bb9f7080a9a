// Gradients of ops that call functions. Each splits the functions it calls into a forward half,
// which also gives what the way back needs, and a backward half that takes it.
#pragma once

#include "thalweg/graph/gradient_context.h"

namespace thalweg {

void call_gradient(GradientContext& context);
/// Of If and Case.
void branch_gradient(GradientContext& context);
void while_gradient(GradientContext& context);

}  // namespace thalweg
