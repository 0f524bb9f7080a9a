// thalweg fit DATA --out MODEL
#include <algorithm>
#include <csignal>
#include <ostream>

#include "cli/fit_report.h"
#include "cli/fit_settings.h"
#include "cli/paths.h"
#include "cli/text.h"
#include "cli/verbs.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/printable.h"
#include "thalweg/estimator/model_folder.h"
#include "thalweg/estimator/network_file.h"
#include "thalweg/nn/summary.h"
#include "thalweg/train/signals.h"

namespace thalweg::cli {
namespace {

constexpr int kSignalStatus = 128;

ProgressOptions progress_options(const FitArguments& a, const Console& console) {
  if (!console.is_process || a.no_progress || a.common.quiet) return {.mode = ProgressMode::kNone};
  const std::string when = a.common.when_color();
  return {.color = when == "always"  ? ColorMode::kAlways
                   : when == "never" ? ColorMode::kNever
                                     : ColorMode::kAuto};
}

// The command that goes on: as it was given, but with --resume, and `epochs` if not 0.
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

// What was found in the data, and what would be trained on it.
std::string dry_run_text(const FitArguments& a, const TrainingData& data, const ModelData* test,
                         const FitPlan& plan) {
  InputSpec input = InputSpec::of(data.data.spec()[0]);
  std::string text = str("Data      ", a.source.path, ": ", counted(data.rows, "row"), " of ",
                         input.dtype, input.shape, "\n");
  if (test != nullptr) {
    append(text, str("Test      ", counted(test->features.dim(0), "row"), "\n"));
  }
  if (!data.columns.empty()) {
    append(text, str("Columns   ", listed(data.columns), "; label ", printable(data.label), "\n"));
  }
  if (data.is_classification) {
    append(text, str("Classes   ", data.classes, data.class_names.empty() ? "" : ": ",
                     listed(data.class_names), "\n"));
  }
  append(text, str("Model     ", plan.network, ", a ",
                   data.is_classification ? "classifier" : "regressor", "; ",
                   counted(plan.options.epochs, "epoch"), ", ", plan.options.validation_split,
                   " of the rows to validate\n\n"));
  return text +
         summary(parse_network(plan.network_json, 1), input.network_shape(), input.network_dtype());
}

// Says that there was nothing to do, and which option goes on.
void say_nothing_left(const TrainResult& result, int64_t epochs, const Console& console) {
  console.err << "to go on: "
              << (result.limit == "epochs"
                      ? resume_command(console, std::min(2 * epochs, kMostEpochs))
                      : "a larger --patience, or 0")
              << '\n';
}

// What a second signal says at last.
std::string farewell(const FitArguments& a, const Console& console) {
  const bool replaces = a.overwrite && is_model_folder(*a.out);
  return str("\nended at once: what was trained since the last checkpoint is lost",
             replaces ? str("; the model in '", *a.out,
                            "' is as it was, and what was saved of the new one is in '",
                            join_path(*a.out, kReplacementFolder), "'")
                      : std::string(),
             "\ngo on with: ", resume_command(console, 0), "\n");
}

// Says what became of the training and of the model that was there, and how to go on.
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

// The model folder for the time before the training, which holds it for itself; none is made before
// the data were read.
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

std::optional<ModelRecord> record_to_resume(const FitArguments& a, const TrainingLock* lock,
                                            const Console& console) {
  if (a.dry_run && !a.out) return {};
  if (a.resume && lock != nullptr && take_over_replacement(*lock)) {
    console.notice(str("going on with the training that was to replace the model in '", *a.out,
                       "' and was ended; it replaces it now"));
  }
  const bool exists = is_model_folder(*a.out);
  if (a.resume && !exists) {
    console.notice(str("'", *a.out, "' holds no model to go on with: starting anew"));
  }
  if (a.resume && exists) return read_model_record(*a.out);
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

// The model is there whatever becomes of its measuring.
EvaluationReport evaluate_test(const FitArguments& a, Estimator& model, const ModelData& test) {
  try {
    return model.evaluate(test.features, test.labels);
  } catch (const Error& error) {
    throw Error(error.code(), str("the model is saved in '", *a.out, "', but the test set of '",
                                  a.source.path, "' could not be evaluated: ", error.message()));
  }
}

}  // namespace

int run_fit(const Verb& verb, const std::vector<std::string>& arguments, Console& console) {
  FitArguments a;
  Options options(verb);
  a.declare(options);
  if (!options.parse(arguments)) {
    console.out << options.help();
    return kDone;
  }
  a.check();
  a.common.apply(console);
  std::optional<TrainingLock> lock = lock_folder(a);
  const std::optional<ModelRecord> old = record_to_resume(a, lock ? &*lock : nullptr, console);
  const TrainingData data = open_training_data(a.source, a.request, old ? &*old : nullptr, console);
  FitPlan plan = plan_fit(a, data, old ? &*old : nullptr);
  std::optional<ModelData> test;
  if (has_test_files(a.source.path)) test = open_test_data(a.source.path, data);
  if (a.dry_run) {
    console.print(dry_run_text(a, data, test ? &*test : nullptr, plan));
    return kDone;
  }
  plan.options.resume = plan.options.resume || a.resume;
  plan.options.progress = progress_options(a, console);
  plan.options.command = full_command(console);
  FitFacts facts{.folder = *a.out, .data = a.source.path, .network = plan.network};
  // Beyond the training, so that a second Ctrl-C means the same until the last line is out.
  std::optional<ScopedSignals> signals(std::in_place);
  ScopedSignals::set_farewell(farewell(a, console));
  lock.reset();
  facts.report = plan.model->fit(data.data, plan.options);
  const TrainResult& result = facts.report.training;
  const bool is_told = plan.options.progress.mode != ProgressMode::kNone;
  if (result.reason == EndReason::kInterrupted) {
    if (!is_told) console.notice(result.message);
    say_interrupted(a, facts.report, console);
    return kSignalStatus + result.signal;
  }
  if (result.signal != 0) {
    console.notice(str(result.signal == SIGINT   ? "Ctrl-C"
                       : result.signal == SIGHUP ? "SIGHUP"
                                                 : "SIGTERM",
                       " came when the training was over; the model is saved"));
  }
  signals.reset();
  if (result.reason == EndReason::kNothingLeft && !is_told) console.notice(result.message);
  if (result.reason == EndReason::kNothingLeft) {
    say_nothing_left(result, plan.options.epochs, console);
  }
  if (result.signal == 0 && test) facts.test = evaluate_test(a, *plan.model, *test);
  facts.next_command =
      shell_command({"thalweg", data.is_images ? "evaluate" : "predict", *a.out, a.source.path});
  if (a.common.json) {
    console.out << report_json(facts, plan.model->record());
  } else {
    console.print(report_text(facts, plan.model->record()));
  }
  return result.signal == 0 ? kDone : kSignalStatus + result.signal;
}

}  // namespace thalweg::cli
