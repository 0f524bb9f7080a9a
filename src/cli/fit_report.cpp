#include "cli/fit_report.h"

#include <sys/resource.h>

#include <cmath>
#include <optional>

#include "cli/json.h"
#include "cli/text.h"
#include "thalweg/base/file.h"
#include "thalweg/base/printable.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {
namespace {

constexpr int64_t kMiB = 1 << 20;

int64_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<int64_t>(usage.ru_maxrss) * 1024;
}

std::string environment_text(const RunRecord& run) {
  const auto value = [&](const char* key) {
    const auto found = run.environment.find(key);
    return found == run.environment.end() ? std::string("?") : found->second;
  };
  return str("thalweg ", value("thalweg"), ", oneDNN ", value("oneDNN"), ", ", value("simd"));
}

std::string split_text(const RunRecord& run, bool is_classifier) {
  if (run.validation_rows == 0) return str(counted(run.training_rows, "row"), ", none to validate");
  return str(counted(run.training_rows, "row"), " to train, ", grouped(run.validation_rows),
             " to validate (drawn at random by the seed",
             is_classifier ? ", of each class alike)" : ")");
}

std::optional<double> figure_of(const std::vector<Figure>& figures, std::string_view name) {
  for (const Figure& figure : figures) {
    if (figure.name == name) return figure.value;
  }
  return {};
}

// What follows of the mean squared error, which is all that is counted while a regressor trains.
// `baseline`: of the same rows; null when of others.
std::vector<Figure> completed(std::vector<Figure> figures, const std::vector<Figure>* baseline) {
  const auto error = figure_of(figures, "mse");
  if (!error) return figures;
  if (!figure_of(figures, "rmse")) figures.push_back({"rmse", std::sqrt(*error)});
  if (baseline == nullptr || figure_of(figures, "r2")) return figures;
  const auto mean_error = figure_of(*baseline, "mse"), mean_r2 = figure_of(*baseline, "r2");
  if (!mean_error || !mean_r2 || !std::isfinite(*mean_r2) || *mean_error <= 0) return figures;
  const double spread = *mean_error / (1 - *mean_r2);
  figures.push_back({"r2", 1 - *error / spread});
  return figures;
}

std::vector<Figure> training_figures(const FitFacts& facts, const RunRecord& run) {
  const FitReport& report = facts.report;
  return completed(report.train, run.validation_rows > 0 ? nullptr : &report.baseline);
}

std::vector<Figure> validation_figures(const FitFacts& facts) {
  return completed(facts.report.validation, &facts.report.baseline);
}

}  // namespace

std::string classes_with_counts(const LabelSpec& label) {
  std::string text;
  for (size_t i = 0; i < label.class_names.size(); ++i) {
    append(text, str(i == 0 ? "" : ", ", printable(label.class_names[i])));
    if (i < label.class_counts.size()) append(text, str(" ", grouped(label.class_counts[i])));
  }
  return text;
}

std::string report_text(const FitFacts& facts, const ModelRecord& record) {
  const RunRecord& run = record.run;
  const TrainResult& training = facts.report.training;
  const bool is_classifier = record.kind == "classifier";
  std::string text = str("Data      ", facts.data, ": ", split_text(run, is_classifier), "\n");
  if (!record.input.columns.empty()) {
    append(text, str("Columns   ", listed(record.input.columns), "; label ",
                     printable(record.label.column), "\n"));
  }
  if (is_classifier) append(text, str("Classes   ", classes_with_counts(record.label), "\n"));
  append(text, str("Model     ", facts.network, ": ", record.kind, " with ",
                   counted(run.parameters, "parameter"), "; ", record.optimizer, "; batch size ",
                   run.batch_size, "\n"));
  append(text, str("Training  ",
                   training.reason == EndReason::kNothingLeft
                       ? str("was over before, after ", counted(training.steps, "step"))
                       : training.message,
                   "\n          ", duration(run.seconds), " in all"));
  if (training.examples_per_second > 0) {
    append(text, str(", ", duration(training.step_seconds), " of it in steps at ",
                     grouped(static_cast<int64_t>(training.examples_per_second)),
                     " examples a second (the rest: beginning, validating, saving)"));
  }
  append(text, str("; peak memory ", peak_memory() / kMiB, " MiB; seed ", run.seed, ", threads ",
                   run.threads, "\n          ", environment_text(run), "\n"));
  if (training.best) {
    append(text, str("Weights   of step ", training.best->step, " of ", training.steps,
                     ": the best ", run.validation_rows > 0 ? "validation " : "", "loss\n"));
  }
  append(text, "\n");
  append(text, figure_table({{"training", training_figures(facts, run)},
                             {"validation", validation_figures(facts)},
                             {"test", facts.test ? facts.test->metrics : std::vector<Figure>()},
                             {"baseline", facts.report.baseline}}));
  append(text, str("(training: while it went on; baseline: always ",
                   is_classifier ? "the commonest class" : "the mean", ")\n\n"));
  append(text,
         str("Model     ", facts.folder, "\nBoard     tensorboard --logdir ",
             join_path(facts.folder, kEventsFolder), "\nNext      ", facts.next_command, "\n"));
  return text;
}

std::string report_json(const FitFacts& facts, const ModelRecord& record) {
  const RunRecord& run = record.run;
  const TrainResult& training = facts.report.training;
  Json metrics = {{"train", figures_to_json(training_figures(facts, run))},
                  {"validation", figures_to_json(validation_figures(facts))}};
  if (facts.test) metrics["test"] = figures_to_json(facts.test->metrics);
  metrics["baseline"] = figures_to_json(facts.report.baseline);
  Json json = {{"schema", kJsonSchema},
               {"verb", "fit"},
               {"model", facts.folder},
               {"events", join_path(facts.folder, kEventsFolder)},
               {"kind", record.kind},
               {"state", to_string(training.reason)},
               {"message", training.message},
               {"data",
                {{"path", facts.data},
                 {"fingerprint", run.data_fingerprint},
                 {"training_rows", run.training_rows},
                 {"validation_rows", run.validation_rows},
                 {"columns", record.input.columns},
                 {"label", record.label.column},
                 {"classes", record.label.class_names},
                 {"class_counts", record.label.class_counts}}},
               {"network", facts.network},
               {"parameters", run.parameters},
               {"optimizer", record.optimizer},
               {"batch_size", run.batch_size},
               {"metrics", metrics},
               {"epochs", training.epochs},
               {"steps", training.steps},
               {"best_step", training.best ? Json(training.best->step) : Json(nullptr)},
               {"seconds", run.seconds},
               {"step_seconds", training.step_seconds},
               {"examples_per_second", training.examples_per_second},
               {"peak_memory", peak_memory()},
               {"seed", run.seed},
               {"threads", run.threads},
               {"command", run.command},
               {"environment", run.environment}};
  return dump(json);
}

}  // namespace thalweg::cli
