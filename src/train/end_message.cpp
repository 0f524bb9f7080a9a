#include "train/end_message.h"

#include <csignal>

#include "thalweg/base/strings.h"
#include "train/progress_text.h"

namespace thalweg {

std::string_view to_string(EndReason reason) {
  switch (reason) {
    case EndReason::kFinished: return "finished";
    case EndReason::kStoppedEarly: return "stopped early";
    case EndReason::kInterrupted: return "interrupted";
    case EndReason::kNothingLeft: return "nothing left to do";
  }
  return "unknown";
}

namespace train {
namespace {

int64_t value_of(const TrainingOptions& options, std::string_view limit) {
  if (limit == "epochs") return options.epochs.value_or(0);
  if (limit == "max_steps") return options.max_steps.value_or(0);
  return options.early_stopping.patience;
}

std::string monitored(const TrainingOptions& options) {
  return str(options.validation ? "validation " : "", options.early_stopping.metric);
}

std::string name_of(const TrainingOptions& options, std::string_view limit) {
  if (limit == "epochs") return options.names.epochs;
  return limit == "patience" ? options.names.patience : std::string(limit);
}

std::string_view name_of_signal(int signal) {
  if (signal == SIGINT) return "Ctrl-C (SIGINT)";
  return signal == SIGHUP ? "SIGHUP" : "SIGTERM";
}

std::string saved_text(const TrainResult& result, const TrainingOptions& options) {
  if (options.saving.folder.empty()) return "nothing was saved, as no checkpoint folder is set";
  if (result.last_checkpoint.empty()) return "no step was made, so there is nothing to save";
  return str("the state is saved in '", result.last_checkpoint, "', from which ",
             options.names.resume, " goes on");
}

}  // namespace

std::string end_message(const TrainResult& result, const TrainingOptions& options, int64_t epoch) {
  const std::string at = str("at step ", result.steps, " of epoch ", epoch);
  switch (result.reason) {
    case EndReason::kFinished:
      if (result.limit.empty()) return str("stopped ", at, " as a hook asked for it");
      return str("finished: ", result.limit, " ", value_of(options, result.limit),
                 " reached after ", counted(result.steps, "step"));
    case EndReason::kStoppedEarly:
      return str("stopped early after epoch ", result.epochs, ": ", monitored(options),
                 " has not improved for ", counted(options.early_stopping.patience, "evaluation"),
                 result.best ? str("; best ", result.best->value, " at step ", result.best->step)
                             : std::string());
    case EndReason::kInterrupted:
      return str("interrupted by ", name_of_signal(result.signal), " ", at, "; ",
                 saved_text(result, options));
    case EndReason::kNothingLeft:
      return str("nothing left to do: the training has made ", counted(result.steps, "step"),
                 " in ", counted(result.epochs, "epoch"), ", and ", result.limit, " is ",
                 value_of(options, result.limit), "; raise ", name_of(options, result.limit),
                 " to go on");
  }
  return {};
}

}  // namespace train
}  // namespace thalweg
