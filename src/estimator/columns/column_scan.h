// What a pass over the rows finds out about one column of a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "estimator/columns/quantile_sketch.h"
#include "estimator/columns/value_counts.h"
#include "thalweg/data/table_source.h"

namespace thalweg {

/// Mean and variance in float64, piece by piece. Chan, Golub and LeVeque, "Algorithms for computing
/// the sample variance", 1983.
class Moments {
 public:
  /// Numbers that are there.
  void add(const std::vector<double>& numbers);
  int64_t count() const { return count_; }
  double mean() const { return mean_; }
  /// The root of the mean square distance from the mean.
  double deviation() const;
  double least() const { return least_; }
  double most() const { return most_; }

 private:
  int64_t count_ = 0;
  double mean_ = 0;
  double squares_ = 0;  // of distances from the mean
  double least_ = 0, most_ = 0;
};

/// What to find out; the rest costs nothing.
struct ScanWants {
  bool numbers = false;       // moments; texts are read as numbers
  bool quantiles = false;     // too
  bool counts = false;        // of all values
  int64_t capacity = 100000;  // of counts
  bool all_counts = false;    // counts go on above the capacity, without the rarest; else they end
};

class ColumnScan {
 public:
  ColumnScan(data::ColumnInfo info, const ScanWants& wants);

  /// The next rows. Throws invalid_argument naming column, row and text where a number is wanted
  /// and something else stands, or an infinite one.
  void add(const data::Column& column);
  void finish();

  const data::ColumnInfo& info() const { return info_; }
  int64_t rows() const { return rows_; }
  int64_t missing() const { return missing_; }
  const Moments& moments() const { return moments_; }
  const QuantileSketch& quantiles() const { return quantiles_; }
  /// Of nothing once counting has ended.
  const ValueCounts& counts() const { return counts_; }
  /// How many values there are; at least so many when counting has ended.
  int64_t distinct() const { return has_ended_ ? distinct_ : counts_.distinct(); }
  bool has_ended() const { return has_ended_; }
  /// distinct() / rows with a value, of those that were counted.
  double distinct_share() const;

 private:
  void count(const data::Column& column);

  data::ColumnInfo info_;
  ScanWants wants_;
  int64_t rows_ = 0, missing_ = 0;
  Moments moments_;
  QuantileSketch quantiles_;
  ValueCounts counts_;
  bool has_ended_ = false;
  int64_t distinct_ = 0, counted_ = 0;  // when counting ended: values, and rows
  std::vector<double> numbers_;         // of the rows at hand
};

/// Whether the cell is missing, as an empty text is.
bool is_missing_cell(const data::Column& column, int64_t row);

/// Numbers of the rows [begin, end); NaN where missing. Throws as ColumnScan::add; `first_row` is
/// the number of row 0 in what the user knows, from 0.
void read_numbers(const data::Column& column, int64_t begin, int64_t end, int64_t first_row,
                  std::vector<double>& numbers);

}  // namespace thalweg
