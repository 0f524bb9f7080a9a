#include "thalweg/data/numeric_csv.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "data/csv_reader.h"
#include "data/numbers.h"
#include "data/regular_file.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/log.h"

namespace thalweg::data {
namespace {

constexpr double kMostExactInteger = 16777216;  // 2^24: float32 holds every integer up to here

std::string quoted(std::string_view text) {
  constexpr size_t kLongest = 40;
  return text.size() <= kLongest ? str('"', text, '"')
                                 : str('"', text.substr(0, kLongest), "...\"");
}

/// What is counted about a column while rows go by.
struct Column {
  std::string name;
  int64_t missing = 0;
  int64_t first_missing_line = 0;
  std::string first_missing;  // as written
  int64_t inexact = 0;
  std::string first_inexact;
  RoundedSpread spread;
};

class TableReader {
 public:
  TableReader(const std::string& path, const CsvOptions& options)
      : path_(path), options_(options) {}

  NumericTable read() {
    check_regular_file(path_);
    const std::string bytes = read_file(path_);
    const std::string_view text = check_text(bytes, path_);
    CsvReader reader(text, path_, options_.delimiter);
    CsvRecord record;
    if (!reader.next(record)) throw invalid_argument(path_, ": the file is empty");
    read_header(record);
    bool more = !options_.header || reader.next(record);
    if (!more) throw invalid_argument(path_, ": has a header line but no rows of data");
    for (; more; more = reader.next(record)) read_row(record);
    check_missing();
    warn_inexact();
    return table();
  }

 private:
  void read_header(const CsvRecord& record) {
    for (size_t i = 0; i < record.cells.size(); ++i) {
      columns_.push_back({.name = options_.header ? record.cells[i] : str("c", i + 1)});
    }
    if (columns_.size() == 1) hint_ = delimiter_hint(record);
    if (options_.header) check_header(record);
    find_label(record);
    if (columns_.size() == (has_label() ? 1u : 0u)) {
      throw invalid_argument(path_, ": has no feature column, only the label '", options_.label,
                             "'", hint_);
    }
  }

  void check_header(const CsvRecord& record) const {
    const auto at = str(path_, ":", record.line);
    if (std::ranges::all_of(record.cells, [](const auto& cell) {
          return parse_number(cell).kind == Number::kFinite;
        })) {
      throw invalid_argument(at, ": the first line holds only numbers (", quoted(record.cells[0]),
                             ", ...), so it is "
                             "data rather than column names; add a header line, or ",
                             options_.header_remedy, " (columns are then named c1, c2, ...)");
    }
    std::set<std::string_view> seen;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (columns_[i].name.empty())
        throw invalid_argument(at, ": column ", i + 1, " has no name in the header");
      if (!seen.insert(columns_[i].name).second) {
        throw invalid_argument(at, ": two columns are named '", columns_[i].name,
                               "'; names must differ");
      }
    }
  }

  void find_label(const CsvRecord& record) {
    if (options_.label.empty()) return;
    const auto names = column_names();
    label_ = static_cast<size_t>(std::ranges::find(names, options_.label) - names.begin());
    if (has_label() || options_.label_optional) return;
    const std::string near = nearest(options_.label, names);
    throw invalid_argument(path_, ": has no column '", options_.label,
                           "' for the label; its columns are ", join(names, ", "),
                           near.empty() ? std::string() : str("; did you mean '", near, "'?"),
                           delimiter_hint(record));
  }

  static std::string spelt(char delimiter) {
    return delimiter == '\t' ? "\\t" : std::string(1, delimiter);
  }

  std::string delimiter_hint(const CsvRecord& record) const {
    for (const char other : {';', '\t', ',', '|'}) {
      if (other == options_.delimiter || record.cells[0].find(other) == std::string::npos) continue;
      return str("; the first line holds '", spelt(other), "', so perhaps the delimiter is not '",
                 spelt(options_.delimiter), "': ", options_.delimiter_remedy);
    }
    return {};
  }

  void read_row(const CsvRecord& record) {
    if (record.cells.size() != columns_.size()) {
      throw invalid_argument(path_, ":", record.line, ": found ", record.cells.size(),
                             " cells, expected ", columns_.size(), " as in the ",
                             options_.header ? "header" : "first line", hint_);
    }
    ++rows_;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (i == label_) {
        read_label(record.cells[i], record.line);
      } else {
        read_feature(columns_[i], record.cells[i], record.line);
      }
    }
  }

  void read_label(const std::string& cell, int64_t line) {
    if (is_missing_label(cell) && !options_.label_optional) {
      throw invalid_argument(path_, ":", line, ": the label '", options_.label, "' of row ", rows_,
                             " is missing (", quoted(cell), "); give it a value or remove the row");
    }
    labels_.push_back(cell);
  }

  void read_feature(Column& column, const std::string& cell, int64_t line) {
    const auto at = [&] {
      return str(path_, ":", line, ": column '", column.name, "' holds ", quoted(cell));
    };
    const Number number = parse_number(cell);
    switch (number.kind) {
      case Number::kFinite: break;
      case Number::kMissing:
        if (column.missing++ == 0) {
          column.first_missing_line = line;
          column.first_missing = quoted(cell);
        }
        break;
      case Number::kInfinite: throw invalid_argument(at(), "; a model needs finite numbers");
      case Number::kText:
        throw invalid_argument(
            at(), ", expected a number",
            hint_.empty() ? "; columns of text cannot be features, so remove the column or replace "
                            "its values by numbers"
                          : hint_);
    }
    const auto value = static_cast<float>(number.value);
    if (std::isinf(value))
      throw invalid_argument(at(), ", which is too large for float32 (at most 3.4e38)");
    if (std::abs(number.value) > kMostExactInteger &&
        cell.find_first_of(".eE") == std::string::npos &&
        (static_cast<double>(value) != number.value || !number.exact) && column.inexact++ == 0) {
      column.first_inexact = cell;
    }
    if (number.kind == Number::kFinite) column.spread.add(number.value);
    values_.push_back(value);
  }

  // Counted over the whole file: whether one cell or half the column is missing decides what the
  // user does about it.
  void check_missing() const {
    for (const Column& column : columns_) {
      if (column.missing == 0) continue;
      throw invalid_argument(path_, ":", column.first_missing_line, ": column '", column.name,
                             "' has ", column.missing, " missing of ", rows_,
                             rows_ == 1 ? " value (here " : " values (here ", column.first_missing,
                             "), and models cannot take "
                             "missing values; fill them in, or remove the rows or the column");
    }
  }

  void warn_inexact() const {
    for (const Column& column : columns_) {
      if (column.inexact == 0 && column.spread.is_lost()) {
        log_warning("data", path_, ": column '", column.name, "' ", column.spread.text());
      }
      if (column.inexact == 0) continue;
      log_warning("data", path_, ": column '", column.name, "' has ", column.inexact,
                  " integers that float32 rounds (", column.first_inexact,
                  " is one); if they are ids, remove the column");
    }
  }

  NumericTable table() {
    NumericTable result;
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (i != label_) result.columns.push_back(columns_[i].name);
    }
    const Shape shape{rows_, static_cast<int64_t>(result.columns.size())};
    result.features = Tensor::from(std::span<const float>(values_), shape);
    if (has_label()) result.label_column = options_.label;
    result.labels = std::move(labels_);
    return result;
  }

  bool has_label() const { return label_ < columns_.size(); }
  std::vector<std::string> column_names() const {
    std::vector<std::string> result;
    for (const Column& column : columns_) result.push_back(column.name);
    return result;
  }

  const std::string& path_;
  const CsvOptions& options_;
  std::vector<Column> columns_;
  std::string hint_;  // at the delimiter, when there is but one column
  size_t label_ = static_cast<size_t>(-1);
  int64_t rows_ = 0;
  std::vector<float> values_;
  std::vector<std::string> labels_;
};

}  // namespace

NumericTable read_numeric_csv(const std::string& path, const CsvOptions& options) {
  return TableReader(path, options).read();
}

Tensor select_columns(const NumericTable& table, std::span<const std::string> names) {
  std::vector<size_t> places;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(table.columns, name);
    if (found == table.columns.end()) {
      throw invalid_argument("there is no column '", name, "'; the columns are ",
                             join(table.columns, ", "));
    }
    places.push_back(static_cast<size_t>(found - table.columns.begin()));
  }
  const int64_t rows = table.features.dim(0);
  Tensor result(kFloat32, {rows, static_cast<int64_t>(places.size())});
  const float* in = table.features.data<float>().data();
  float* out = result.mutable_data<float>().data();
  for (int64_t row = 0; row < rows; ++row, in += table.columns.size()) {
    for (const size_t place : places) *out++ = in[place];
  }
  return result;
}

}  // namespace thalweg::data
