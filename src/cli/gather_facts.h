// Facts of a training on a table, out of what the library reports.
#pragma once

#include <optional>

#include "cli/report/table_facts.h"
#include "cli/table_survey.h"
#include "cli/table_task.h"
#include "thalweg/estimator/guess_schema.h"
#include "thalweg/estimator/table_estimator.h"

namespace thalweg::cli {

/// What was known before the training.
struct FitContext {
  const data::TableSource& table;
  const ColumnRoles& roles;
  const TableSurvey& survey;
  const TableTask& task;
  const RowSplit& split;
  const GuessedSchema& schema;
  std::optional<std::string> validation_file;
};

/// Measured after it.
struct Measured {
  EvaluationReport training;
  std::optional<EvaluationReport> validation;
  std::optional<EvaluationReport> test;
};

/// Data, columns, classes and split; also for --dry-run, without `transform`.
void add_data_facts(const FitContext& context, const Transform* transform, TableFitFacts& facts);
/// Metrics, classes, confusion and curves: of the validation rows, or without those of training.
void add_result_facts(const Measured& measured, TableFitFacts& facts);
/// Seed, threads, versions, memory, and times.
void add_record_facts(const ModelRecord& record, TableFitFacts& facts);

}  // namespace thalweg::cli
