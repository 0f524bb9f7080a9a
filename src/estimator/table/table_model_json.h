// A TableModel as JSON of model.json: family, options, columns.
#pragma once

#include "estimator/json_text.h"
#include "thalweg/estimator/table_estimator.h"

namespace thalweg {

Json from_table_model(const TableModel& model);
/// A Custom has no function then. Throws invalid_argument naming the field.
TableModel to_table_model(const Json& json);

}  // namespace thalweg
