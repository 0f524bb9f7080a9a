#include <algorithm>

#include "cli/report/document.h"
#include "cli/text.h"
#include "thalweg/base/printable.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {
namespace {

constexpr size_t kWidth = 100;

std::string wrapped(const std::string& sentence) {
  std::string text;
  size_t column = 0;
  for (const std::string& word : split(printable(sentence), ' ')) {
    if (column > 0 && column + 1 + word.size() > kWidth) {
      text += "\n  ";
      column = 2;
    } else if (column > 0) {
      text += ' ';
      ++column;
    }
    text += word;
    column += word.size();
  }
  return text + "\n";
}

bool is_text_column(const DocTable& table, size_t column) {
  return std::ranges::find(table.text_columns, column) != table.text_columns.end();
}

std::string table_text(const DocTable& table, size_t most_rows) {
  std::vector<std::vector<std::string>> rows;
  if (!table.header.empty()) rows.push_back(table.header);
  const size_t shown = std::min(table.rows.size(), most_rows);
  rows.insert(rows.end(), table.rows.begin(), table.rows.begin() + static_cast<int64_t>(shown));
  // aligned() puts all but the first column to the right; sentences are filled up for it.
  std::vector<size_t> widths;
  for (auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = printable(row[i]);
      const auto width = std::ranges::count_if(
          row[i], [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; });
      widths[i] = std::max(widths[i], static_cast<size_t>(width));
    }
  }
  for (auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      if (is_text_column(table, i)) row[i] = fitted(row[i], widths[i]);
    }
  }
  std::string text = aligned(rows);
  if (shown < table.rows.size()) {
    append(text, str("and ", grouped(static_cast<int64_t>(table.rows.size() - shown)), " more\n"));
  }
  return text;
}

}  // namespace

std::string render_text(const Document& document, size_t most_rows) {
  std::string text = wrapped(document.lead);
  for (const DocSection& section : document.sections) {
    append(text, str("\n", section.heading, "\n"));
    for (const std::string& sentence : section.sentences) append(text, wrapped(sentence));
    for (const DocTable& table : section.tables) append(text, table_text(table, most_rows));
    if (!section.code.empty()) append(text, str(printable(section.code), "\n"));
  }
  return text;
}

}  // namespace thalweg::cli
