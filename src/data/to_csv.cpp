// Tables as CSV text.
#include "thalweg/base/strings.h"
#include "thalweg/data/table_source.h"

namespace thalweg::data {
namespace {

void append_text(std::string& out, std::string_view text, char delimiter) {
  // Blanks at the ends would be taken off when it is read again, a byte order mark at the front
  // too.
  const bool plain =
      text.find_first_of("\"\r\n") == std::string_view::npos &&
      text.find(delimiter) == std::string_view::npos && !text.starts_with("\xEF\xBB\xBF") &&
      (text.empty() ||
       (text.front() != ' ' && text.front() != '\t' && text.back() != ' ' && text.back() != '\t'));
  if (plain) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

void append_cell(std::string& out, const Column& column, int64_t row, char delimiter) {
  if (column.is_missing(row)) return;
  switch (column.type()) {
    case ColumnType::kInteger: append(out, column.integers()[static_cast<size_t>(row)]); break;
    case ColumnType::kReal: append(out, column.reals()[static_cast<size_t>(row)]); break;
    case ColumnType::kText: append_text(out, column.texts()[row], delimiter); break;
  }
}

}  // namespace

std::string to_csv(const Table& table, char delimiter) {
  std::string out;
  const std::vector<Column>& columns = table.columns();
  for (size_t i = 0; i < columns.size(); ++i) {
    if (i != 0) out += delimiter;
    append_text(out, columns[i].name(), delimiter);
  }
  out += '\n';
  for (int64_t row = 0; row < table.rows(); ++row) {
    const size_t begin = out.size();
    for (size_t i = 0; i < columns.size(); ++i) {
      if (i != 0) out += delimiter;
      append_cell(out, columns[i], row, delimiter);
    }
    // A line with nothing on it would be passed over by readers, a quoted nothing is not.
    if (out.size() == begin) out += "\"\"";
    out += '\n';
  }
  return out;
}

}  // namespace thalweg::data
