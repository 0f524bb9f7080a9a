#include "cli/table_report.h"

#include <algorithm>

#include "cli/report/fit_document.h"
#include "cli/spread.h"
#include "cli/text.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"

namespace thalweg::cli {
namespace {

// Rows that figures of the training part and the importance of columns are measured on at most.
constexpr int64_t kMostMeasuredRows = 20'000;
constexpr size_t kMostTopColumns = 20;

// The first rows: enough to measure by, and no more than fits in memory.
std::shared_ptr<const data::TableSource> first_rows(const data::TableSource& table, int64_t most) {
  const std::optional<Table> rows = table.open()->next(most);
  return data::table_source(rows ? *rows : Table(), table.name());
}

std::string baseline_sentence(const TableTask& task) {
  if (task.task == kClassification) {
    return "always the commonest class, with each class as probable as it is frequent in training";
  }
  if (task.task == kMultiLabel) return "each label as probable as it is frequent in training";
  if (task.task == kQuantile) return "always the quantile of the training rows";
  return "always the mean of the training rows";
}

EvaluationReport measure(const TableEstimator& model, const data::TableSource& rows,
                         std::string_view what, const std::string& folder) {
  try {
    return model.evaluate(rows);
  } catch (const Error& error) {
    throw Error(error.code(), str("the model is saved in '", folder, "', but the ", what,
                                  " could not be evaluated: ", error.message()));
  }
}

std::string training_sentence(const TrainResult& result) {
  if (result.reason != EndReason::kNothingLeft) return result.message;
  return str("The training was over before, after ", counted(result.steps, "step"), ".");
}

}  // namespace

std::string dry_run_text(const FitContext& context, const FitArguments& a,
                         const std::vector<std::string>& families, bool compares) {
  TableFitFacts facts;
  add_data_facts(context, nullptr, facts);
  Document document{.title = {}, .lead = str("Nothing is trained: --dry-run.")};
  DocSection section{.heading = "Data"};
  section.sentences = {str(facts.data, ": ", counted(facts.rows, "row"), ", ",
                           counted(static_cast<int64_t>(facts.columns.size()), "column"))};
  section.sentences.insert(section.sentences.end(), facts.notes.begin(), facts.notes.end());
  for (const std::string& reason : facts.dropped)
    section.sentences.push_back("left out: " + reason);
  section.sentences.push_back(str("Task: ", facts.task, " of ", listed(facts.labels),
                                  facts.task_reason.empty() ? "" : ", " + facts.task_reason));
  section.sentences.push_back(str("Split: ", facts.split));
  section.tables.push_back(columns_table(facts));
  document.sections.push_back(section);
  if (context.task.has_classes) {
    DocTable table{.header = {"class", "rows"}};
    for (const auto& [name, count] : context.survey.labels[0].counts) {
      table.rows.push_back({name, grouped(count)});
    }
    document.sections.push_back({.heading = "Classes", .tables = {table}});
  }
  DocSection model{.heading = "Model"};
  if (compares) {
    model.sentences.push_back(
        str("Candidates, compared by ", deciding_metric(context.task), " on the validation rows:"));
  }
  for (const std::string& name : families) {
    FitArguments filled = a;
    fill_defaults(filled, name, context.split.training);
    model.sentences.push_back(describe_model(filled, name));
  }
  document.sections.push_back(model);
  return render_text(document);
}

TableFitFacts report_training(const FitContext& context, const TableTraining& training,
                              const Choice& choice, const data::TableSource* test,
                              const std::string& folder) {
  const TrainedModel& best = choice.best;
  TableFitFacts facts{.folder = folder};
  facts.family = best.family;
  add_record_facts(best.model->record(), facts);
  add_data_facts(context, &best.model->transform(), facts);
  facts.model = describe_model(best.arguments, best.family);
  const bool is_solved = best.family == "linear" && best.arguments.solver != "ftrl";
  const bool has_trees = best.family == "boosted-trees" || best.family == "forest";
  facts.step_noun = has_trees ? "tree" : is_solved ? "iteration" : "epoch";
  facts.candidates = choice.candidates;
  facts.choice = choice.sentence;
  facts.training_message = training_sentence(best.report.training);
  facts.baseline = baseline_sentence(context.task);
  const auto sample = first_rows(*training.training, kMostMeasuredRows);
  Measured measured{.training = measure(*best.model, *sample, "training rows", folder)};
  if (context.split.training > kMostMeasuredRows) {
    append(facts.training_message, str(facts.training_message.ends_with('.') ? "" : ".",
                                       " Training figures are those of the first ",
                                       grouped(kMostMeasuredRows), " training rows."));
  }
  measured.validation = best.validation;
  if (!measured.validation && training.validation) {
    measured.validation = measure(*best.model, *training.validation, "validation rows", folder);
  }
  if (test != nullptr) measured.test = measure(*best.model, *test, "test rows", folder);
  if (measured.validation) facts.validation_rows = measured.validation->examples;
  add_result_facts(measured, facts);
  const Table rows = training.validation
                         ? first_rows(*training.validation, kMostMeasuredRows)->read_all()
                         : sample->read_all();
  add_spreads(*best.model, context.task, rows, facts);
  if (best.family != "baseline") {
    facts.top_columns = best.model->permutation_importance(rows);
    if (facts.top_columns.size() > kMostTopColumns) facts.top_columns.resize(kMostTopColumns);
  }
  return facts;
}

void write_reports(const TableFitFacts& facts, const std::string& config, const Console& console) {
  const auto write = [&](std::string_view name, const std::string& text) {
    write_file(join_path(facts.folder, name), text);
  };
  try {
    write(kConfigFile, config);
    write(kReportJson, facts_json(facts));
    write(kReportMarkdown, facts_markdown(facts));
    write(kReportHtml, facts_html(facts));
    write(kModelCard, model_card(facts));
  } catch (const Error& error) {
    console.warning(str("the model is saved, but not all of its reports: ", error.message()));
  }
}

}  // namespace thalweg::cli
