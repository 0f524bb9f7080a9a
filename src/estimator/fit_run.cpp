// What all trainings share: the record before, the folder around, the report after.
#include "estimator/fit_run.h"

#include <ctime>
#include <limits>

#include "thalweg/base/clock.h"
#include "thalweg/base/file.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

std::string utc_now() {
  const auto seconds = static_cast<std::time_t>(system_clock().wall_seconds());
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

// What is known of a run before its first step.
void describe_run(RunRecord& run, const FitOptions& options, const FitTask& task) {
  run.epochs = options.epochs;
  run.batch_size = task.batch_size;
  run.seed = task.seed;
  run.validation_split = task.data.validation_fingerprint.empty() ? options.validation_split : 0;
  run.patience = options.patience;
  run.threads = num_threads();
  run.data = options.data_name;
  run.data_fingerprint = task.data.fingerprint;
  run.validation_fingerprint = task.data.validation_fingerprint;
  run.training_rows = task.data.training_rows;
  run.validation_rows = task.data.validation_rows;
  run.command = options.command;
  run.started = utc_now();
  run.environment = describe_environment();
}

// As many as can be counted, at most.
int64_t total_steps(int64_t epochs, int64_t rows, int64_t batch_size) {
  const int64_t in_epoch = rows / batch_size + (rows % batch_size == 0 ? 0 : 1);
  int64_t steps = 0;
  if (__builtin_mul_overflow(epochs, in_epoch, &steps)) return std::numeric_limits<int64_t>::max();
  return steps;
}

void record_result(ModelRecord& record, const TrainResult& result, double seconds_before) {
  record.run.state =
      result.reason == EndReason::kNothingLeft ? "finished" : std::string(to_string(result.reason));
  record.run.seconds = seconds_before + result.seconds;
  record.run.history = result.history;
  record.run.best_step = result.best ? std::optional(result.best->step) : std::nullopt;
  const bool best = result.best_restored && !result.best->prefix.empty();
  record.weights = base_name(best ? result.best->prefix : result.last_checkpoint);
}

const EpochRecord* find_epoch(const std::vector<EpochRecord>& history, int64_t step) {
  for (const EpochRecord& epoch : history) {
    if (epoch.step == step) return &epoch;
  }
  return history.empty() ? nullptr : &history.back();
}

}  // namespace

FitReport run_fit(FittedModel& model, FitFolder& folder, FitTask task, const FitOptions& options) {
  ModelRecord record = std::move(task.record);
  describe_run(record.run, options, task);
  const std::optional<ModelRecord> resumed = folder.resume(record);

  auto variables = std::make_shared<VariableStore>();
  std::unique_ptr<ModelGraph> graph;
  if (!task.builds_after_solver) {
    std::vector<OptimizerShare> optimizers;
    if (!task.solver) {
      optimizers =
          task.optimizers(total_steps(options.epochs, task.data.training_rows, task.batch_size));
    }
    graph =
        std::make_unique<ModelGraph>(task.parts({}), *task.head, task.seed, variables, optimizers);
    record.run.parameters = graph->trainable_parameters();
  }
  folder.begin(record);
  // From here on the old model lives in its folder only.
  model.head = task.head;
  model.record = std::move(record);
  model.variables = std::move(variables);
  model.model = std::move(graph);
  model.has_weights = true;
  const double seconds_before = model.record.run.seconds;
  FitReport report;
  report.baseline = task.data.baseline;
  try {
    report.training = task.solver ? train_by_solver(model, folder, task, resumed, options)
                                  : train_by_steps(model, folder, task, options);
  } catch (const Error& error) {
    throw folder.failed(model.record, error);
  }
  record_result(model.record, report.training, seconds_before);
  folder.finish(model.record, report);
  const TrainResult& result = report.training;
  const int64_t step = result.best_restored ? result.best->step : result.steps;
  if (const EpochRecord* epoch = find_epoch(result.history, step)) {
    report.train = epoch->train;
    report.validation = epoch->validation;
  }
  return report;
}

}  // namespace thalweg
