// Estimator::fit: from data and options to a training loop, and what is recorded of it.
#include <ctime>
#include <limits>

#include "estimator/estimator_state.h"
#include "estimator/fit_data.h"
#include "estimator/fit_hooks.h"
#include "estimator/model_files.h"
#include "estimator/replacement.h"
#include "thalweg/base/clock.h"
#include "thalweg/base/crc32c.h"
#include "thalweg/base/file.h"
#include "thalweg/base/parallel.h"
#include "thalweg/estimator/model_folder.h"
#include "thalweg/formats/checkpoint_state.h"

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

// A training that was begun is never begun anew in silence, nor under another description.
void check_resumable(const std::string& folder) {
  const std::optional<CheckpointState> saved = read_checkpoint_state(folder);
  if (!saved || saved->latest.empty()) return;  // nothing was saved yet
  if (!is_model_folder(folder)) {
    throw failed_precondition("'", folder, "' holds checkpoints but no ", kModelFile,
                              ", which says what they are; put the file back, or train anew in "
                              "another folder");
  }
  if (!latest_checkpoint(folder)) {
    throw data_loss("'", folder, "' speaks of checkpoint '", saved->latest,
                    "', but none of its checkpoints is there; put their files back, or train anew "
                    "in another folder");
  }
}

void check_options(const FitOptions& options, const std::string& folder) {
  if (options.epochs < 1 || options.epochs > kMostEpochs) {
    throw invalid_argument("epochs is ", options.epochs, ", expected 1 to ", kMostEpochs);
  }
  if (options.patience < 0) {
    throw invalid_argument("patience is ", options.patience, ", expected 0 (never stop) or more");
  }
  if (!(options.validation_split >= 0 && options.validation_split < 1)) {
    throw invalid_argument("validation_split is ", options.validation_split,
                           ", expected a share of the rows: 0 or more and less than 1");
  }
  if (options.resume && options.overwrite) {
    throw invalid_argument("resume and overwrite exclude each other");
  }
  if (options.resume && folder.empty()) {
    throw failed_precondition("there is nothing to resume: the estimator has no model folder");
  }
  if (!folder.empty() && file_exists(folder) && !is_folder(folder)) {
    throw already_exists("'", folder, "' is a file; a model is saved in a folder of its own");
  }
}

// What is in the folder, under its lock.
void check_folder(const FitOptions& options, const std::string& folder) {
  if (options.resume) check_resumable(folder);
  check_free_for_model(folder);
  if (!options.resume && !options.overwrite && is_model_folder(folder) && !is_untrained(folder)) {
    throw already_exists("'", folder, "' holds a model; go on with its training (",
                         options.names.resume, "), replace it (", options.names.overwrite,
                         "), or choose another folder");
  }
}

// Says in what the training that is to go on differs from the one that was begun.
void check_same_training(const std::string& folder, const ModelRecord& old,
                         const ModelRecord& record, const OptionNames& names) {
  std::vector<std::string> differences;
  const auto compare = [&](std::string_view what, const auto& was, const auto& is) {
    if (!(was == is)) differences.push_back(str(what, " was ", was, " and is ", is));
  };
  const auto fingerprint = [](const std::string& text) { return text.empty() ? "none" : text; };
  compare("the kind", old.kind, record.kind);
  compare("the optimizer", old.optimizer, record.optimizer);
  compare("the batch size", old.run.batch_size, record.run.batch_size);
  compare("the seed", old.run.seed, record.run.seed);
  compare("the validation split", old.run.validation_split, record.run.validation_split);
  compare("the data's fingerprint", old.run.data_fingerprint, record.run.data_fingerprint);
  compare("the fingerprint of validation data of your own",
          fingerprint(old.run.validation_fingerprint),
          fingerprint(record.run.validation_fingerprint));
  const auto standardized = [](const ModelRecord& r) {
    return r.label.standardized || !r.input.mean.empty() ? "on" : "off";
  };
  compare("standardize", std::string_view(standardized(old)),
          std::string_view(standardized(record)));
  if (old.network != record.network) differences.emplace_back("the network is another one");
  if (differences.empty()) return;
  throw failed_precondition(
      "cannot go on with the training in '", folder, "': ", join(differences, "; "),
      ". Go on with the same data and settings, or train anew (", names.overwrite, ")");
}

// What a training that saved nothing left goes. The record comes before all else, so that the
// folder is known for a model's however this training ends.
void begin_anew(const TrainingLock& lock, const ModelRecord& record) {
  const std::string& folder = lock.folder();
  if (latest_checkpoint(folder)) return;  // of a model without its record: the loop refuses them
  discard_replacement(lock);
  if (is_untrained(folder)) remove_events(folder);
  write_model_record(folder, record);
}

// As many as can be counted, at most.
int64_t total_steps(int64_t epochs, int64_t rows, int64_t batch_size) {
  const int64_t in_epoch = rows / batch_size + (rows % batch_size == 0 ? 0 : 1);
  int64_t steps = 0;
  if (__builtin_mul_overflow(epochs, in_epoch, &steps)) return std::numeric_limits<int64_t>::max();
  return steps;
}

const EpochRecord* find_epoch(const std::vector<EpochRecord>& history, int64_t step) {
  for (const EpochRecord& epoch : history) {
    if (epoch.step == step) return &epoch;
  }
  return history.empty() ? nullptr : &history.back();
}

// Tells trainings apart whose checkpoints must not be mixed.
std::string fingerprint_of(const ModelRecord& record) {
  const std::string settings =
      str(record.kind, record.network, record.optimizer, record.run.batch_size, ",",
          record.run.seed, ",", record.run.validation_split, ",", record.run.validation_fingerprint,
          ",", !record.input.mean.empty(), record.label.standardized);
  return str(record.run.data_fingerprint, "-", crc32c(settings));
}

TrainingOptions training_options(const FitOptions& options, FitData& data, const ModelGraph& model,
                                 const std::string& folder, const Replacement* replacement,
                                 ModelRecord& record) {
  TrainingOptions result;
  result.epochs = options.epochs;
  if (data.validation_batches) {
    result.validation = ValidationOptions{model.eval_spec(), *data.validation_batches};
  }
  result.early_stopping.patience = options.patience;
  result.progress = options.progress;
  result.handle_signals = options.handle_signals;
  result.names = options.names;
  if (!folder.empty()) {
    const std::string place = replacement != nullptr ? replacement->folder() : folder;
    const std::string events = join_path(place, kEventsFolder);
    result.saving = {.folder = place,
                     .every_steps = options.checkpoint_steps,
                     .resume = options.resume,
                     .fingerprint = fingerprint_of(record)};
    if (replacement != nullptr) result.saving.moves_to = folder;
    result.summary.folder = events;
    result.hooks.push_back(std::make_shared<RecordHook>(place, record));
    result.hooks.push_back(std::make_shared<HistogramHook>(join_path(events, "weights")));
  }
  result.hooks.insert(result.hooks.end(), options.hooks.begin(), options.hooks.end());
  return result;
}

// What is known of a run before its first step.
void describe_run(RunRecord& run, const FitOptions& options, const FitData& data) {
  run.epochs = options.epochs;
  run.validation_split = options.validation ? 0 : options.validation_split;
  run.patience = options.patience;
  run.threads = num_threads();
  run.data = options.data_name;
  run.data_fingerprint = data.fingerprint;
  run.validation_fingerprint = data.validation_fingerprint;
  run.training_rows = data.training_rows;
  run.validation_rows = data.validation_rows;
  run.command = options.command;
  run.started = utc_now();
  run.environment = describe_environment();
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

}  // namespace

FitReport Estimator::fit(const Tensor& features, const Tensor& labels, const FitOptions& options) {
  return fit(Dataset::from_tensors({features, label_vector(labels)}), options);
}

FitReport Estimator::fit(const Dataset& data, const FitOptions& options) {
  State& s = *state_;
  check_options(options, s.folder);
  std::optional<TrainingLock> lock;
  if (!s.folder.empty()) {
    lock.emplace(s.folder);
    check_folder(options, s.folder);
  }
  auto head = make_head(s.kind, s.label);
  FitData prepared = prepare_fit_data(data,
                                      {.batch_size = s.batch_size,
                                       .seed = s.seed,
                                       .validation_split = options.validation_split,
                                       .validation = options.validation,
                                       .standardize = s.standardize,
                                       .columns = s.columns},
                                      *head);
  ModelRecord record = s.new_record(*head, prepared.input);
  describe_run(record.run, options, prepared);
  if (options.resume) take_over_replacement(*lock);
  if (options.resume && is_model_folder(s.folder)) {
    const ModelRecord old = read_model_record(s.folder);
    check_same_training(s.folder, old, record, options.names);
    record.run.history = old.run.history;
    record.run.seconds = old.run.seconds;
    record.run.started = old.run.started;
  }

  const int64_t steps = total_steps(options.epochs, prepared.training_rows, s.batch_size);
  auto variables = std::make_shared<VariableStore>();
  auto model = std::make_unique<ModelGraph>(s.network, prepared.input, *head, s.seed, variables,
                                            make_optimizer(s.optimizer, steps));
  record.run.parameters = model->trainable_parameters();

  std::optional<Replacement> replacement;
  if (lock && options.overwrite && !model_files(s.folder).empty()) {
    replacement.emplace(*lock);
  } else if (lock && !options.resume) {
    begin_anew(*lock, record);
  }
  // From here on the old model lives in its folder only.
  s.head = std::move(head);
  s.record = std::move(record);
  s.variables = std::move(variables);
  s.model = std::move(model);
  s.has_weights = true;
  const double seconds_before = s.record.run.seconds;
  FitReport report{.baseline = prepared.baseline};
  try {
    TrainingLoop loop(s.model->session(), s.model->train_spec(),
                      training_options(options, prepared, *s.model, s.folder,
                                       replacement ? &*replacement : nullptr, s.record));
    report.training = loop.run(prepared.batches);
  } catch (const Error& error) {
    s.record.run.state = str("failed: ", error.message());
    if (replacement) {
      throw Error(error.code(),
                  str(error.message(), ". The model in '", s.folder, "' is as it was before"));
    }
    if (!s.folder.empty() && is_model_folder(s.folder)) write_model_record(s.folder, s.record);
    throw;
  }
  record_result(s.record, report.training, seconds_before);
  if (replacement && !report.training.last_checkpoint.empty()) {
    write_model_record(replacement->folder(), s.record);
    if (report.training.reason == EndReason::kInterrupted) {
      report.kept_aside = replacement->folder();
      replacement->keep();
    } else {
      replacement->commit();
      report.replaced = true;
    }
  } else if (!s.folder.empty() && !replacement) {
    write_model_record(s.folder, s.record);
  }
  const TrainResult& result = report.training;
  const int64_t step = result.best_restored ? result.best->step : result.steps;
  if (const EpochRecord* epoch = find_epoch(result.history, step)) {
    report.train = epoch->train;
    report.validation = epoch->validation;
  }
  return report;
}

}  // namespace thalweg
