#include "estimator/table/table_model_json.h"

#include <array>

namespace thalweg {
namespace {

constexpr std::array<std::string_view, 3> kSolvers = {"lbfgs", "ftrl", "sdca"};

Json from_columns(const std::vector<FeatureColumn>& columns) {
  Json json = Json::array();
  for (const FeatureColumn& column : columns) json.push_back(Json::parse(to_json(column)));
  return json;
}

std::vector<FeatureColumn> to_columns(const Json& json, const char* key) {
  const Json& list = json_at(json, key);
  if (!list.is_array()) throw invalid_argument("`", key, "` is ", kind_of(list), ", not a list");
  std::vector<FeatureColumn> columns;
  for (const Json& column : list) columns.push_back(parse_feature_column(column.dump()));
  return columns;
}

// One of one's own is kept for comparison only.
Json from_optimizer(const OptimizerChoice& choice) {
  const auto* named = std::get_if<NamedOptimizer>(&choice);
  if (named == nullptr) return {{"text", to_string(choice)}};
  return {{"name", named->name},
          {"learning_rate", named->learning_rate},
          {"schedule", named->schedule}};
}

OptimizerChoice to_optimizer(const Json& json, const char* key) {
  const Json& object = json_at(json, key);
  NamedOptimizer named;
  if (object.contains("text")) return named;
  named.name = json_field<std::string>(object, "name");
  named.learning_rate = json_field<double>(object, "learning_rate");
  named.schedule = json_field<std::string>(object, "schedule");
  return named;
}

LinearSolver to_solver(const std::string& name) {
  for (size_t i = 0; i < kSolvers.size(); ++i) {
    if (kSolvers[i] == name) return static_cast<LinearSolver>(i);
  }
  throw invalid_argument("`solver` is '", name, "', expected lbfgs, ftrl or sdca");
}

/// One overload a family, both ways.
struct Writer {
  Json operator()(const Baseline&) const { return Json::object(); }
  Json operator()(const Linear& m) const {
    return {{"columns", from_columns(m.columns)},
            {"solver", kSolvers[static_cast<size_t>(m.solver)]},
            {"l1", m.l1},
            {"l2", m.l2},
            {"learning_rate", m.learning_rate},
            {"tolerance", m.tolerance},
            {"most_iterations", m.most_iterations}};
  }
  Json operator()(const Dnn& m) const {
    return {{"columns", from_columns(m.columns)}, {"hidden_units", m.hidden_units},
            {"activation", m.activation},         {"dropout", m.dropout},
            {"batch_norm", m.batch_norm},         {"optimizer", from_optimizer(m.optimizer)}};
  }
  Json operator()(const WideDeep& m) const {
    return {{"linear_columns", from_columns(m.linear_columns)},
            {"dnn_columns", from_columns(m.dnn_columns)},
            {"hidden_units", m.hidden_units},
            {"activation", m.activation},
            {"dropout", m.dropout},
            {"batch_norm", m.batch_norm},
            {"linear_optimizer", from_optimizer(m.linear_optimizer)},
            {"dnn_optimizer", from_optimizer(m.dnn_optimizer)}};
  }
  Json operator()(const BoostedTrees& m) const {
    return {{"columns", from_columns(m.columns)},
            {"trees", m.trees},
            {"max_depth", m.max_depth},
            {"learning_rate", m.learning_rate},
            {"l1", m.l1},
            {"l2", m.l2},
            {"min_child_weight", m.min_child_weight},
            {"row_share", m.row_share},
            {"column_share", m.column_share}};
  }
  Json operator()(const Forest& m) const {
    return {{"columns", from_columns(m.columns)},
            {"trees", m.trees},
            {"max_depth", m.max_depth},
            {"row_share", m.row_share},
            {"column_share", m.column_share}};
  }
  Json operator()(const Custom& m) const {
    return {{"columns", from_columns(m.columns)}, {"optimizer", from_optimizer(m.optimizer)}};
  }
};

TableModel read_family(const std::string& family, const Json& json) {
  const auto number = [&](const char* key) { return json_field<double>(json, key); };
  const auto integer = [&](const char* key) { return json_field<int64_t>(json, key); };
  const auto units = [&] { return json_field<std::vector<int64_t>>(json, "hidden_units"); };
  const auto text = [&](const char* key) { return json_field<std::string>(json, key); };
  const auto claim = [&](const char* key) { return json_field<bool>(json, key); };
  if (family == "baseline") return Baseline{};
  if (family == "linear") {
    return Linear{.columns = to_columns(json, "columns"),
                  .solver = to_solver(text("solver")),
                  .l1 = number("l1"),
                  .l2 = number("l2"),
                  .learning_rate = number("learning_rate"),
                  .tolerance = number("tolerance"),
                  .most_iterations = integer("most_iterations")};
  }
  if (family == "dnn") {
    return Dnn{.columns = to_columns(json, "columns"),
               .hidden_units = units(),
               .activation = text("activation"),
               .dropout = number("dropout"),
               .batch_norm = claim("batch_norm"),
               .optimizer = to_optimizer(json, "optimizer")};
  }
  if (family == "wide_deep") {
    return WideDeep{.linear_columns = to_columns(json, "linear_columns"),
                    .dnn_columns = to_columns(json, "dnn_columns"),
                    .hidden_units = units(),
                    .activation = text("activation"),
                    .dropout = number("dropout"),
                    .batch_norm = claim("batch_norm"),
                    .linear_optimizer = to_optimizer(json, "linear_optimizer"),
                    .dnn_optimizer = to_optimizer(json, "dnn_optimizer")};
  }
  if (family == "boosted_trees") {
    return BoostedTrees{.columns = to_columns(json, "columns"),
                        .trees = integer("trees"),
                        .max_depth = integer("max_depth"),
                        .learning_rate = number("learning_rate"),
                        .l1 = number("l1"),
                        .l2 = number("l2"),
                        .min_child_weight = number("min_child_weight"),
                        .row_share = number("row_share"),
                        .column_share = number("column_share")};
  }
  if (family == "forest") {
    return Forest{.columns = to_columns(json, "columns"),
                  .trees = integer("trees"),
                  .max_depth = integer("max_depth"),
                  .row_share = number("row_share"),
                  .column_share = number("column_share")};
  }
  if (family == "custom") {
    return Custom{.columns = to_columns(json, "columns"),
                  .logits = {},
                  .optimizer = to_optimizer(json, "optimizer")};
  }
  throw invalid_argument("unknown family of models '", family, "'");
}

}  // namespace

std::string_view family_of(const TableModel& model) {
  constexpr std::array<std::string_view, 7> kFamilies = {
      "baseline", "linear", "dnn", "wide_deep", "boosted_trees", "forest", "custom"};
  return kFamilies[model.index()];
}

Json from_table_model(const TableModel& model) {
  Json json = {{"family", family_of(model)}};
  json.update(std::visit(Writer(), model));
  return json;
}

TableModel to_table_model(const Json& json) {
  return read_family(json_field<std::string>(json, "family"), json);
}

}  // namespace thalweg
