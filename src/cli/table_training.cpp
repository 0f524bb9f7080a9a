#include "cli/table_training.h"

#include <cmath>
#include <filesystem>
#include <ostream>

#include "cli/text.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"

namespace thalweg::cli {
namespace {

// In the model folder, while candidates are trained.
constexpr std::string_view kStage = ".candidates";

void remove_folder(const std::string& path) {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

// Gone at the end, however it comes.
class Stage {
 public:
  explicit Stage(const std::string& model_folder) : path_(join_path(model_folder, kStage)) {
    remove_folder(path_);
  }
  ~Stage() { remove_folder(path_); }
  Stage(const Stage&) = delete;
  std::string place(const std::string& family) const { return join_path(path_, family); }

 private:
  std::string path_;
};

// Moves a finished model to where a replacement would be, from where it takes the old one's place
// in the way that survives a kill.
void put_in_place(const TrainingLock& lock, const std::string& from) {
  const std::string replacement = join_path(lock.folder(), kReplacementFolder);
  remove_folder(replacement);
  std::error_code error;
  std::filesystem::rename(from, replacement, error);
  if (error) {
    throw unavailable("cannot move '", from, "' to '", replacement, "': ", error.message());
  }
  THALWEG_CHECK(take_over_replacement(lock), "no model in ", replacement);
}

TableFitFacts::Candidate candidate_of(const TrainedModel& trained, const std::string& metric) {
  TableFitFacts::Candidate candidate{.name = trained.family,
                                     .about = describe_model(trained.arguments, trained.family)};
  candidate.seconds = trained.report.training.seconds;
  const EvaluationReport& report = *trained.validation;
  for (const Figure& f : report.metrics) {
    const bool is_shown = f.name == metric || f.name == "accuracy" || f.name == "auc" ||
                          f.name == "mae" || f.name == "r2";
    if (is_shown && std::isfinite(f.value)) candidate.validation.push_back(f);
  }
  return candidate;
}

TableFitFacts::Candidate baseline_candidate(const TrainedModel& trained,
                                            const TableFitFacts::Candidate& like) {
  TableFitFacts::Candidate candidate{.name = "baseline", .about = "guesses without a look"};
  for (const Figure& f : like.validation) {
    candidate.validation.push_back({f.name, figure(trained.validation->baseline, f.name)});
  }
  return candidate;
}

bool is_interrupted(const TrainedModel& trained) {
  return trained.report.training.reason == EndReason::kInterrupted;
}

}  // namespace

std::string deciding_metric(const TableTask& task) {
  if (task.task == kClassification || task.task == kMultiLabel) return "log_loss";
  if (task.task == kPoisson) return "deviance";
  return task.task == kQuantile ? "pinball" : "rmse";
}

TrainedModel train_model(const TableTraining& training, const std::string& family,
                         const std::string& folder) {
  TrainedModel trained{.family = family, .arguments = training.arguments};
  FitArguments& a = trained.arguments;
  fill_defaults(a, family, training.training->rows().value_or(0));
  trained.model = std::make_unique<TableEstimator>(
      training.task.head, make_table_model(a, family, training.columns),
      TableEstimatorOptions{.batch_size = a.batch_size.value_or(256),
                            .seed = static_cast<uint64_t>(*a.seed),
                            .model_folder = folder,
                            .transform = {.strict = a.strict}});
  FitOptions options = training.options;
  options.validation_split = 0;
  if (a.epochs) options.epochs = *a.epochs;
  options.patience = a.patience.value_or(0);
  trained.report = trained.model->fit(*training.training, options, training.validation.get());
  if (!is_interrupted(trained) && training.validation != nullptr) {
    trained.validation = trained.model->evaluate(*training.validation);
  }
  return trained;
}

TrainedModel resume_model(const TableTraining& training, const std::string& family,
                          TableEstimator model, const ModelRecord& record) {
  TrainedModel trained{.family = family, .arguments = training.arguments};
  FitArguments& a = trained.arguments;
  const bool has_epochs = a.epochs.has_value();
  fill_defaults(a, family, training.training->rows().value_or(0));
  FitOptions options = training.options;
  options.validation_split = 0;
  options.resume = true;
  if (!has_epochs) a.epochs = record.run.epochs;
  options.epochs = *a.epochs;
  options.patience = training.arguments.patience.value_or(record.run.patience);
  trained.model = std::make_unique<TableEstimator>(std::move(model));
  trained.report = trained.model->fit(*training.training, options, training.validation.get());
  return trained;
}

Choice train_candidates(const TableTraining& training, const std::vector<std::string>& families,
                        const std::string& folder) {
  const Console& console = training.console;
  const TrainingLock lock(folder);
  const Stage stage(folder);
  TableTraining candidate = training;
  candidate.options.overwrite = candidate.options.resume = false;
  const auto train = [&](const std::string& family) {
    console.notice(str("candidate ", family, ":"));
    return train_model(candidate, family, stage.place(family));
  };
  Choice choice;
  const std::string metric = deciding_metric(training.task);
  if (training.validation == nullptr) {
    choice.best = train(families.at(0));
    choice.sentence =
        "There are no validation rows to compare candidates on: the first of them was "
        "trained, as it is the simplest.";
  } else {
    TrainedModel first = train(families.at(0)), second;
    if (is_interrupted(first)) return {.best = std::move(first)};
    std::string failure;
    try {
      second = train(families.at(1));
    } catch (const Error& error) {
      if (error.code() != Code::kUnimplemented) throw;
      failure = error.message();
      second = train("dnn");
    }
    if (is_interrupted(second)) return {.best = std::move(second)};
    choice.candidates = {candidate_of(first, metric), candidate_of(second, metric)};
    choice.candidates.push_back(baseline_candidate(first, choice.candidates[0]));
    if (!failure.empty()) {
      choice.candidates.push_back({.name = families[1], .failure = failure});
    }
    const double a = figure(first.validation->metrics, metric),
                 b = figure(second.validation->metrics, metric),
                 guess = figure(first.validation->baseline, metric);
    const bool second_wins = std::isfinite(b) && !(a <= b);
    choice.sentence =
        str(second_wins ? second.family : first.family, " was chosen, as its ", metric,
            " on the validation rows is ", short_number(second_wins ? b : a), ", that of ",
            second_wins ? first.family : second.family, " ", short_number(second_wins ? a : b),
            ", that of the baseline ", short_number(guess), " (smaller is better).");
    if (!(std::min(a, b) < guess)) {
      console.warning(str("neither candidate is better than the baseline in ", metric,
                          ": the columns seem to say nothing of the label"));
    }
    choice.best = second_wins ? std::move(second) : std::move(first);
  }
  if (!is_interrupted(choice.best)) {
    const bool replaced = is_model_folder(folder);
    put_in_place(lock, stage.place(choice.best.family));
    choice.best.report.replaced = replaced;
  }
  return choice;
}

}  // namespace thalweg::cli
