// CSV text cut into records, with the line each began on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg::data {

struct CsvRecord {
  int64_t line = 0;  // of the file, from 1; a record with line breaks in quotes spans several
  std::vector<std::string> cells;
};

/// The rules of RFC 4180, and lines ended by LF, CRLF or CR; blank lines are passed over, white
/// space around cells is removed. Borrows `text`. Errors are invalid_argument with file and line.
class CsvReader {
 public:
  /// `path` is for messages.
  CsvReader(std::string_view text, std::string path, char delimiter);
  ~CsvReader();
  CsvReader(const CsvReader&) = delete;

  /// The next record, reusing the memory of `record`; false at the end.
  bool next(CsvRecord& record);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// `bytes` without a byte order mark. Throws invalid_argument with file and line unless it is UTF-8
/// text.
std::string_view check_text(std::string_view bytes, const std::string& path);

}  // namespace thalweg::data
