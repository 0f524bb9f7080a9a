#include "cli/fit_columns.h"

#include <algorithm>

#include "thalweg/base/error.h"
#include "thalweg/base/printable.h"

namespace thalweg::cli {

GuessedSchema guess_features(const data::TableSource& training, const ColumnRoles& roles) {
  GuessOptions options{.not_features = roles.labels};
  options.not_features.insert(options.not_features.end(), roles.ids.begin(), roles.ids.end());
  if (!roles.weight.empty()) options.not_features.push_back(roles.weight);
  for (const auto& [column, kind] : roles.kinds) {
    options.kinds[column] = parse_guessed_kind(kind);
  }
  for (const std::string& column : roles.ignored) options.kinds[column] = GuessedKind::kIgnore;
  GuessedSchema schema = guess_columns(training, options);
  if (!schema.linear.empty()) return schema;
  std::string reasons;
  for (const GuessedColumn& decision : schema.decisions) {
    append(reasons, str(reasons.empty() ? ": '" : "; '", decision.column, "' is left out, ",
                        decision.reason));
  }
  throw invalid_argument(training.name(), ": there is no column to learn ",
                         join(roles.labels, ", "), " from",
                         reasons.empty() ? "; it has no other column" : reasons);
}

ColumnsFor columns_of(GuessedSchema schema) {
  return [schema = std::move(schema)](ColumnUse use) {
    return use == ColumnUse::kLinear  ? schema.linear
           : use == ColumnUse::kDense ? schema.network
                                      : schema.trees;
  };
}

std::vector<std::string> candidate_families(const GuessedSchema& schema) {
  const bool has_texts = std::ranges::any_of(schema.decisions, [](const GuessedColumn& decision) {
    return decision.kind == GuessedKind::kText || decision.kind == GuessedKind::kList;
  });
  return {"linear", has_texts || schema.trees.empty() ? "dnn" : "boosted-trees"};
}

}  // namespace thalweg::cli
