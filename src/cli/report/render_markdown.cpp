#include <algorithm>

#include "cli/report/document.h"
#include "thalweg/base/printable.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {
namespace {

std::string row_text(const std::vector<std::string>& cells, size_t width) {
  std::string line = "|";
  for (size_t i = 0; i < width; ++i) {
    append(line, str(" ", i < cells.size() ? markdown_escaped(cells[i]) : std::string(), " |"));
  }
  return line + "\n";
}

std::string table_markdown(const DocTable& table) {
  size_t width = table.header.size();
  for (const auto& row : table.rows) width = std::max(width, row.size());
  std::string text = row_text(table.header, width) + "|";
  for (size_t i = 0; i < width; ++i) {
    const bool left =
        i == 0 || std::ranges::find(table.text_columns, i) != table.text_columns.end();
    text += left ? " --- |" : " ---: |";
  }
  text += '\n';
  for (const auto& row : table.rows) text += row_text(row, width);
  return text;
}

// Longer than any run of backticks within.
std::string fence_for(std::string_view code) {
  size_t longest = 2, run = 0;
  for (const char c : code) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

}  // namespace

std::string markdown_escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    if (std::string_view("\\`*_[]<>|#~&").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

std::string render_markdown(const Document& document) {
  std::string text =
      str("# ", markdown_escaped(document.title), "\n\n", markdown_escaped(document.lead), "\n");
  for (const DocSection& section : document.sections) {
    append(text, str("\n## ", markdown_escaped(section.heading), "\n"));
    for (const std::string& sentence : section.sentences) {
      append(text, str("\n", markdown_escaped(sentence), "\n"));
    }
    for (const DocTable& table : section.tables) append(text, str("\n", table_markdown(table)));
    if (section.code.empty()) continue;
    const std::string fence = fence_for(section.code);
    append(text, str("\n", fence, "sh\n", printable_lines(section.code), "\n", fence, "\n"));
  }
  return text;
}

}  // namespace thalweg::cli
