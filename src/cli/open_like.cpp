#include "cli/open_like.h"

#include "thalweg/base/error.h"

namespace thalweg::cli {
namespace {

using data::ColumnType;

// Whether cells read as `found` may read otherwise as `wanted`: a whole number is the same real
// number, and the same text.
bool matters(ColumnType found, ColumnType wanted) {
  return found != wanted && found != ColumnType::kInteger;
}

}  // namespace

std::shared_ptr<const data::TableSource> open_like(const DataOptions& source,
                                                   const std::map<std::string, ColumnType>& types) {
  auto table = open_data(source, {});
  std::map<std::string, ColumnType> known;
  bool differs = false;
  for (const data::ColumnInfo& column : table->columns()) {
    const auto found = types.find(column.name);
    if (found == types.end()) continue;
    // A real number in a file where all happened to be whole in training is no mistake.
    const ColumnType wanted =
        found->second == ColumnType::kInteger ? ColumnType::kReal : found->second;
    if (wanted == ColumnType::kReal && column.type != ColumnType::kText) continue;
    known[column.name] = wanted;
    differs = differs || matters(column.type, wanted);
  }
  if (!differs || source.path == "-") return table;
  data::TableOptions options = source.table_options();
  options.types = known;
  return data::open_table(source.path, options);
}

std::shared_ptr<const data::TableSource> open_for_model(const DataOptions& source,
                                                        const TableEstimator& model,
                                                        const std::vector<std::string>& ids) {
  if (!is_table(source.path)) {
    std::vector<std::string> columns;
    for (const RawInput& input : model.transform().inputs()) columns.push_back(input.column);
    throw invalid_argument("'", source.path, "': is a folder, but the model was trained on a ",
                           "table with the columns ", join(columns, ", "));
  }
  std::map<std::string, ColumnType> types = model.transform().types();
  for (const std::string& id : ids) types[id] = ColumnType::kText;
  return open_like(source, types);
}

}  // namespace thalweg::cli
