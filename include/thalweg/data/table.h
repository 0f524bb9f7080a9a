// Rows and named, typed columns in memory: what every reader of tables gives, and what a schema
// takes. Column by column, so that statistics and transforms run along memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg::data {

/// What the cells of a column are.
enum class ColumnType {
  kInteger,  // int64
  kReal,     // float64
  kText,     // UTF-8
};
/// "integer", "real", "text".
std::string_view to_string(ColumnType type);
/// Throws invalid_argument with the names there are.
ColumnType parse_column_type(std::string_view name);

struct ColumnInfo {
  std::string name;
  ColumnType type = ColumnType::kText;
  friend bool operator==(const ColumnInfo&, const ColumnInfo&) = default;
};

/// Many texts in one piece of memory.
class Texts {
 public:
  void reserve(int64_t texts, int64_t bytes);
  void add(std::string_view text);
  void append(const Texts& other);
  /// Those from `begin` to before `end`.
  void append(const Texts& other, int64_t begin, int64_t end);
  /// Texts that lie one behind another; `ends` counts from the first byte of `bytes`.
  void append(std::string_view bytes, std::span<const uint64_t> ends);
  int64_t size() const { return static_cast<int64_t>(ends_.size()); }
  int64_t bytes() const { return static_cast<int64_t>(bytes_.size()); }
  std::string_view operator[](int64_t i) const {
    const auto place = static_cast<size_t>(i);
    const uint64_t begin = place == 0 ? 0 : ends_[place - 1];
    return std::string_view(bytes_).substr(begin, ends_[place] - begin);
  }

 private:
  std::string bytes_;
  std::vector<uint64_t> ends_;
};

/// The cells of one column. A missing cell holds 0, NaN or ""; a NaN is missing. A value.
class Column {
 public:
  Column(std::string name, std::vector<int64_t> cells, std::vector<uint8_t> missing = {});
  Column(std::string name, std::vector<double> cells, std::vector<uint8_t> missing = {});
  Column(std::string name, Texts cells, std::vector<uint8_t> missing = {});
  /// Texts that are all there.
  Column(std::string name, const std::vector<std::string>& cells);

  const std::string& name() const { return name_; }
  ColumnType type() const { return static_cast<ColumnType>(cells_.index()); }
  ColumnInfo info() const { return {name_, type()}; }
  int64_t size() const;

  /// Of that type only; else internal.
  std::span<const int64_t> integers() const;
  std::span<const double> reals() const;
  const Texts& texts() const;

  bool is_missing(int64_t row) const {
    return !missing_.empty() && missing_[static_cast<size_t>(row)] != 0;
  }
  /// One flag a row, or empty when no cell is missing.
  std::span<const uint8_t> missing() const { return missing_; }
  int64_t missing_count() const;

  /// As text; a missing one is "". Integers in decimal, reals in the fewest digits that give the
  /// same float64 again.
  std::string cell(int64_t row) const;
  /// As number; a missing one is NaN. Throws invalid_argument naming column and text for a text
  /// that is no number.
  double number(int64_t row) const;

  Column renamed(std::string name) const;
  Column rows(int64_t begin, int64_t end) const;
  Column rows(std::span<const int64_t> indices) const;
  /// Types and names must agree.
  void append(const Column& other);

 private:
  void settle_missing();

  std::string name_;
  std::variant<std::vector<int64_t>, std::vector<double>, Texts> cells_;
  std::vector<uint8_t> missing_;
};

/// Columns of equal length with different names. A value.
class Table {
 public:
  Table() = default;
  /// Throws invalid_argument for columns of different length, or two of one name.
  explicit Table(std::vector<Column> columns);

  int64_t rows() const { return columns_.empty() ? 0 : columns_[0].size(); }
  const std::vector<Column>& columns() const { return columns_; }
  std::vector<std::string> names() const;
  std::vector<ColumnInfo> infos() const;
  /// Null when there is none of that name.
  const Column* find(std::string_view name) const;
  /// Throws invalid_argument naming the column, those present and the nearest name.
  const Column& column(std::string_view name) const;

  Table rows(int64_t begin, int64_t end) const;
  Table rows(std::span<const int64_t> indices) const;
  /// These columns in this order; throws as column().
  Table select(std::span<const std::string> names) const;
  Table without(std::span<const std::string> names) const;
  Table with(Column column) const;  // replaces one of that name
  void append(const Table& other);

 private:
  std::vector<Column> columns_;
};

}  // namespace thalweg::data

namespace thalweg {
using data::Table;
}  // namespace thalweg
