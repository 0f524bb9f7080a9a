#include "cli/table_model_folder.h"

#include "cli/config_file.h"
#include "cli/json.h"
#include "cli/report/table_facts.h"
#include "cli/table_models.h"
#include "cli/what_is.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"

namespace thalweg::cli {

bool is_table_model(const std::string& folder) {
  check_is_model(folder);
  return read_model_record(folder).kind == kTableKind;
}

TableEstimator load_table_model(const std::string& folder) {
  const std::string network = join_path(folder, kNetworkFile);
  const bool has_network =
      file_exists(network) && family_of_model(read_model_record(folder)) == "custom";
  if (!has_network) return TableEstimator::load(folder);
  return TableEstimator::load(folder, make_file_model(network, {}, NamedOptimizer{}));
}

std::string family_of_model(const ModelRecord& record) {
  if (!record.table) return {};
  const Json json = Json::parse(record.table->model, nullptr, false);
  if (!json.is_object() || !json.contains("family") || !json["family"].is_string()) return {};
  return json["family"];
}

std::vector<std::string> id_columns(const std::string& folder) {
  const std::string file = join_path(folder, kConfigFile);
  if (!file_exists(file)) return {};
  for (const ConfigEntry& entry : read_config(file)) {
    if (entry.key == "ids") return entry.values;
  }
  return {};
}

}  // namespace thalweg::cli
