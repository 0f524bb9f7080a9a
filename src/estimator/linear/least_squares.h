// Squared error in one go, for models with few weights.
#pragma once

#include <optional>
#include <vector>

#include "estimator/linear/design_matrix.h"
#include "estimator/linear/linear_loss.h"

namespace thalweg::linear {

/// Whether solve_least_squares() takes less than some iterations of another solver.
bool is_small(const DesignMatrix& matrix);

/// The parameters (weights `[features, units]`, then the bias) that minimise sum_i w_i loss_i + l2
/// / 2 |weights|^2 of kSquared, by Cholesky's decomposition of the normal equations in double
/// precision. None when these are singular, or too near to it.
std::optional<std::vector<double>> solve_least_squares(const DesignMatrix& matrix,
                                                       const LinearLoss& loss,
                                                       const LinearTargets& targets, double l2);

}  // namespace thalweg::linear
