// Solvers of linear models, for Estimator: all rows at once, to convergence.
#pragma once

#include <string>
#include <vector>

#include "estimator/linear/design_matrix.h"
#include "estimator/linear/linear_loss.h"
#include "estimator/solver.h"

namespace thalweg::linear {

/// A linear model: the sum of its terms' weights times numbers or of ids, plus a bias `[units]`.
/// Its loss is sum_i w_i loss_i + l2 / 2 |weights|^2 + l1 |weights|, in the numbers as they are
/// prepared: where the transform standardises, a weight is the effect of one deviation.
struct LinearProblem {
  PreparedSpec prepared;
  std::vector<Term> terms;
  std::string bias = "linear/bias";
  LinearLoss loss;
  double l1 = 0;
  double l2 = 1;
  double tolerance = 1e-4;
  int64_t most_iterations = 200;
};

/// L-BFGS, of all losses but kHinge (unimplemented); the bias is not penalised, so that l2 is
/// scikit-learn's 1 / C, and of kSquared twice its Ridge's alpha. Ends when no slope of loss /
/// sum_i w_i is larger than `tolerance`, times the targets' deviation for kSquared and kPoisson,
/// and the mean loss is not expected to fall by more than `tolerance` (of numbers: times their
/// deviation, for kSquared its square), as slopes of rare categories are small, but many. Few
/// weights and kSquared without l1 are solved by Cholesky's decomposition of the normal equations,
/// where those are regular. kPinball is approached by ever narrower parabolas at its kink, down to
/// a hundredth of the targets' deviation.
///
/// Starts from the variables' values; a bias that is all 0 from the best one. Every tenth iteration
/// is measured on validation rows. With FitOptions::patience every one is, and the best one's
/// weights are what remains.
Solver make_lbfgs_solver(LinearProblem problem);

/// SDCA (Shalev-Shwartz and Zhang, Mathematical Programming 155, 2016), row by row in an order
/// drawn from the task's seed, of one unit with kSigmoid, kSquared, kHinge and kSmoothHinge, l2
/// above 0; else unimplemented and invalid_argument. As in TensorFlow's SDCAOptimizer the bias is
/// the weight of a number that is always 1: l2 counts for it (of kSquared for its distance from the
/// labels' mean), l1 does not. Ends when primal and
/// dual value, whose difference bounds the distance from the best loss, differ by less than
/// `tolerance` times the primal one. Iterations are passes over the rows.
Solver make_sdca_solver(LinearProblem problem);

}  // namespace thalweg::linear
