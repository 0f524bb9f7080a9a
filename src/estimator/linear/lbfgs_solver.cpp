#include <algorithm>
#include <cmath>

#include "estimator/linear/lbfgs.h"
#include "estimator/linear/least_squares.h"
#include "estimator/linear/linear_objective.h"
#include "estimator/linear/solver_run.h"
#include "thalweg/base/error.h"

namespace thalweg::linear {
namespace {

// Widths of the parabola at the kink of kPinball, in deviations of the targets.
constexpr double kWidths[] = {1, 0.1, 0.01};

class LbfgsRun {
 public:
  LbfgsRun(const LinearProblem& problem, const SolverTask& task)
      : problem_(problem),
        loss_(problem.loss),
        matrix_({problem.prepared, task.training.inputs}, problem.terms),
        targets_(loss_, task.training.labels, task.training.weights, matrix_.rows()),
        objective_(matrix_, loss_, targets_, problem.l2),
        variables_(problem, task.variables),
        run_(task),
        x_(variables_.read(matrix_)) {}

  SolverResult solve() {
    start();
    if (loss_.kind == LossKind::kSquared && problem_.l1 == 0 && is_small(matrix_)) {
      if (auto solution = solve_least_squares(matrix_, loss_, targets_, problem_.l2)) {
        return solved(std::move(*solution), "solved by the normal equations");
      }
    }
    if (loss_.kind != LossKind::kPinball) return finish(minimize());
    const double deviation = std::ranges::max(targets_.deviations());
    if (deviation == 0) return solved(constant_labels(), "all labels are equal");
    LbfgsResult result;
    for (const double width : kWidths) {
      loss_.width = width * deviation;
      result = minimize();
      if (result.end == LbfgsResult::End::kStopped || iterations_ >= problem_.most_iterations) {
        break;
      }
    }
    return finish(result);
  }

 private:
  void start() {
    const auto bias = std::span(x_).subspan(static_cast<size_t>(objective_.weights()));
    if (std::ranges::all_of(bias, [](double b) { return b == 0; })) {
      std::ranges::copy(objective_.best_bias(), bias.begin());
    }
  }

  // Where all labels are equal: they themselves, whatever the row.
  std::vector<double> constant_labels() const {
    std::vector<double> result(x_.size());
    std::ranges::copy(targets_.means(), result.begin() + objective_.weights());
    return result;
  }

  SolverResult solved(std::vector<double> solution, std::string message) {
    x_ = std::move(solution);
    std::vector<double> gradient(x_.size());
    const double value = objective_(x_, gradient);
    if (!std::isfinite(value)) refuse_not_finite(problem_, value);
    write(x_);
    run_.note(1, objective_.mean_loss(), [] {});
    return run_.finish(std::move(message));
  }

  LbfgsResult minimize() {
    const std::vector<double> inverse = objective_.inverse_diagonal();
    const double rows = targets_.total_weight();
    const int64_t before = iterations_;
    LbfgsOptions options;
    options.tolerance = problem_.tolerance * objective_.scale();
    options.least_fall = problem_.tolerance * objective_.loss_scale();
    options.most_iterations = problem_.most_iterations - before;
    options.l1 = problem_.l1 / rows;
    options.penalized = objective_.weights();
    options.inverse_diagonal = inverse;
    options.report = [&](const LbfgsState& state) {
      if (state.iteration == 0) return true;
      iterations_ = before + state.iteration;
      const bool goes_on = run_.note(iterations_, objective_.mean_loss(), [&] { write(state.x); });
      if (run_.is_best()) best_.assign(state.x.begin(), state.x.end());
      return goes_on;
    };
    LbfgsResult result =
        minimize_lbfgs([&](std::span<const double> x,
                           std::span<double> gradient) { return objective_(x, gradient); },
                       std::move(x_), options);
    if (result.end == LbfgsResult::End::kNotFinite) refuse_not_finite(problem_, result.value);
    x_ = result.x;
    return result;
  }

  SolverResult finish(const LbfgsResult& result) {
    write(best_.empty() ? x_ : best_);
    return run_.finish(message(result));
  }

  std::string message(const LbfgsResult& result) const {
    using End = LbfgsResult::End;
    switch (result.end) {
      case End::kConverged: return str("converged after ", iterations_, " iterations");
      case End::kNoProgress:
        return str("converged after ", iterations_,
                   " iterations, as far as the numbers' precision goes");
      default:
        return str("not converged after ", iterations_, " iterations: the largest slope is ",
                   result.steepest / objective_.scale(), ", the tolerance ", problem_.tolerance,
                   "; allow more iterations, or a larger tolerance");
    }
  }

  void write(std::span<const double> parameters) const {
    variables_.write(matrix_, parameters, problem_.l1 > 0 || problem_.l2 > 0);
  }

  const LinearProblem& problem_;
  LinearLoss loss_;
  DesignMatrix matrix_;
  LinearTargets targets_;
  LinearObjective objective_;
  LinearVariables variables_;
  SolverRun run_;
  std::vector<double> x_;
  std::vector<double> best_;  // of the iteration with the best validation loss
  int64_t iterations_ = 0;
};

}  // namespace

Solver make_lbfgs_solver(LinearProblem problem) {
  check_problem(problem);
  if (problem.loss.kind == LossKind::kHinge) {
    throw unimplemented(
        "L-BFGS needs a loss without kinks, but the hinge loss has one; choose the "
        "solver sdca, or the smooth hinge loss");
  }
  if (problem.loss.kind == LossKind::kSmoothHinge && !(problem.loss.width > 0)) {
    throw invalid_argument("the width of the smooth hinge loss is ", problem.loss.width,
                           ", expected a number above 0");
  }
  return [problem = std::move(problem)](const SolverTask& task) {
    return LbfgsRun(problem, task).solve();
  };
}

}  // namespace thalweg::linear
