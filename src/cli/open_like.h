// Tables for a model that is there: read with the types that its columns had in training.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cli/data_options.h"
#include "thalweg/estimator/table_estimator.h"

namespace thalweg::cli {

/// Opens DATA; columns of it that are in `types` are read as such, others as is guessed.
std::shared_ptr<const data::TableSource> open_like(
    const DataOptions& source, const std::map<std::string, data::ColumnType>& types);

/// The same for a model. Throws invalid_argument naming its columns when DATA is a folder.
std::shared_ptr<const data::TableSource> open_for_model(const DataOptions& source,
                                                        const TableEstimator& model,
                                                        const std::vector<std::string>& ids);

}  // namespace thalweg::cli
