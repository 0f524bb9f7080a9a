// Gradients of matrix decompositions: TensorFlow's formulas (linalg_grad.py), kept apart from the
// rows because each needs a page of algebra.
#pragma once

#include "thalweg/graph/gradient_context.h"

namespace thalweg {

void cholesky_gradient(GradientContext& c);
void matrix_inverse_gradient(GradientContext& c);
void determinant_gradient(GradientContext& c);
void log_determinant_gradient(GradientContext& c);
void matrix_solve_gradient(GradientContext& c);
void triangular_solve_gradient(GradientContext& c);
void least_squares_gradient(GradientContext& c);
void qr_gradient(GradientContext& c);
void svd_gradient(GradientContext& c);
void self_adjoint_eig_gradient(GradientContext& c);

}  // namespace thalweg
