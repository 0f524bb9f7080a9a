// The census table of UCI (adult), as read from THALWEG_DATA.
#pragma once

#include <string>
#include <vector>

#include "thalweg/data/table_source.h"
#include "thalweg/estimator/table_estimator.h"

namespace thalweg {

inline const std::vector<std::string> kCensusColumns = {
    "age",          "workclass",    "fnlwgt",         "education",      "education_num",
    "marital",      "occupation",   "relationship",   "race",           "sex",
    "capital_gain", "capital_loss", "hours_per_week", "native_country", "income"};

/// `file`: "adult.data.gz", or "adult.test.gz", whose first line is no row and whose labels end in
/// a full stop.
inline Table read_census(const std::string& data_folder, const std::string& file) {
  const bool is_test = file == "adult.test.gz";
  const Table table =
      data::read_table(data_folder + "/adult/" + file,
                       {.header = false, .names = kCensusColumns, .skip_rows = is_test ? 1 : 0});
  std::vector<std::string> labels;
  for (int64_t i = 0; i < table.rows(); ++i) {
    std::string label = table.column("income").cell(i);
    if (is_test) label.pop_back();
    labels.push_back(std::move(label));
  }
  return table.with(data::Column("income", labels));
}

/// Wide and deep as in TensorFlow's tutorial.
inline WideDeep census_wide_deep() {
  using namespace columns;  // NOLINT: the names are the subject
  const FeatureColumn age =
      bucketized("age", {.boundaries = {18, 25, 30, 35, 40, 45, 50, 55, 60, 65}});
  const auto occupation = hashed("occupation", 1000);
  const std::vector<FeatureColumn> categories = {
      vocabulary("workclass"),    vocabulary("education"), vocabulary("marital"),       occupation,
      vocabulary("relationship"), vocabulary("sex"),       vocabulary("native_country")};
  WideDeep model{.linear_columns = categories, .dnn_columns = {}};
  model.linear_columns.push_back(age);
  model.linear_columns.push_back(crossed({"education", "occupation"}, 10000));
  model.linear_columns.push_back(crossed({age, "education", "occupation"}, 10000));
  for (const char* name :
       {"age", "education_num", "capital_gain", "capital_loss", "hours_per_week"}) {
    model.dnn_columns.push_back(numeric(name));
  }
  for (const FeatureColumn& category : categories) {
    model.dnn_columns.push_back(category == occupation ? embedding(category, 8)
                                                       : indicator(category));
  }
  return model;
}

inline std::vector<FeatureColumn> census_tree_columns() {
  using namespace columns;  // NOLINT
  std::vector<FeatureColumn> result;
  for (const char* const name :
       {"age", "education_num", "capital_gain", "capital_loss", "hours_per_week"}) {
    result.push_back(numeric(name));
  }
  for (const char* const name : {"workclass", "marital", "occupation", "relationship", "sex"}) {
    result.push_back(vocabulary(name));
  }
  return result;
}

}  // namespace thalweg
