// What solvers of linear models share: variables, history, stopping.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "estimator/linear/linear_solvers.h"

namespace thalweg::linear {

/// Throws invalid_argument for numbers that cannot be: negative penalties, no unit.
void check_problem(const LinearProblem& problem);

/// Rows of a term's variable.
int64_t rows_of(const Term& term);

/// The variables of a problem. Each must be there, float32 of the right shape.
class LinearVariables {
 public:
  LinearVariables(const LinearProblem& problem, VariableStore& store);

  /// weights `[features, units]` of the places, then the bias `[units]`.
  std::vector<double> read(const DesignMatrix& matrix) const;
  /// Writes them; weights without a feature become 0 when `clears`, else stay.
  void write(const DesignMatrix& matrix, std::span<const double> parameters, bool clears) const;

 private:
  const LinearProblem& problem_;
  VariableStore& store_;
};

/// History, progress and early stopping of a solver's iterations.
class SolverRun {
 public:
  explicit SolverRun(const SolverTask& task) : task_(task) {}

  /// Takes note of an iteration (0: the start, which is not noted). `write` brings the variables up
  /// to date, where they are needed. False: stop.
  bool note(int64_t iteration, double loss, const std::function<void()>& write);
  /// Ends the run with the variables as they are; `message` says why, unless it was stopped.
  SolverResult finish(std::string message);
  /// Whether stopped by patience: then the best weights are those of `best_iteration`.
  bool out_of_patience() const { return out_of_patience_; }
  bool is_best() const { return is_best_; }

 private:
  void measure(EpochRecord& record);

  const SolverTask& task_;
  SolverResult result_;
  double best_ = 0;
  bool is_best_ = false;
  bool out_of_patience_ = false;
};

/// Throws out_of_range naming the loss.
[[noreturn]] void refuse_not_finite(const LinearProblem& problem, double loss);

}  // namespace thalweg::linear
