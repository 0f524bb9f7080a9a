// Where the cells of CSV text end: the first of two steps of reading it, at the speed of memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

namespace thalweg::data {

/// How the text is written.
struct CsvSyntax {
  char delimiter = ',';
  char line_end = '\n';  // or '\r'; CRLF is '\n' behind a blank
  bool quotes = true;    // cells may stand in double quotes
  std::optional<char> comment = {};
  size_t columns = 0;
};

/// The cells of whole records of a piece of text, of which each has `columns` cells. Blank lines
/// and comments have none. Keeps its memory from one text to the next.
class CsvTokens {
 public:
  enum class Fault {
    kNone,
    kCells,       // a record with more or fewer cells
    kStrayQuote,  // text behind a closing quote
    kControl,     // a byte that no text holds
    kNotUtf8,
  };

  /// Cuts `text`, which begins with a record, is at most kMostBytes and has kPadding readable bytes
  /// behind it. A last record without line end is left: see used().
  void read(std::string_view text, const CsvSyntax& syntax);

  static constexpr size_t kMostBytes = (size_t{1} << 30) - 64;
  static constexpr size_t kPadding = 64;

  int64_t rows() const { return rows_; }
  /// Bytes of the records read, with line ends.
  size_t used() const { return used_; }
  /// Line ends in all of the text.
  int64_t lines() const { return lines_; }
  /// Where the quote stands that is open at the end; none when none is.
  std::optional<size_t> open_quote() const { return open_quote_; }
  /// What is wrong first, and where; rows before it are there.
  Fault fault() const { return fault_; }
  size_t fault_at() const { return fault_at_; }
  /// Of kCells: those found. Of kStrayQuote: where the cell begins.
  size_t fault_detail() const { return fault_detail_; }

  struct Cell {
    uint32_t begin, end;   // of the text, with blanks and quotes
    bool quoted, doubled;  // in quotes; with doubled ones in it
  };
  Cell cell(int64_t row, size_t column) const {
    const uint32_t* const at = ends_.get() + static_cast<size_t>(row) * stride_ + column;
    // The end of the cell before, or what lies before the record; -1 wraps to 0.
    return {.begin = (at[0] & kPlaceMask) + 1 - kBase,
            .end = (at[1] & kPlaceMask) - kBase,
            .quoted = (at[1] & kQuoted) != 0,
            .doubled = (at[1] & kDoubled) != 0};
  }

 private:
  class Cutter;
  static constexpr uint32_t kQuoted = uint32_t{1} << 31;
  static constexpr uint32_t kDoubled = uint32_t{1} << 30;
  static constexpr uint32_t kPlaceMask = kDoubled - 1;
  static constexpr uint32_t kBase = 1;  // places are stored plus one, so that -1 is 0

  void reserve(size_t bytes);

  // Of each record: the place before its first cell, then the end of each cell.
  std::unique_ptr<uint32_t[]> ends_;
  size_t capacity_ = 0;
  size_t stride_ = 1;
  int64_t rows_ = 0;
  size_t used_ = 0;
  int64_t lines_ = 0;
  std::optional<size_t> open_quote_;
  Fault fault_ = Fault::kNone;
  size_t fault_at_ = 0;
  size_t fault_detail_ = 0;
};

/// Where `text` is no UTF-8; none when it is.
std::optional<size_t> find_no_utf8(std::string_view text);

}  // namespace thalweg::data
