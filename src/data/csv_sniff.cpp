#include "data/csv_sniff.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "data/cell_numbers.h"
#include "data/table_text.h"
#include "thalweg/base/error.h"

namespace thalweg::data {
namespace {

constexpr size_t kSampleRecords = 200;
constexpr size_t kHead = size_t{256} << 10;
constexpr size_t kLongestHead = size_t{64} << 20;

std::string name_of(char delimiter) {
  switch (delimiter) {
    case ',': return "comma";
    case '\t': return "tab";
    case ';': return "semicolon";
    case '|': return "pipe";
    case ' ': return "blank";
    default: return str('\'', delimiter, '\'');
  }
}

class Sniffer {
 public:
  Sniffer(const StreamedFile& file, const TableOptions& options, bool quotes)
      : file_(file), options_(options), missing_(options.missing) {
    facts_.format.syntax.quotes = quotes;
    facts_.format.syntax.comment = options.comment;
  }

  CsvFacts sniff() {
    check_options();
    read_head(kHead);
    CsvSyntax& syntax = facts_.format.syntax;
    syntax.delimiter = options_.delimiter.value_or(',');
    sample();
    // A head without a whole record: lines are long.
    for (size_t size = kHead * 16; records_.size() < 2 && !is_all_ && size <= kLongestHead;
         size *= 16) {
      read_head(size);
      sample();
    }
    if (records_.empty()) {
      throw invalid_argument(
          file_.name(), head_.empty() ? ": the file is empty" : ": the file has no row of data");
    }
    if (!options_.delimiter) find_delimiter();
    syntax.columns = records_[0].cells.size();
    name_columns();
    return std::move(facts_);
  }

 private:
  void check_options() const {
    const auto delimiter = options_.delimiter;
    if (options_.decimal != '.' && options_.decimal != ',') {
      throw invalid_argument("the decimal sign '", options_.decimal,
                             "' is neither a point nor a comma");
    }
    if (!delimiter) return;
    if (*delimiter == '"' || *delimiter == '\n' || *delimiter == '\r')
      throw invalid_argument("a quote sign or line end cannot be the delimiter");
    if (*delimiter == options_.decimal) {
      throw invalid_argument("delimiter and decimal sign are both '", *delimiter,
                             "'; one of them must be another");
    }
    if (options_.comment && *options_.comment == *delimiter)
      throw invalid_argument("delimiter and sign of comments are both '", *delimiter, "'");
  }

  void read_head(size_t size) {
    head_ = file_.head(size);
    is_all_ = head_.size() < size;
    text_ = head_;
    CsvFormat& format = facts_.format;
    format.begin = 0;
    format.first_line = 1;
    if (text_.starts_with("\xFF\xFE") || text_.starts_with("\xFE\xFF")) {
      throw invalid_argument(file_.name(),
                             ": is UTF-16 text; save it as UTF-8 (iconv -f UTF-16 -t UTF-8)");
    }
    if (text_.starts_with("\xEF\xBB\xBF")) drop(3);
    format.syntax.line_end =
        text_.find('\n') == std::string_view::npos && text_.find('\r') != std::string_view::npos
            ? '\r'
            : '\n';
    check_text();
    for (int64_t i = 0; i < options_.skip_rows; ++i) {
      const size_t end = text_.find(format.syntax.line_end);
      if (end == std::string_view::npos && is_all_) {
        throw invalid_argument(file_.name(), ": has only ", i + (text_.empty() ? 0 : 1),
                               " lines, of which ", options_.skip_rows, " are to be skipped (",
                               remedy(options_, "skip_rows"), ")");
      }
      drop(end == std::string_view::npos ? text_.size() : end + 1);
      ++format.first_line;
    }
  }

  /// Bytes that are no text say more than any guess made of them.
  void check_text() const {
    const auto control = std::ranges::find_if(text_, [](char c) {
      return static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n' && c != '\r';
    });
    if (control == text_.end()) return;
    const auto place = static_cast<size_t>(control - text_.begin());
    throw invalid_argument(
        file_.name(), ":",
        1 + std::ranges::count(text_.substr(0, place), facts_.format.syntax.line_end),
        ": is no text: it holds a byte of value ", int{static_cast<unsigned char>(*control)});
  }

  void drop(size_t bytes) {
    text_.remove_prefix(bytes);
    facts_.format.begin += bytes;
  }

  void sample() { records_ = sample_records(text_, facts_.format.syntax, kSampleRecords, is_all_); }

  void find_delimiter() {
    CsvSyntax& syntax = facts_.format.syntax;
    double best_score = 0;
    char best = syntax.delimiter;
    for (const char candidate : {',', '\t', ';', '|'}) {
      if (candidate == options_.decimal || options_.comment == candidate) continue;
      syntax.delimiter = candidate;
      const auto records = sample_records(text_, syntax, kSampleRecords, is_all_);
      if (records.empty()) continue;
      const double score = score_of(records);
      if (score > best_score) {
        best_score = score;
        best = candidate;
      }
    }
    syntax.delimiter = best;
    sample();
    if (records_[0].cells.size() > 1) {
      if (best != ',') facts_.notes.push_back(str("delimiter: ", name_of(best), " (found)"));
    } else {
      facts_.format.hint =
          str("; is ", name_of(best), " the delimiter? else ", remedy(options_, "delimiter"));
    }
  }

  /// How many records have as many cells as the most common number, above one; more cells count a
  /// little more.
  static double score_of(const std::vector<SampleRecord>& records) {
    std::map<size_t, size_t> counts;
    for (const SampleRecord& record : records) ++counts[record.cells.size()];
    const auto most =
        std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    if (most->first == 1) {
      return counts.size() == 1 ? 0 : 0.1 * (1 - double(most->second) / double(records.size()));
    }
    const double share = static_cast<double>(most->second) / static_cast<double>(records.size());
    return share * share + 1e-3 * static_cast<double>(std::min<size_t>(most->first, 100));
  }

  bool is_missing(std::string_view cell) const { return missing_.contains(trim_blanks(cell)); }
  bool is_number(std::string_view cell) const {
    double value = 0;
    return lenient_real(trim_blanks(cell), options_.decimal, value) && std::isfinite(value);
  }

  /// Whether the first record names the columns.
  bool looks_like_header() const {
    const std::vector<std::string>& first = records_[0].cells;
    if (std::ranges::any_of(first, [&](const auto& cell) { return is_number(cell); })) return false;
    if (std::ranges::all_of(first, [&](const auto& cell) { return is_missing(cell); }))
      return false;
    bool recurs = false;
    for (size_t i = 0; i < first.size(); ++i) {
      bool numbers = false, texts = false;
      for (size_t row = 1; row < records_.size(); ++row) {
        if (i >= records_[row].cells.size()) continue;
        const std::string& cell = records_[row].cells[i];
        (is_number(cell) ? numbers : texts) |= !is_missing(cell);
        recurs = recurs || (!is_missing(cell) && cell == first[i]);
      }
      if (numbers && !texts) return true;
    }
    // All columns hold text. Names do not come again as values.
    return !recurs;
  }

  void name_columns() {
    CsvFormat& format = facts_.format;
    const SampleRecord& first = records_[0];
    const bool has_header = options_.header.value_or(looks_like_header());
    const std::string where = str(file_.name(), ":", format.first_line + count_lines(first.begin));
    format.expected = has_header ? "the header" : "the first row";
    if (!options_.names.empty()) {
      if (options_.names.size() != first.cells.size()) {
        throw invalid_argument(file_.name(), ": has ", first.cells.size(), " columns, but ",
                               options_.names.size(), " names are given (",
                               remedy(options_, "names"), ")", format.hint);
      }
      facts_.names = options_.names;
    } else if (has_header) {
      facts_.names = first.cells;
      name_the_nameless();
    } else {
      for (size_t i = 1; i <= first.cells.size(); ++i) facts_.names.push_back(str('c', i));
    }
    check_names(where, has_header);
    if (!options_.header) add_header_note(has_header);
    if (!has_header) return;
    if (records_.size() == 1 && is_all_) {
      throw invalid_argument(file_.name(), ": has a header line but no rows of data",
                             options_.header ? std::string()
                                             : str("; if the line is data, ",
                                                   remedy(options_, "header", " to false")));
    }
    format.first_line += count_lines(first.end);
    drop(first.end);
  }

  // As in files without a header: spreadsheets and data frames leave the column of row numbers
  // unnamed.
  void name_the_nameless() {
    for (size_t i = 0; i < facts_.names.size(); ++i) {
      if (!facts_.names[i].empty()) continue;
      facts_.names[i] = str('c', i + 1);
      facts_.notes.push_back(
          str("column ", i + 1, " has no name in the header; it is named ", facts_.names[i]));
    }
  }

  void add_header_note(bool has_header) {
    if (has_header) {
      facts_.notes.push_back(options_.names.empty()
                                 ? "header: the first line (found)"
                                 : "header: the first line (found), replaced by the names given");
    } else if (options_.names.empty()) {
      facts_.notes.push_back(
          facts_.names.size() == 1
              ? std::string("header: none (found); the column is named c1")
              : str("header: none (found); the columns are named c1 to c", facts_.names.size()));
    } else {
      facts_.notes.push_back("header: none (found)");
    }
  }

  void check_names(const std::string& where, bool has_header) const {
    std::map<std::string_view, size_t> seen;
    for (size_t i = 0; i < facts_.names.size(); ++i) {
      const std::string& name = facts_.names[i];
      if (name.empty()) {
        throw invalid_argument(where, ": column ", i + 1, " has no name; write one in the header, ",
                               "or ", remedy(options_, "names"));
      }
      const auto [known, is_new] = seen.emplace(name, i + 1);
      if (is_new) continue;
      throw invalid_argument(
          where, ": columns ", known->second, " and ", i + 1, " are both named ", quoted(name),
          "; ",
          has_header && options_.names.empty() ? "rename one in the header, or " : "rename one: ",
          remedy(options_, "names"));
    }
  }

  int64_t count_lines(size_t bytes) const {
    return std::ranges::count(text_.substr(0, bytes), facts_.format.syntax.line_end);
  }

  const StreamedFile& file_;
  const TableOptions& options_;
  MissingWords missing_;
  CsvFacts facts_;
  std::string head_;
  std::string_view text_;  // of head_, without what is passed over
  bool is_all_ = false;    // the head is the whole file
  std::vector<SampleRecord> records_;
};

}  // namespace

CsvFacts sniff_csv(const StreamedFile& file, const TableOptions& options, bool quotes) {
  return Sniffer(file, options, quotes).sniff();
}

}  // namespace thalweg::data
