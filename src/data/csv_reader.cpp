#include "data/csv_reader.h"

#include <csv.h>

#include <algorithm>
#include <exception>

#include "thalweg/base/error.h"

namespace thalweg::data {
namespace {

// As libcsv has it: a blank that parts cells is more than a blank.
bool is_blank(std::string_view line, char delimiter) {
  return std::ranges::all_of(line, [&](char c) {
    return c != delimiter && (c == ' ' || c == '\t' || c == '\r' || c == '\n');
  });
}

}  // namespace

// libcsv does not count lines, so it is fed one line of the file at a time: then at most one record
// ends per call, and whatever it reports happened on that line.
struct CsvReader::State {
  csv_parser parser{};
  std::string_view text;
  std::string path;
  char delimiter = ',';
  size_t used = 0;          // of text
  int64_t line = 0;         // being fed
  int64_t record_line = 0;  // on which the open record began
  int64_t cell_line = 0;    // on which the open cell began
  bool open = false;        // a record goes on over a line break
  bool ended = false;       // a record ended on this line
  CsvRecord* record = nullptr;
  size_t cells = 0;  // of the record
  std::exception_ptr error;

  static void on_cell(void* cell, size_t size, void* self) {
    static_cast<State*>(self)->add_cell(cell, size);
  }
  static void on_record(int, void* self) { static_cast<State*>(self)->ended = true; }

  void add_cell(const void* cell, size_t size) {
    try {
      if (cells == record->cells.size()) record->cells.emplace_back();
      record->cells[cells++].assign(static_cast<const char*>(cell), size);
      cell_line = line;
    } catch (...) {  // must not pass through C
      error = std::current_exception();
    }
  }

  /// The line at `used`, with what ends it.
  std::string_view next_line() {
    const size_t end = text.find_first_of("\r\n", used);
    if (end == std::string_view::npos) return text.substr(used);
    const bool crlf = text.substr(end, 2) == "\r\n";
    return text.substr(used, end - used + (crlf ? 2 : 1));
  }

  void feed(std::string_view bytes) {
    const size_t done = csv_parse(&parser, bytes.data(), bytes.size(), on_cell, on_record, this);
    check();
    if (done == bytes.size()) return;
    throw invalid_argument(
        path, ":", line, ": a quote sign inside a cell",
        cell_line < line ? str(" (the cell begins on line ", cell_line, ")") : std::string(),
        "; put the whole cell in quotes and write \"\" for a quote sign in it");
  }

  void finish() {
    if (csv_fini(&parser, on_cell, on_record, this) == 0) return check();
    check();
    throw invalid_argument(path, ":", cell_line,
                           ": a quote opens on this line and is never closed");
  }

  void check() const {
    if (error) std::rethrow_exception(error);
    if (csv_error(const_cast<csv_parser*>(&parser)) == CSV_ENOMEM)
      throw resource_exhausted(path, ": out of memory");
  }
};

CsvReader::CsvReader(std::string_view text, std::string path, char delimiter)
    : state_(std::make_unique<State>()) {
  state_->text = text;
  state_->path = std::move(path);
  state_->delimiter = delimiter;
  csv_init(&state_->parser, CSV_STRICT | CSV_STRICT_FINI);
  csv_set_delim(&state_->parser, static_cast<unsigned char>(delimiter));
}

CsvReader::~CsvReader() { csv_free(&state_->parser); }

bool CsvReader::next(CsvRecord& record) {
  State& s = *state_;
  s.record = &record;
  s.cells = 0;
  s.ended = false;
  while (!s.ended && s.used < s.text.size()) {
    const std::string_view line = s.next_line();
    ++s.line;
    if (!s.open) s.record_line = s.cell_line = s.line;
    s.feed(line);
    s.used += line.size();
    s.open = !s.ended && (s.open || !is_blank(line, s.delimiter));
  }
  if (!s.ended && s.open) {
    s.finish();
    s.open = false;
  }
  record.line = s.record_line;
  record.cells.resize(s.cells);
  return s.ended;
}

namespace {

/// Bytes of the UTF-8 character that `text` starts with; 0 when it is none, or a control character.
size_t character_size(std::string_view text) {
  const auto byte = [&](size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const size_t size = first >= 0xC2 && first < 0xE0   ? 2
                      : first >= 0xE0 && first < 0xF0 ? 3
                      : first >= 0xF0 && first < 0xF5 ? 4
                                                      : 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return size;
}

/// The line of the byte at `offset`, from 1. Lines end as in CsvReader: with \n, \r\n or \r.
int64_t line_at(std::string_view text, size_t offset) {
  int64_t line = 1;
  for (size_t i = 0; i < offset; ++i) {
    if (text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n")) ++line;
  }
  return line;
}

}  // namespace

std::string_view check_text(std::string_view bytes, const std::string& path) {
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) {
    throw invalid_argument(path, ": is UTF-16 text; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
  }
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  for (size_t i = 0; i < bytes.size();) {
    const size_t size = character_size(bytes.substr(i, 4));
    if (size == 0) {
      const int64_t line = line_at(bytes, i);
      const auto byte = static_cast<unsigned char>(bytes[i]);
      if (byte < 0x20)
        throw invalid_argument(path, ":", line, ": is no text: it holds a byte of value ",
                               int{byte});
      throw invalid_argument(path, ":", line, ": is no UTF-8 text (byte ", int{byte},
                             "); if it is text of an older "
                             "encoding, convert it (iconv -f ISO-8859-1 -t UTF-8)");
    }
    i += size;
  }
  return bytes;
}

}  // namespace thalweg::data
