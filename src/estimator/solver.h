// Training in another way than by gradient steps over batches: convex solvers and trees. Estimator
// does all around it: rows, lock, folder, record, checkpoint.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "thalweg/data/example.h"
#include "thalweg/estimator/estimator.h"
#include "thalweg/runtime/variable_store.h"

namespace thalweg {

/// Rows in memory: the network's inputs, labels as the head encodes them, and the examples'
/// weights.
struct SolverRows {
  data::Example inputs;  // each [rows, ...]
  Tensor labels;
  Tensor weights;  // float32 [rows]; not valid: all 1
};

struct SolverTask {
  const SolverRows& training;
  const SolverRows* validation = nullptr;  // null: none
  /// Where the model's variables are; they have their initial values.
  VariableStore& variables;
  const FitOptions& options;
  uint64_t seed = 1;
  /// Mean loss of the current variables on rows, and its metrics: for history. Empty when the model
  /// is built only after the solver (trees), whose variables tell its size.
  std::function<std::vector<Figure>(const SolverRows&)> evaluate;
  /// Shows an iteration (EpochRecord::epoch and step) while the solver works; SolverResult::history
  /// holds what is kept.
  std::function<void(const EpochRecord&)> report;
  /// True after Ctrl-C or SIGTERM: end soon, with what there is.
  std::function<bool()> stop_requested;
};

struct SolverResult {
  std::string message;  // one sentence: why it ended
  int64_t iterations = 0;
  bool interrupted = false;
  bool stopped_early = false;
  std::vector<EpochRecord> history = {};
  std::optional<int64_t> best_iteration = {};
  /// JSON for FitTask::parts: what only the solver knows of the model's size.
  std::string structure = {};
};

/// Sets the variables. Throws out_of_range when the loss is not finite.
using Solver = std::function<SolverResult(const SolverTask&)>;

}  // namespace thalweg
