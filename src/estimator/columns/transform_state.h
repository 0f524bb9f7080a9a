// A fitted transform as plain data, and the layout that follows from it.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "estimator/columns/column_def.h"
#include "thalweg/estimator/transform.h"
#include "thalweg/ops/state.h"
#include "thalweg/runtime/session.h"

namespace thalweg {

/// A column of the table as the graph takes it.
struct FittedInput {
  std::string column;
  data::ColumnType type = data::ColumnType::kText;  // in the training rows
  DType dtype = kString;
  bool as_number = false;  // whether a part of the graph wants it as a number
  /// Numbers whose differences float32 would lose are read as float64, less this, then rounded.
  bool is_wide = false;
  double offset = 0;
};

/// What one feature column learnt. Each kind has its own fields.
struct ColumnFit {
  // Numbers, less the offset of their input; of dates the year.
  double shift = 0, scale = 1, fill = 0;
  double least = 0;        // of Scaling::kLog
  bool indicator = false;  // whether a second number tells that it is missing
  bool has_time = false;   // of dates
  std::vector<double> boundaries = {};
  std::vector<std::string> vocabulary = {};
  std::vector<float> idf = {};  // by id
};

struct Transform::State {
  TransformOptions options;
  std::vector<FeatureColumn> columns;
  std::vector<FittedInput> inputs;        // by add_input()
  std::map<std::string, ColumnFit> fits;  // by fit_key()
  std::vector<ColumnFacts> facts;

  // Follows from the above: lay_out().
  std::vector<RawInput> raw;
  std::vector<FeatureColumn> numbers;  // numeric and date columns
  std::vector<FeatureColumn> ids;      // categories with one id a row
  std::vector<FeatureColumn> bags;
  std::vector<std::vector<int64_t>> number_places;  // of `numbers`: columns of the prepared tensor
  PreparedSpec prepared;

  void lay_out();
  void add_input(FittedInput input);
  int input_index(const std::string& column) const;
  const FittedInput& input(const std::string& column) const {
    return inputs[static_cast<size_t>(input_index(column))];
  }
  const ColumnFit& fit(const FeatureColumn& column) const;
  /// How many ids a category gives.
  int64_t buckets(const FeatureColumn& category) const;

  std::map<std::string, int> input_places;  // by column

  // Stage 1 on its own, made when it is first needed.
  struct Runner;
  const Runner& runner() const;
  mutable std::once_flag made_runner;
  mutable std::shared_ptr<const Runner> made;

  // Embeddings by graph and name: input_layer() in another mode finds those it made before.
  mutable std::mutex variables_mutex;
  mutable std::map<std::pair<uint64_t, std::string>, Variable> variables;
};

/// Under which a column's fit is kept: its description.
std::string fit_key(const FeatureColumn& column);

/// Calls f once for each column of `columns` and each that they are made of, parts first.
void visit_columns(const std::vector<FeatureColumn>& columns,
                   const std::function<void(const FeatureColumn&)>& f);

/// As a node's name: other characters than letters, digits, `_`, `.` and `-` become `_`, and a
/// number follows that tells such names apart.
std::string node_name(std::string_view key);

/// In transform_facts.cpp: sentences of what is done with each table column.
void describe_uses(Transform::State& state);

}  // namespace thalweg
