// Columns made of the cells of CSV blocks: typed as set, or by the narrowest type that holds every
// cell as it is written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/csv_blocks.h"
#include "data/csv_cells.h"
#include "data/table_text.h"
#include "thalweg/data/table.h"

namespace thalweg::data {

/// One column while blocks go by. Its type starts as integer and widens to real and text.
struct CsvColumn {
  std::string name;
  size_t place = 0;  // in a record
  ColumnType type = ColumnType::kInteger;
  bool is_set = false;        // the type must hold
  bool has_value = false;     // a cell was not missing
  bool has_inexact = false;   // an integer that float64 rounds
  std::string why_text = {};  // for a note, when it is text because of one cell
  // The cells kept, of the type.
  std::vector<int64_t> integers = {};
  std::vector<double> reals = {};
  Texts texts = {};
  std::vector<uint8_t> missing = {};  // empty while no cell is
};

class CsvColumns {
 public:
  /// `file`, `format` and `options` are borrowed.
  CsvColumns(const std::string& file, const CsvFormat& format, const TableOptions& options,
             std::vector<CsvColumn> columns);

  /// Takes the cells of a block. With `keep` they follow those kept before, else only types come of
  /// them. Throws invalid_argument naming file, line, column and cell for a type that is set.
  void add(const std::vector<const CsvPart*>& parts, int64_t rows, bool keep, Crew& crew);
  /// Makes room for so many rows in all, of which the `share` taken so far is a fair sample.
  void reserve(double share);

  int64_t kept() const { return kept_; }
  /// False once a column has become text behind cells that were kept as numbers: then they must be
  /// read again.
  bool is_whole() const { return is_whole_; }
  std::vector<CsvColumn>& columns() { return columns_; }
  /// The cells kept, which are then forgotten.
  Table take();
  void forget();
  /// Of a column that has no value.
  void make_real(size_t column);

 private:
  void convert(const CsvPart& csv, std::vector<CsvCells>& cells, const std::vector<uint8_t>& open);
  void resize(CsvColumn& column, int64_t rows);
  void collect(CsvColumn& column, size_t i, const std::vector<const CsvPart*>& parts);
  void widen(CsvColumn& column, const CsvPart& csv, int64_t row);
  bool is_followed_by_number(const CsvColumn& column, const CsvPart& csv, int64_t row) const;
  [[noreturn]] void fail(const CsvColumn& column, const CsvPart& csv, int64_t row) const;
  std::string text_of(const CsvColumn& column, const CsvPart& csv, int64_t row) const;

  const std::string& file_;
  const CsvFormat& format_;
  const TableOptions& options_;
  MissingWords missing_;
  std::vector<CsvColumn> columns_;
  std::vector<std::vector<CsvCells>> cells_;  // of each part and column
  int64_t kept_ = 0;
  bool is_whole_ = true;
};

}  // namespace thalweg::data
