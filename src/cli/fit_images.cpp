// thalweg fit of a folder of images; and of a table, to go on with a model that an older version
// trained on it.
#include <ostream>

#include "cli/fit_report.h"
#include "cli/fit_settings.h"
#include "cli/fit_steps.h"
#include "cli/options.h"
#include "cli/report/table_facts.h"
#include "cli/text.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/printable.h"
#include "thalweg/estimator/network_file.h"
#include "thalweg/nn/summary.h"
#include "thalweg/train/signals.h"

namespace thalweg::cli {
namespace {

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

// The model is there whatever becomes of its measuring.
EvaluationReport evaluate_test(const FitArguments& a, Estimator& model, const ModelData& test) {
  try {
    return model.evaluate(test.features, test.labels);
  } catch (const Error& error) {
    throw Error(error.code(), str("the model is saved in '", *a.out, "', but the test set of '",
                                  a.source.path, "' could not be evaluated: ", error.message()));
  }
}

// What is no folder of images is told before options that do not fit one.
void check_holds_images(const std::string& folder) {
  for (const std::string& name : list_folder(folder)) {
    if (name.find("-images") != std::string::npos) return;
  }
  throw invalid_argument("'", folder, "' is a folder without images in MNIST's layout (",
                         "train-images-idx3-ubyte, ...); a table is a file");
}

// The options in effect, to do it again. The model is there whatever becomes of it.
void save_config(FitArguments& a, const Options& options, const FitPlan& plan,
                 const Console& console) {
  const RunRecord& run = plan.model->record().run;
  a.epochs = plan.options.epochs;
  a.batch_size = run.batch_size;
  a.seed = static_cast<int64_t>(run.seed);
  a.validation_split = run.validation_split;
  if (!a.resume) a.network = plan.network;
  try {
    write_file(join_path(*a.out, kConfigFile), options.to_toml(kOptionsOfOneCall));
  } catch (const Error& error) {
    console.warning(str("the model is saved, but not its options: ", error.message()));
  }
}

}  // namespace

int fit_images(FitArguments& a, Options& options, std::optional<TrainingLock> lock,
               const Resumed& resumed, Console& console) {
  if (!is_table(a.source.path)) {
    check_holds_images(a.source.path);
    a.check_is_for_images(options);
  }
  const ModelRecord* old = resumed.record ? &*resumed.record : nullptr;
  const TrainingData data = open_training_data(a.source, a.request, old, console);
  FitPlan plan = plan_fit(a, data, old);
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
    say_late_signal(result.signal, console);
  }
  signals.reset();
  if (result.reason == EndReason::kNothingLeft && !is_told) console.notice(result.message);
  if (result.reason == EndReason::kNothingLeft) {
    say_nothing_left(result, plan.options.epochs, console);
  }
  if (result.signal == 0 && test) facts.test = evaluate_test(a, *plan.model, *test);
  facts.next_command =
      shell_command({"thalweg", data.is_images ? "evaluate" : "predict", *a.out, a.source.path});
  save_config(a, options, plan, console);
  if (a.common.json) {
    console.out << report_json(facts, plan.model->record());
  } else {
    console.print(report_text(facts, plan.model->record()));
  }
  return result.signal == 0 ? kDone : kSignalStatus + result.signal;
}

}  // namespace thalweg::cli
