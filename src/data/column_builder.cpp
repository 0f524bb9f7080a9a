// Typed cells to typed columns.
#include <cmath>
#include <limits>

#include "data/cell_numbers.h"
#include "data/row_source.h"
#include "thalweg/base/error.h"

namespace thalweg::data {

void TypeGuess::see(const CellValue& cell) {
  if (cell.kind == CellValue::kMissing) return;
  has_value_ = true;
  if (cell.kind == CellValue::kInteger) has_inexact_ |= !is_exact_real(cell.integer);
  if (cell.kind == CellValue::kText) type_ = ColumnType::kText;
  if (cell.kind == CellValue::kReal && type_ == ColumnType::kInteger) type_ = ColumnType::kReal;
  if (type_ == ColumnType::kReal && has_inexact_) type_ = ColumnType::kText;
}

void ColumnBuilder::fail(const CellValue& cell) const {
  const std::string text = cell.kind == CellValue::kText   ? quoted(cell.text)
                           : cell.kind == CellValue::kReal ? str(cell.real)
                                                           : str(cell.integer);
  throw invalid_argument("column '", name_, "' holds ", text, ", expected ",
                         type_ == ColumnType::kInteger ? "an integer" : "a number");
}

void ColumnBuilder::add(const CellValue& given) {
  CellValue cell = given;
  if (cell.kind == CellValue::kText) {
    const std::string_view trimmed = trim_blanks(cell.text);
    int64_t integer = 0;
    double real = 0;
    if (missing_words_.contains(trimmed)) {
      cell = {};
    } else if (type_ == ColumnType::kInteger && lenient_integer(trimmed, integer)) {
      cell = CellValue::of(integer);
    } else if (type_ == ColumnType::kReal && lenient_real(trimmed, '.', real)) {
      cell = CellValue::of(real);
    }
  }
  if (cell.kind == CellValue::kReal && std::isnan(cell.real)) cell = {};
  const bool missing = cell.kind == CellValue::kMissing;
  missing_.push_back(missing ? 1 : 0);
  switch (type_) {
    case ColumnType::kInteger: {
      if (cell.kind == CellValue::kReal) {
        constexpr double kMost = 9223372036854775808.0;
        if (std::trunc(cell.real) != cell.real || cell.real >= kMost || cell.real < -kMost)
          fail(cell);
        cell = CellValue::of(static_cast<int64_t>(cell.real));
      }
      if (cell.kind == CellValue::kText) fail(cell);
      integers_.push_back(missing ? 0 : cell.integer);
      break;
    }
    case ColumnType::kReal:
      if (cell.kind == CellValue::kText) fail(cell);
      reals_.push_back(missing                            ? std::numeric_limits<double>::quiet_NaN()
                       : cell.kind == CellValue::kInteger ? static_cast<double>(cell.integer)
                                                          : cell.real);
      break;
    case ColumnType::kText:
      switch (cell.kind) {
        case CellValue::kMissing: texts_.add({}); break;
        case CellValue::kInteger: texts_.add(str(cell.integer)); break;
        case CellValue::kReal: texts_.add(str(cell.real)); break;
        case CellValue::kText: texts_.add(cell.text); break;
      }
      break;
  }
}

Column ColumnBuilder::take() {
  std::vector<uint8_t> missing = std::exchange(missing_, {});
  switch (type_) {
    case ColumnType::kInteger:
      return Column(name_, std::exchange(integers_, {}), std::move(missing));
    case ColumnType::kReal: return Column(name_, std::exchange(reals_, {}), std::move(missing));
    case ColumnType::kText: break;
  }
  return Column(name_, std::exchange(texts_, {}), std::move(missing));
}

}  // namespace thalweg::data
