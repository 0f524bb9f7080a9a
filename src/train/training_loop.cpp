#include "thalweg/train/training_loop.h"

#include "thalweg/base/error.h"
#include "thalweg/train/optimizer.h"
#include "train/training_run.h"

namespace thalweg {
namespace {

void check_positive(std::string_view name, const std::optional<int64_t>& value) {
  if (value && *value < 1) {
    throw invalid_argument("training: ", name, " is ", *value, ", expected 1 or more");
  }
}

void check_not_negative(std::string_view name, double value) {
  if (!(value >= 0)) {
    throw invalid_argument("training: ", name, " is ", value, ", expected 0 (never) or more");
  }
}

void check_spec(const TrainSpec& spec) {
  if (spec.inputs.empty()) throw invalid_argument("training: the spec has no inputs");
  if (!spec.loss) throw invalid_argument("training: the spec has no loss");
  if (spec.train_step == nullptr) {
    throw invalid_argument("training: the spec has no train_step; use Optimizer::minimize");
  }
  if (spec.loss.graph().find_variable(kGlobalStep) == nullptr) {
    throw invalid_argument("training: the graph has no variable `", kGlobalStep,
                           "`, so train_step counts no steps; use Optimizer::minimize");
  }
}

void check_options(const TrainingOptions& options) {
  if (!options.epochs && !options.max_steps) {
    throw invalid_argument("training: neither epochs nor max_steps is set, so it would not end");
  }
  check_positive("epochs", options.epochs);
  check_positive("max_steps", options.max_steps);
  check_positive("steps_per_epoch", options.steps_per_epoch);
  if (options.validation)
    check_positive("validation.every_epochs", options.validation->every_epochs);
  check_not_negative("saving.every_steps", static_cast<double>(options.saving.every_steps));
  check_not_negative("saving.every_epochs", static_cast<double>(options.saving.every_epochs));
  check_not_negative("saving.every_seconds", options.saving.every_seconds);
  check_not_negative("saving.least_seconds", options.saving.least_seconds);
  if (options.saving.keep_last < 1) {
    throw invalid_argument("training: saving.keep_last is ", options.saving.keep_last,
                           ", at least 1 must be kept");
  }
  if (options.summary.every_steps < 1) {
    throw invalid_argument("training: summary.every_steps is ", options.summary.every_steps,
                           ", expected 1 or more");
  }
  if (options.saving.resume && options.saving.overwrite) {
    throw invalid_argument("training: saving.resume and saving.overwrite exclude each other");
  }
  if (options.saving.folder.empty() && options.saving.resume) {
    throw invalid_argument("training: saving.resume is set, but no folder to resume from");
  }
}

// The metric to watch must be among the figures that are watched.
void check_monitor(const TrainSpec& spec, const TrainingOptions& options) {
  if (!train::has_monitor(options)) return;
  const bool validated = options.validation.has_value();
  const std::vector<Metric>& metrics = validated ? options.validation->spec.metrics : spec.metrics;
  std::vector<std::string> names;
  if (!validated || options.validation->spec.loss) names.push_back("loss");
  for (const Metric& metric : metrics) names.push_back(metric.name);
  for (const std::string& name : names) {
    if (name == options.early_stopping.metric) return;
  }
  throw invalid_argument("training: early_stopping.metric is '", options.early_stopping.metric,
                         "', but the ", validated ? "validation" : "training", " gives ", names);
}

}  // namespace

struct TrainingLoop::State {
  Session& session;
  TrainSpec spec;
  TrainingOptions options;
};

TrainingLoop::TrainingLoop(Session& session, TrainSpec spec, TrainingOptions options) {
  check_spec(spec);
  check_options(options);
  check_monitor(spec, options);
  static_cast<void>(EarlyStopping(options.early_stopping));
  state_ = std::make_unique<State>(State{session, std::move(spec), std::move(options)});
}

TrainingLoop::~TrainingLoop() = default;

TrainResult TrainingLoop::run(const Dataset& batches) {
  return train::TrainingRun(state_->session, state_->spec, state_->options, batches).run();
}

}  // namespace thalweg
