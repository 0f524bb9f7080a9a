// CSV text in blocks of whole records, cut into parts that are tokenised at the same time.
//
// A part begins behind a line end, which is taken for the end of a record. Where a line end stands
// in quotes that is wrong: then the part before it says so, and the two are cut again as one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/byte_stream.h"
#include "data/crew.h"
#include "data/csv_tokens.h"

namespace thalweg::data {

/// Where the records are in a file, and how they are written.
struct CsvFormat {
  CsvSyntax syntax;
  uint64_t begin = 0;      // of the first record, in bytes of the unpacked file
  int64_t first_line = 1;  // its line
  std::string expected;    // for messages: what says how many cells a record has
  std::string hint;        // for messages: what may be wrong with the delimiter
};

/// Whole records of a block, which are in order. Bytes before and behind the text are readable, as
/// fast_numbers.h and CsvTokens need.
struct CsvPart {
  std::string_view text;
  int64_t first_line = 1;
  int64_t first_row = 0;  // of the block
  CsvTokens tokens;

  /// Of the record.
  int64_t line_of(int64_t row, char line_end) const;
};

/// Thread-compatible.
class CsvBlocks {
 public:
  CsvBlocks(const StreamedFile& file, const CsvFormat& format);

  /// The next block: its parts, which stay until the next call; none at the end. Errors name file
  /// and line: invalid_argument for wrong numbers of cells, stray and open quotes, bytes that are
  /// no UTF-8 text.
  const std::vector<const CsvPart*>& next();
  int64_t rows() const { return rows_; }  // of this block
  /// The threads that read, num_threads() of them, for what is made of the parts.
  Crew& crew() { return crew_; }

 private:
  void fill();
  void cut(std::string_view text);
  void keep_whole_records(std::string_view text);
  [[noreturn]] void fail(const CsvPart& part) const;

  const StreamedFile& file_;
  const CsvFormat& format_;
  Crew crew_;
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // of what is not given out yet, in buffer_
  size_t read_size_, most_read_;
  bool ended_ = false;
  int64_t line_;
  int64_t rows_ = 0;
  std::vector<std::unique_ptr<CsvPart>> parts_;
  std::vector<const CsvPart*> good_;
};

}  // namespace thalweg::data
