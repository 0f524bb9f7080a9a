// The fitting of a transform while it is under way: passes over the training rows
// (transform_passes.cpp), and what follows from what they found (transform_fit.cpp).
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "estimator/columns/column_scan.h"
#include "estimator/columns/transform_state.h"
#include "estimator/columns/word_scan.h"

namespace thalweg {

/// The years of a date().
struct DateScan {
  FeatureColumn column;
  Moments years = {};
  bool has_time = false;

  void add(const data::Column& cells);
};

/// A numeric column on the scale of logarithms, whose least value is known.
struct LogScan {
  FeatureColumn column;
  double least = 0;
  Moments logs = {};

  void add(const data::Column& cells, int64_t first_row);
};

class TransformFitting {
 public:
  TransformFitting(Transform::State& state, const TableSource& source)
      : state_(state), source_(source) {}

  void run() {
    plan();
    first_pass();
    settle_inputs();
    second_pass();
    settle_columns();
    settle_facts();
  }

 private:
  void plan();
  void plan_column(const FeatureColumn& column);
  ScanWants& wants(const std::string& column, bool as_number);
  void first_pass();
  void settle_inputs();
  void second_pass();
  void settle_columns();
  void settle_facts();
  ColumnFit numeric(const FeatureColumn& column) const;
  std::vector<double> boundaries(const FeatureColumn& column) const;
  std::vector<std::string> values(const FeatureColumn& column) const;

  const ColumnScan& scan(const std::string& column) const {
    return scans_[static_cast<size_t>(state_.input_index(column))];
  }
  const FittedInput& input(const std::string& column) const { return state_.input(column); }

  Transform::State& state_;
  const TableSource& source_;
  std::vector<FeatureColumn> all_;  // with all that they are made of
  std::vector<ScanWants> wants_;    // by input
  std::set<std::string> as_text_, counted_;
  std::vector<ColumnScan> scans_;
  std::vector<std::unique_ptr<WordScan>> words_;
  std::vector<DateScan> dates_;
  std::vector<LogScan> logs_;
  std::vector<FeatureColumn> checked_;
};

}  // namespace thalweg
