// One training of a model, whatever it is made of: by steps or by a solver.
#pragma once

#include <functional>
#include <vector>

#include "estimator/fit_data.h"
#include "estimator/fit_folder.h"
#include "estimator/fitted_model.h"

namespace thalweg {

struct FitTask {
  ModelRecord record;  // but for its run
  std::shared_ptr<const Head> head;
  FitData data;
  int64_t batch_size = 128;
  uint64_t seed = 1;

  /// The model's parts. `structure`: of a model that is built after its solver, what that one gave
  /// as SolverResult::structure; else empty.
  std::function<ModelParts(const std::string& structure)> parts;
  /// For a training of so many steps.
  std::function<std::vector<OptimizerShare>(int64_t steps)> optimizers = {};
  /// Instead of steps.
  Solver solver = {};
  /// Whether only the solver knows how large the variables are, so that the model's graph is built
  /// after it.
  bool builds_after_solver = false;
};

/// Trains. `model` is replaced as soon as the first step can be made.
FitReport run_fit(FittedModel& model, FitFolder& folder, FitTask task, const FitOptions& options);

/// The training itself, once all is prepared: by the training loop, or by the task's solver.
/// `resumed`: what is recorded of the training that is to go on. The record's run is kept up to
/// date in `model`.
TrainResult train_by_steps(FittedModel& model, const FitFolder& folder, const FitTask& task,
                           const FitOptions& options);
TrainResult train_by_solver(FittedModel& model, const FitFolder& folder, const FitTask& task,
                            const std::optional<ModelRecord>& resumed, const FitOptions& options);

}  // namespace thalweg
