#include "estimator/columns/raw_cells.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "estimator/columns/column_scan.h"
#include "estimator/columns/date_text.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

using data::ColumnType;
using Kind = ColumnKind;

template <class T>
Tensor number_cells(const FittedInput& input, const data::Column& column, int64_t begin,
                    int64_t end, int64_t first_row, int64_t size) {
  std::vector<double> numbers;
  read_numbers(column, begin, end, first_row, numbers);
  Tensor result(input.dtype, {size});
  auto out = result.mutable_data<T>();
  for (size_t i = 0; i < numbers.size(); ++i) {
    out[i] = static_cast<T>(numbers[i]);
    if (std::isinf(out[i])) {
      throw invalid_argument("column ", shown(column.name()), ", row ",
                             first_row + begin + static_cast<int64_t>(i) + 1, ": ", numbers[i],
                             " is beyond what float32 holds, 3.4e38");
    }
  }
  for (size_t i = numbers.size(); i < out.size(); ++i) out[i] = std::numeric_limits<T>::quiet_NaN();
  return result;
}

Tensor text_cells(const data::Column& column, int64_t begin, int64_t end, int64_t size) {
  Tensor result(kString, {size});
  auto out = result.mutable_data<std::string>();
  const bool is_text = column.type() == ColumnType::kText;
  for (int64_t row = begin; row < end; ++row) {
    std::string& cell = out[static_cast<size_t>(row - begin)];
    if (!is_text) {
      cell = column.cell(row);
    } else if (!column.is_missing(row)) {
      cell = column.texts()[row];
    }
  }
  return result;
}

// For each cell that is there.
template <class F>
void each_text(const data::Column& column, int64_t begin, int64_t end, F f) {
  const bool is_text = column.type() == ColumnType::kText;
  for (int64_t row = begin; row < end; ++row) {
    if (is_missing_cell(column, row)) continue;
    if (is_text) {
      f(row, column.texts()[row]);
    } else {
      const std::string cell = column.cell(row);
      f(row, std::string_view(cell));
    }
  }
}

Error bad_cell(const data::Column& column, int64_t row, std::string_view cell,
               std::string_view expected) {
  return invalid_argument("column ", shown(column.name()), ", row ", row + 1, ": there is ",
                          shown(cell), ", expected ", expected);
}

void check_identity(const ColumnDef& def, const data::Column& column, int64_t begin, int64_t end,
                    int64_t first_row, int64_t* outside) {
  each_text(column, begin, end, [&](int64_t row, std::string_view cell) {
    int64_t id = 0;
    const auto read = std::from_chars(cell.data(), cell.data() + cell.size(), id);
    if (read.ec != std::errc() || read.ptr != cell.data() + cell.size()) {
      throw bad_cell(column, first_row + row, cell, "an integer");
    }
    if (id >= 0 && id < def.buckets) return;
    if (!def.otherwise) {
      throw bad_cell(column, first_row + row, cell,
                     str("an id from 0 to ", def.buckets - 1,
                         "; say which id others are to have (`otherwise`), or take hashed()"));
    }
    if (outside != nullptr) ++*outside;
  });
}

void check_weights(const ColumnDef& list, const data::Column& values, const data::Column& weights,
                   int64_t begin, int64_t end, int64_t first_row) {
  for (int64_t row = begin; row < end; ++row) {
    const std::string value_cell = values.cell(row), weight_cell = weights.cell(row);
    const auto items = list_cell(value_cell, list.list.separator);
    const auto numbers = list_cell(weight_cell, list.list.separator);
    if (items.size() != numbers.size()) {
      throw bad_cell(
          weights, first_row + row, weight_cell,
          str("as many weights as column ", shown(values.name()), " has values, ", items.size()));
    }
    for (const std::string_view number : numbers) {
      double value = 0;
      const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
      if (read.ec != std::errc() || read.ptr != number.data() + number.size() ||
          !std::isfinite(value)) {
        throw bad_cell(weights, first_row + row, weight_cell,
                       str("numbers between '", list.list.separator, "'"));
      }
    }
  }
}

}  // namespace

std::vector<std::string_view> list_cell(std::string_view cell, std::string_view separator) {
  std::vector<std::string_view> values;
  while (!cell.empty()) {
    const size_t end = std::min(cell.find(separator), cell.size());
    if (const std::string_view value = trim(cell.substr(0, end)); !value.empty()) {
      values.push_back(value);
    }
    cell.remove_prefix(std::min(end + separator.size(), cell.size()));
  }
  return values;
}

// Most tables have the order of the training rows: then a look at the next place is enough.
std::vector<const data::Column*> find_columns(const Transform::State& state, const Table& table) {
  const std::vector<data::Column>& there = table.columns();
  std::vector<const data::Column*> columns;
  size_t next = 0;
  for (const FittedInput& input : state.inputs) {
    while (next < there.size() && there[next].name() != input.column) ++next;
    if (next == there.size()) {
      columns.push_back(&table.column(input.column));
      next = static_cast<size_t>(columns.back() - there.data());
    } else {
      columns.push_back(&there[next]);
    }
    ++next;
  }
  return columns;
}

Tensor raw_cells(const FittedInput& input, const data::Column& column, int64_t begin, int64_t end,
                 int64_t first_row, int64_t size) {
  if (input.dtype == kFloat32) {
    return number_cells<float>(input, column, begin, end, first_row, size);
  }
  if (input.dtype == kFloat64) {
    return number_cells<double>(input, column, begin, end, first_row, size);
  }
  if (input.as_number) {  // what is no number is told here rather than by a node
    std::vector<double> numbers;
    read_numbers(column, begin, end, first_row, numbers);
  }
  return text_cells(column, begin, end, size);
}

bool needs_check(const FeatureColumn& column) {
  const ColumnDef& def = column.def();
  return def.kind == Kind::kIdentity || def.kind == Kind::kDate ||
         (def.kind == Kind::kWeighted && def.category().def().kind == Kind::kList);
}

void check_cells(const FeatureColumn& feature, const Table& table, int64_t begin, int64_t end,
                 int64_t first_row, int64_t* outside) {
  const ColumnDef& def = feature.def();
  if (def.kind == Kind::kIdentity) {
    check_identity(def, table.column(def.column), begin, end, first_row, outside);
  } else if (def.kind == Kind::kDate) {
    const data::Column& column = table.column(def.column);
    each_text(column, begin, end, [&](int64_t row, std::string_view cell) {
      if (!parse_date(cell)) {
        throw bad_cell(column, first_row + row, cell,
                       "a date YYYY-MM-DD, perhaps with a time hh:mm:ss");
      }
    });
  } else if (def.kind == Kind::kWeighted && def.category().def().kind == Kind::kList) {
    const ColumnDef& list = def.category().def();
    check_weights(list, table.column(list.column), table.column(def.column), begin, end, first_row);
  }
}

}  // namespace thalweg
