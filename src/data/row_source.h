// Tables whose cells come typed and row by row: records, database queries, sparse text.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/table_kinds.h"
#include "data/table_text.h"

namespace thalweg::data {

/// One cell as the file has it. Borrows its text.
struct CellValue {
  enum Kind { kMissing, kInteger, kReal, kText };
  Kind kind = kMissing;
  int64_t integer = 0;
  double real = 0;
  std::string_view text = {};

  static CellValue of(int64_t value) { return {.kind = kInteger, .integer = value}; }
  static CellValue of(double value) { return {.kind = kReal, .real = value}; }
  static CellValue of(std::string_view value) { return {.kind = kText, .text = value}; }
};

/// The narrowest type that holds all cells seen: integer, real when all integers are real numbers
/// too, else text.
class TypeGuess {
 public:
  void see(const CellValue& cell);
  bool has_value() const { return has_value_; }
  ColumnType type() const { return has_value_ ? type_ : ColumnType::kReal; }

 private:
  ColumnType type_ = ColumnType::kInteger;
  bool has_value_ = false, has_inexact_ = false;
};

/// Cells put into a column of one type. A text is read as a number when the type asks for one.
class ColumnBuilder {
 public:
  ColumnBuilder(std::string name, ColumnType type, const MissingWords& missing)
      : name_(std::move(name)), type_(type), missing_words_(missing) {}
  /// Throws invalid_argument naming column and cell when it does not fit.
  void add(const CellValue& cell);
  Column take();

 private:
  [[noreturn]] void fail(const CellValue& cell) const;

  std::string name_;
  ColumnType type_;
  const MissingWords& missing_words_;
  std::vector<int64_t> integers_;
  std::vector<double> reals_;
  Texts texts_;
  std::vector<uint8_t> missing_;
};

/// One pass over the rows of a file.
class RowStream {
 public:
  virtual ~RowStream() = default;
  /// The next row, a cell a column; false at the end. The cells hold until the next call.
  virtual bool next(std::vector<CellValue>& row) = 0;
  /// For messages about the row given last: "line 3".
  virtual std::string place() const = 0;
};

/// What the reader of one kind of file knows of it.
struct RowFile {
  std::string name;
  std::vector<ColumnInfo> columns;
  /// Types that are settled, one a column; empty: all are guessed.
  std::vector<uint8_t> is_settled;
  std::optional<int64_t> rows;  // when they were counted
  std::function<std::unique_ptr<RowStream>()> open;
  std::function<uint64_t()> fingerprint;
  std::vector<std::string> notes;
};

/// Sees all rows once, when a type is to be guessed. Throws invalid_argument when there are none.
SourcePointer row_source(RowFile file, const TableOptions& options);

/// The table with columns, names and types as the options want them. `file` is for messages.
Table shape_table(const std::string& file, const Table& table, const TableOptions& options);

}  // namespace thalweg::data
