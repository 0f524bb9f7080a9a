// A report between facts and faces: sections of sentences, tables and plots, which renderers turn
// into text, Markdown or HTML.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace thalweg::cli {

struct DocTable {
  std::vector<std::string> header = {};
  /// The first column to the left, numbers to the right.
  std::vector<std::vector<std::string>> rows = {};
  /// Columns besides the first that hold sentences, and go to the left.
  std::vector<size_t> text_columns = {};
};

struct DocPlot {
  std::string title;
  std::string svg;
};

struct DocSection {
  std::string heading;
  std::vector<std::string> sentences = {};
  std::vector<DocTable> tables = {};
  std::vector<DocPlot> plots = {};
  /// A command to be copied; may be empty.
  std::string code = {};
};

struct Document {
  std::string title;
  std::string lead;  // the result in a sentence
  std::vector<DocSection> sections = {};
};

/// Plots are left out; of a table of more than `most_rows` rows the first, and how many more there
/// are.
std::string render_text(const Document& document, size_t most_rows = 40);
/// GitHub's. Plots are left out.
std::string render_markdown(const Document& document);
/// Self-contained, without scripts.
std::string render_html(const Document& document);

/// `text` for HTML, in elements and attributes.
std::string html_escaped(std::string_view text);
/// `text` for a Markdown sentence or cell.
std::string markdown_escaped(std::string_view text);

}  // namespace thalweg::cli
