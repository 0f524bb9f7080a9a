#include <algorithm>

#include "cli/report/document.h"
#include "thalweg/base/printable.h"
#include "thalweg/base/strings.h"

namespace thalweg::cli {
namespace {

// Colours are variables, so that plots follow the reader's choice of light or dark. The two hues
// differ in brightness too, for those who do not tell colours apart.
constexpr std::string_view kStyle = R"(
:root { color-scheme: light dark; --back: #fff; --text: #1b1f24; --soft: #57606a; --line: #d0d7de;
        --first: #0b5cad; --second: #b5490c; --fill: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --back: #14181d; --text: #e6edf3; --soft: #9aa4af; --line: #39424c;
          --first: #6cb2ff; --second: #ffa657; --fill: #6cb2ff; } }
body { background: var(--back); color: var(--text); font: 16px/1.5 system-ui, sans-serif;
       max-width: 62rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; }
p.lead { font-size: 1.1rem; }
div.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: .7rem 0; }
th, td { border-bottom: 1px solid var(--line); padding: .2rem .7rem; text-align: right;
         font-variant-numeric: tabular-nums; }
th.left, td.left { text-align: left; }
th { color: var(--soft); font-weight: 600; }
pre { border: 1px solid var(--line); border-radius: 4px; padding: .6rem; overflow-x: auto; }
figure { display: inline-block; margin: .7rem 1rem .7rem 0; vertical-align: top; }
figcaption { color: var(--soft); font-size: .9rem; }
svg { max-width: 100%; height: auto; }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
svg .axis { stroke: var(--soft); stroke-width: 1; fill: none; }
svg .grid { stroke: var(--line); stroke-width: 1; fill: none; }
svg .first { stroke: var(--first); stroke-width: 2; fill: none; }
svg .second { stroke: var(--second); stroke-width: 2; fill: none; stroke-dasharray: 6 3; }
svg .hint { stroke: var(--soft); stroke-width: 1; fill: none; stroke-dasharray: 2 3; }
svg .bar { fill: var(--fill); }
svg .dot { fill: var(--fill); fill-opacity: .5; }
@media print { body { max-width: none; } }
)";

bool is_left(const DocTable& table, size_t column) {
  return column == 0 || std::ranges::find(table.text_columns, column) != table.text_columns.end();
}

std::string table_html(const DocTable& table) {
  std::string text = "<div class=\"wide\"><table>\n";
  const auto add_row = [&](const std::vector<std::string>& cells, bool is_header) {
    text += "<tr>";
    for (size_t i = 0; i < cells.size(); ++i) {
      const bool is_head = is_header || i == 0;
      const std::string_view tag = is_head ? "th" : "td";
      append(text, str("<", tag, is_head ? (is_header ? " scope=\"col\"" : " scope=\"row\"") : "",
                       is_left(table, i) ? " class=\"left\">" : ">", html_escaped(cells[i]), "</",
                       tag, ">"));
    }
    text += "</tr>\n";
  };
  if (!table.header.empty()) {
    text += "<thead>";
    add_row(table.header, true);
    text += "</thead>\n";
  }
  text += "<tbody>\n";
  for (const auto& row : table.rows) add_row(row, false);
  return text + "</tbody></table></div>\n";
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string result;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  }
  return result;
}

std::string render_html(const Document& document) {
  std::string text =
      str("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          html_escaped(document.title), "</title>\n<style>", kStyle,
          "</style>\n</head>\n<body>\n<h1>", html_escaped(document.title),
          "</h1>\n<p class=\"lead\">", html_escaped(document.lead), "</p>\n");
  for (const DocSection& section : document.sections) {
    append(text, str("<section>\n<h2>", html_escaped(section.heading), "</h2>\n"));
    for (const std::string& sentence : section.sentences) {
      append(text, str("<p>", html_escaped(sentence), "</p>\n"));
    }
    for (const DocTable& table : section.tables) append(text, table_html(table));
    for (const DocPlot& plot : section.plots) {
      append(text, str("<figure>\n", plot.svg, "\n<figcaption>", html_escaped(plot.title),
                       "</figcaption>\n</figure>\n"));
    }
    if (!section.code.empty()) {
      append(text, str("<pre><code>", html_escaped(section.code), "</code></pre>\n"));
    }
    text += "</section>\n";
  }
  return text + "</body>\n</html>\n";
}

}  // namespace thalweg::cli
