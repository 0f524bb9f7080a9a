// The second step of reading CSV: cells to values. One thread has one part of the text; a tile of
// its rows, which fits a cache, is converted column by column.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv_blocks.h"
#include "data/table_text.h"
#include "thalweg/data/table.h"

namespace thalweg::data {

/// How cells are read.
struct CellRules {
  const MissingWords& missing;
  char decimal = '.';
  bool is_lenient = false;  // the type is set by the user
};

/// The text of a cell: without blanks and quotes around it, with doubled quotes made single in
/// `scratch`.
std::string_view cell_text(const CsvPart& part, CsvTokens::Cell cell, std::string& scratch);

/// What a thread makes of one column of one part. Keeps its memory from part to part.
class CsvCells {
 public:
  void begin(int64_t rows);

  /// Converts rows up to `end`, unless a cell did not fit; `out` is where row 0 goes.
  void take_integers(const CsvPart& part, size_t place, const CellRules& rules, int64_t end,
                     int64_t* out);
  void take_reals(const CsvPart& part, size_t place, const CellRules& rules, int64_t end,
                  double* out);
  void take_texts(const CsvPart& part, size_t place, const CellRules& rules, int64_t end);

  /// Rows done: the first cell that does not fit, if less than there are.
  int64_t converted() const { return converted_; }
  bool has_value() const { return has_value_; }
  /// Of integers: one that float64 rounds.
  bool has_inexact() const;
  /// A flag a row, or empty when no cell is missing.
  const std::vector<uint8_t>& missing() const { return missing_; }
  std::string_view text_bytes() const { return {bytes_.get(), size_}; }
  const std::vector<uint64_t>& text_ends() const { return ends_; }

 private:
  template <class T, class Parse, class PlainParse>
  void take_numbers(const CsvPart& part, size_t place, const CellRules& rules, int64_t end, T* out,
                    T absent, Parse parse, PlainParse plain_parse);
  void set_missing(int64_t row);

  int64_t rows_ = 0, converted_ = 0;
  bool has_value_ = false;
  int64_t magnitude_bits_ = 0;  // of all integers
  std::vector<uint8_t> missing_;
  std::unique_ptr<char[]> bytes_;
  size_t size_ = 0, capacity_ = 0;
  std::vector<uint64_t> ends_;
};

}  // namespace thalweg::data
