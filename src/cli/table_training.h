// Trains the models of a table: one, or candidates of which the best is kept.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/fit_arguments.h"
#include "cli/report/table_facts.h"
#include "cli/table_models.h"
#include "cli/table_task.h"
#include "thalweg/estimator/model_folder.h"
#include "thalweg/estimator/table_estimator.h"

namespace thalweg::cli {

/// What all models of one call share.
struct TableTraining {
  FitArguments arguments;  // without defaults of a family
  const TableTask& task;
  ColumnsFor columns;
  std::shared_ptr<const data::TableSource> training;
  std::shared_ptr<const data::TableSource> validation;  // null: none
  FitOptions options;
  const Console& console;
};

struct TrainedModel {
  std::string family;
  FitArguments arguments;  // with the family's defaults
  std::unique_ptr<TableEstimator> model;
  FitReport report;
  std::optional<EvaluationReport> validation;
};

/// Trains one model and saves it in `folder` (empty: nowhere).
TrainedModel train_model(const TableTraining& training, const std::string& family,
                         const std::string& folder);

/// Goes on with the training of `model`, of which `record` is.
TrainedModel resume_model(const TableTraining& training, const std::string& family,
                          TableEstimator model, const ModelRecord& record);

struct Choice {
  TrainedModel best;
  std::vector<TableFitFacts::Candidate> candidates;
  std::string sentence;  // which was chosen and why
};
/// Trains `families`, two (a network instead of trees, where there is no library for them), and
/// keeps in `folder` the one with the better figure on the validation rows. An older model there
/// stays until then. A signal ends it: then the best so far is one whose training was interrupted,
/// and the folder is as before.
Choice train_candidates(const TableTraining& training, const std::vector<std::string>& families,
                        const std::string& folder);

/// Which figure decides between models: "log_loss", "rmse", ...; smaller is better.
std::string deciding_metric(const TableTask& task);

}  // namespace thalweg::cli
