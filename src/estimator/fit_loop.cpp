// Training by steps over batches.
#include "estimator/fit_hooks.h"
#include "estimator/fit_run.h"
#include "thalweg/base/file.h"

namespace thalweg {
namespace {

TrainingOptions training_options(FittedModel& model, const FitFolder& folder, const FitTask& task,
                                 const FitOptions& options) {
  TrainingOptions result;
  result.epochs = options.epochs;
  if (task.data.validation_batches) {
    result.validation = ValidationOptions{model.model->eval_spec(), *task.data.validation_batches};
  }
  result.early_stopping.patience = options.patience;
  result.progress = options.progress;
  result.handle_signals = options.handle_signals;
  result.names = options.names;
  if (const std::string& place = folder.place(); !place.empty()) {
    const std::string events = join_path(place, kEventsFolder);
    result.saving = {.folder = place,
                     .every_steps = options.checkpoint_steps,
                     .resume = options.resume,
                     .fingerprint = fingerprint_of(model.record),
                     .moves_to = folder.moves_to()};
    result.summary.folder = events;
    result.hooks.push_back(std::make_shared<RecordHook>(place, model.record));
    result.hooks.push_back(std::make_shared<HistogramHook>(join_path(events, "weights")));
  }
  result.hooks.insert(result.hooks.end(), options.hooks.begin(), options.hooks.end());
  return result;
}

}  // namespace

TrainResult train_by_steps(FittedModel& model, const FitFolder& folder, const FitTask& task,
                           const FitOptions& options) {
  TrainingLoop loop(model.model->session(), model.model->train_spec(),
                    training_options(model, folder, task, options));
  return loop.run(*task.data.batches);
}

}  // namespace thalweg
