// Which feature columns a model of a table gets, when nobody declares them.
#pragma once

#include "cli/table_models.h"
#include "cli/table_task.h"
#include "thalweg/estimator/guess_schema.h"

namespace thalweg::cli {

/// By the rows to train on, and the kinds that --types sets. Throws invalid_argument when there is
/// no column to learn from, saying why each is left out.
GuessedSchema guess_features(const data::TableSource& training, const ColumnRoles& roles);

ColumnsFor columns_of(GuessedSchema schema);

/// The models that --model auto compares: trees do not read texts.
std::vector<std::string> candidate_families(const GuessedSchema& schema);

}  // namespace thalweg::cli
