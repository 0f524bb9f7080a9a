#include "cli/fit_steps.h"

#include <algorithm>
#include <csignal>
#include <ostream>

#include "cli/paths.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"

namespace thalweg::cli {

ProgressOptions progress_options(const FitArguments& a, const Console& console) {
  if (!console.is_process || a.no_progress || a.common.quiet) return {.mode = ProgressMode::kNone};
  const std::string when = a.common.when_color();
  return {.color = when == "always"  ? ColorMode::kAlways
                   : when == "never" ? ColorMode::kNever
                                     : ColorMode::kAuto};
}

OptionNames option_names() {
  return {.resume = "--resume",
          .overwrite = "--overwrite",
          .epochs = "--epochs",
          .patience = "--patience",
          .learning_rate = "--learning-rate"};
}

std::string resume_command(const Console& console, int64_t epochs) {
  std::vector<std::string> words = {"thalweg"};
  for (size_t i = 0; i < console.arguments.size(); ++i) {
    const std::string& word = console.arguments[i];
    if (word == "--overwrite" || word == "--resume") continue;
    if (epochs > 0 && word == "--epochs") {
      ++i;
      continue;
    }
    if (epochs > 0 && word.starts_with("--epochs=")) continue;
    words.push_back(word);
  }
  words.emplace_back("--resume");
  if (epochs > 0) {
    words.emplace_back("--epochs");
    words.push_back(str(epochs));
  }
  return shell_command(words);
}

std::string full_command(const Console& console) {
  std::vector<std::string> words = {"thalweg"};
  words.insert(words.end(), console.arguments.begin(), console.arguments.end());
  return shell_command(words);
}

void say_nothing_left(const TrainResult& result, int64_t epochs, const Console& console) {
  console.err << "to go on: "
              << (result.limit == "epochs"
                      ? resume_command(console, std::min(2 * epochs, kMostEpochs))
                      : "a larger --patience, or 0")
              << '\n';
}

std::string farewell(const FitArguments& a, const Console& console) {
  const bool replaces = a.overwrite && is_model_folder(*a.out);
  return str("\nended at once: what was trained since the last checkpoint is lost",
             replaces ? str("; the model in '", *a.out,
                            "' is as it was, and what was saved of the new one is in '",
                            join_path(*a.out, kReplacementFolder), "'")
                      : std::string(),
             "\ngo on with: ", resume_command(console, 0), "\n");
}

void say_interrupted(const FitArguments& a, const FitReport& report, const Console& console) {
  if (!report.kept_aside.empty()) {
    console.err << "the model in '" << *a.out << "' is as it was; the new one is kept in '"
                << report.kept_aside << "' as far as it was trained\n"
                << "give it up with: " << shell_command({"rm", "-r", report.kept_aside})
                << "\nput it in the old one's place, and go on, with: "
                << resume_command(console, 0) << '\n';
    return;
  }
  if (a.overwrite && report.training.last_checkpoint.empty()) {
    console.err << "'" << *a.out << "' is as it was; begin again with: " << full_command(console)
                << '\n';
    return;
  }
  console.err << "go on with: " << resume_command(console, 0) << '\n';
}

std::optional<TrainingLock> lock_folder(const FitArguments& a) {
  std::optional<TrainingLock> lock;
  if (!a.out || a.dry_run || !is_folder(*a.out)) return lock;
  check_model_files(*a.out);
  try {
    check_free_for_model(*a.out);
  } catch (const Error& error) {
    if (error.code() == Code::kAlreadyExists) throw UsageError(str("--out ", error.message()));
    throw;
  }
  lock.emplace(*a.out);
  return lock;
}

Resumed find_training(const FitArguments& a, const TrainingLock* lock, const Console& console) {
  if (a.dry_run && !a.out) return {};
  Resumed resumed;
  if (a.resume && lock != nullptr && take_over_replacement(*lock)) {
    resumed.taken_over = true;
    console.notice(str("going on with the training that was to replace the model in '", *a.out,
                       "' and was ended; it replaces it now"));
  }
  const bool exists = is_model_folder(*a.out);
  if (a.resume && !exists) {
    console.notice(str("'", *a.out, "' holds no model to go on with: starting anew"));
  }
  if (a.resume && exists) {
    resumed.record = read_model_record(*a.out);
    return resumed;
  }
  if (!exists || a.overwrite || a.dry_run) return {};
  if (is_untrained(*a.out)) {
    console.notice(str("the last training in '", *a.out,
                       "' ended before it saved anything; this one begins ", "anew"));
    return {};
  }
  throw UsageError(str("'", *a.out, "' holds a model: --overwrite replaces it, --resume goes on ",
                       holds_replacement(*a.out)
                           ? "with a training that was to replace it and was ended before it could"
                           : "with its training",
                       "; or choose another folder"));
}

void say_late_signal(int signal, const Console& console) {
  console.notice(str(signal == SIGINT   ? "Ctrl-C"
                     : signal == SIGHUP ? "SIGHUP"
                                        : "SIGTERM",
                     " came when the training was over; the model is saved"));
}

}  // namespace thalweg::cli
