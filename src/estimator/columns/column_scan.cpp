#include "estimator/columns/column_scan.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "estimator/columns/column_def.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

double text_number(const data::Column& column, int64_t row, int64_t first_row) {
  if (column.texts()[row].empty()) return kNan;
  try {
    return column.number(row);
  } catch (const Error&) {
    throw invalid_argument(
        "column ", shown(column.name()), ", row ", first_row + row + 1, ": there is ",
        shown(column.texts()[row]),
        " where a number is expected; take the column as a category, or as text, "
        "or say which cells are missing");
  }
}

}  // namespace

bool is_missing_cell(const data::Column& column, int64_t row) {
  return column.is_missing(row) ||
         (column.type() == data::ColumnType::kText && column.texts()[row].empty());
}

void read_numbers(const data::Column& column, int64_t begin, int64_t end, int64_t first_row,
                  std::vector<double>& numbers) {
  numbers.resize(static_cast<size_t>(end - begin));
  const auto fill = [&](auto&& number) {
    for (int64_t row = begin; row < end; ++row) {
      const double value = column.is_missing(row) ? kNan : number(row);
      if (std::isinf(value)) {
        throw invalid_argument("column ", shown(column.name()), ", row ", first_row + row + 1,
                               ": the number is infinite, expected a finite one, or none");
      }
      numbers[static_cast<size_t>(row - begin)] = value;
    }
  };
  switch (column.type()) {
    case data::ColumnType::kInteger: {
      const auto cells = column.integers();
      fill([&](int64_t row) { return static_cast<double>(cells[static_cast<size_t>(row)]); });
      break;
    }
    case data::ColumnType::kReal: {
      const auto cells = column.reals();
      fill([&](int64_t row) { return cells[static_cast<size_t>(row)]; });
      break;
    }
    case data::ColumnType::kText:
      fill([&](int64_t row) { return text_number(column, row, first_row); });
      break;
  }
}

void Moments::add(const std::vector<double>& numbers) {
  if (numbers.empty()) return;
  const auto n = static_cast<double>(numbers.size());
  // Distances from the first number, so that sums of large numbers keep their digits.
  const double origin = numbers[0];
  double sum = 0;
  for (const double x : numbers) sum += x - origin;
  const double mean = origin + sum / n;
  double squares = 0;
  for (const double x : numbers) squares += (x - mean) * (x - mean);
  const auto [least, most] = std::ranges::minmax(numbers);

  if (count_ == 0) {
    least_ = least;
    most_ = most;
  }
  least_ = std::min(least_, least);
  most_ = std::max(most_, most);
  const auto before = static_cast<double>(count_);
  const double distance = mean - mean_;
  mean_ += distance * (n / (before + n));
  squares_ += squares + distance * distance * (before * n / (before + n));
  count_ += static_cast<int64_t>(numbers.size());
}

double Moments::deviation() const {
  return count_ == 0 ? 0 : std::sqrt(squares_ / static_cast<double>(count_));
}

ColumnScan::ColumnScan(data::ColumnInfo info, const ScanWants& wants)
    : info_(std::move(info)), wants_(wants), counts_(wants.capacity) {}

void ColumnScan::add(const data::Column& column) {
  int64_t present = 0;
  for (int64_t row = 0; row < column.size(); ++row) present += !is_missing_cell(column, row);
  missing_ += column.size() - present;
  if (wants_.numbers) {
    read_numbers(column, 0, column.size(), rows_, numbers_);
    std::erase_if(numbers_, [](double x) { return std::isnan(x); });
    moments_.add(numbers_);
    if (wants_.quantiles) {
      for (const double x : numbers_) quantiles_.add(x);
    }
  }
  if (wants_.counts && !has_ended_) count(column);
  rows_ += column.size();
}

void ColumnScan::count(const data::Column& column) {
  constexpr int64_t kRows = 4096;  // so that counting ends soon after the capacity is reached
  for (int64_t begin = 0; begin < column.size() && !has_ended_; begin += kRows) {
    const int64_t end = std::min(column.size(), begin + kRows);
    counts_.add(column, begin, end);
    for (int64_t row = begin; row < end; ++row) counted_ += !is_missing_cell(column, row);
    if (wants_.all_counts || counts_.forgotten() == 0) continue;
    has_ended_ = true;
    distinct_ = std::min(wants_.capacity, counts_.most_distinct());
    counts_ = ValueCounts(wants_.capacity);
  }
}

double ColumnScan::distinct_share() const {
  return counted_ == 0 ? 0 : static_cast<double>(distinct()) / static_cast<double>(counted_);
}

void ColumnScan::finish() {
  numbers_ = {};
  if (wants_.quantiles) quantiles_.finish();
}

}  // namespace thalweg
