// Folders of models of tables, as the verbs find them.
#pragma once

#include <string>
#include <vector>

#include "thalweg/estimator/table_estimator.h"

namespace thalweg::cli {

/// The network file of a model that was fitted with one, in its folder.
inline constexpr std::string_view kNetworkFile = "network.json";

/// Whether `folder` holds a model of tables. Throws, saying what it is, when it holds no model.
bool is_table_model(const std::string& folder);
/// Throws as TableEstimator::load.
TableEstimator load_table_model(const std::string& folder);
/// "linear", "boosted_trees", ...
std::string family_of_model(const ModelRecord& record);

/// Columns that predictions of the model echo: those of `fit --ids`.
std::vector<std::string> id_columns(const std::string& folder);

}  // namespace thalweg::cli
