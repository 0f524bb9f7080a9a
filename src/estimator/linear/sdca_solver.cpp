#include <cmath>

#include "estimator/linear/sdca.h"
#include "estimator/linear/solver_run.h"
#include "thalweg/base/error.h"

namespace thalweg::linear {
namespace {

// Weights of SparseRows lie as the variables do, one term after the other. `centre` is added to the
// bias, the last of them.
void write(const LinearProblem& problem, const std::vector<double>& weights, double centre,
           VariableStore& variables) {
  const double* from = weights.data();
  for (const Term& term : problem.terms) {
    Tensor value(kFloat32, {rows_of(term), 1});
    for (float& cell : value.mutable_data<float>()) cell = static_cast<float>(*from++);
    variables.set(term.variable, value);
  }
  variables.set(problem.bias, Tensor::of<float>({static_cast<float>(*from + centre)}));
}

// l2 counts for the bias, which would hold numbers far from 0 back, so these are learnt from their
// mean on: that of the targets, where the bias begins.
double centre_numbers(LinearLoss& loss, const LinearTargets& targets) {
  if (loss.kind != LossKind::kSquared) return 0;
  const double centre = targets.means()[0];
  if (loss.mean.empty()) {
    loss.mean = {0};
    loss.deviation = {1};
  }
  loss.mean[0] += centre * loss.deviation[0];
  return centre;
}

SolverResult solve(const LinearProblem& problem, const SolverTask& task) {
  const PreparedRows prepared(problem.prepared, task.training.inputs);
  const SparseRows rows(prepared, problem.terms);
  const auto targets_of = [&](const LinearLoss& loss) {
    return LinearTargets(loss, task.training.labels, task.training.weights, rows.rows());
  };
  LinearLoss loss = problem.loss;
  LinearTargets targets = targets_of(loss);
  const double centre = centre_numbers(loss, targets);
  if (centre != 0) targets = targets_of(loss);
  SolverRun run(task);
  std::vector<double> best;
  SdcaOptions options;
  options.l1 = problem.l1;
  options.l2 = problem.l2;
  options.tolerance = problem.tolerance;
  options.most_epochs = problem.most_iterations;
  options.seed = task.seed;
  options.report = [&](const SdcaState& state, const std::vector<double>& weights) {
    const bool goes_on = run.note(state.epoch, state.loss / targets.total_weight(),
                                  [&] { write(problem, weights, centre, task.variables); });
    if (run.is_best()) best = weights;
    return goes_on;
  };
  const SdcaResult result = minimize_sdca(rows, loss, targets, options);
  const SdcaState& state = result.state;
  if (!std::isfinite(state.primal)) refuse_not_finite(problem, state.primal);
  write(problem, best.empty() ? result.weights : best, centre, task.variables);
  const double gap = (state.primal - state.dual) / state.primal;
  if (result.converged) {
    return run.finish(str("converged after ", state.epoch, " passes over the rows"));
  }
  return run.finish(str("not converged after ", state.epoch,
                        " passes over the rows: the relative duality gap is ", gap,
                        ", the tolerance ", problem.tolerance,
                        "; allow more iterations, or a larger tolerance"));
}

}  // namespace

Solver make_sdca_solver(LinearProblem problem) {
  check_problem(problem);
  const LossKind kind = problem.loss.kind;
  const bool is_known = kind == LossKind::kSigmoid || kind == LossKind::kSquared ||
                        kind == LossKind::kHinge || kind == LossKind::kSmoothHinge;
  if (!is_known || problem.loss.units != 1) {
    throw unimplemented(
        "SDCA takes two classes, or numbers with squared error and one output, not ",
        to_string(kind), " of ", problem.loss.units, " outputs; choose the solver lbfgs");
  }
  if (!(problem.l2 > 0)) {
    throw invalid_argument("SDCA needs l2 above 0, got ", problem.l2,
                           "; set it, or choose the solver lbfgs");
  }
  if (kind == LossKind::kSmoothHinge && !(problem.loss.width > 0)) {
    throw invalid_argument("the width of the smooth hinge loss is ", problem.loss.width,
                           ", expected a number above 0");
  }
  return [problem = std::move(problem)](const SolverTask& task) { return solve(problem, task); };
}

}  // namespace thalweg::linear
