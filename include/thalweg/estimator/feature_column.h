// The handle of a feature column, whatever its kind; columns.h makes them.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace thalweg {

struct ColumnDef;

/// A handle of an immutable description; cheap to copy.
class FeatureColumn {
 public:
  explicit FeatureColumn(std::shared_ptr<const ColumnDef> def) : def_(std::move(def)) {}

  /// Its name in models: "age", "age_bucketized", "age_bucketized_X_occupation",
  /// "occupation_indicator", "occupation_embedding".
  const std::string& key() const;
  /// Whether it gives ids rather than numbers.
  bool is_categorical() const;
  /// The columns of the table that it reads, each once.
  std::vector<std::string> table_columns() const;
  const ColumnDef& def() const { return *def_; }
  friend bool operator==(const FeatureColumn& a, const FeatureColumn& b);

 private:
  std::shared_ptr<const ColumnDef> def_;
};

/// As in model files, and back. Throws invalid_argument naming what is wrong and where.
std::string to_json(const FeatureColumn& column);
FeatureColumn parse_feature_column(const std::string& json);

}  // namespace thalweg
