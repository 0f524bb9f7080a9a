// A plain reader of a few records, for guesses.
#include <algorithm>

#include "data/csv_sniff.h"
#include "data/table_text.h"

namespace thalweg::data {
namespace {

class Sampler {
 public:
  Sampler(std::string_view text, const CsvSyntax& syntax) : text_(text), syntax_(syntax) {}

  bool at_end() const { return at_ == text_.size(); }

  /// Takes the next record; false when its line end was not seen.
  bool next(SampleRecord& record) {
    record = {.begin = at_};
    while (at_ < text_.size()) {
      const bool quoted = take_cell(record);
      record.quoted.push_back(quoted);
      if (at_ == text_.size()) break;
      const bool line = text_[at_++] == syntax_.line_end;
      if (line) {
        record.end = at_;
        return true;
      }
      if (at_ == text_.size()) {  // a delimiter at the very end: an empty cell behind it
        record.cells.emplace_back();
        record.quoted.push_back(false);
      }
    }
    record.end = at_;
    return false;
  }

  bool is_comment(const SampleRecord& record) const {
    return syntax_.comment && text_.substr(record.begin).starts_with(*syntax_.comment);
  }
  void skip_line() {
    const size_t end = text_.find(syntax_.line_end, at_);
    at_ = end == std::string_view::npos ? text_.size() : end + 1;
  }
  bool begins_comment() const { return syntax_.comment && text_[at_] == *syntax_.comment; }

 private:
  bool is_end(char c) const { return c == syntax_.delimiter || c == syntax_.line_end; }

  bool take_cell(SampleRecord& record) {
    size_t begin = at_;
    while (begin < text_.size() && is_blank(text_[begin]) && !is_end(text_[begin])) ++begin;
    if (!syntax_.quotes || begin == text_.size() || text_[begin] != '"') {
      while (at_ < text_.size() && !is_end(text_[at_])) ++at_;
      const size_t size = at_ - std::min(begin, at_);
      record.cells.emplace_back(trim_blanks(text_.substr(std::min(begin, at_), size)));
      return false;
    }
    std::string cell;
    for (at_ = begin + 1; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (text_.substr(at_ + 1, 1) != "\"") break;
        ++at_;
      }
      cell += text_[at_];
    }
    // What stands behind the closing quote is for the real reader to complain about.
    while (at_ < text_.size() && !is_end(text_[at_])) ++at_;
    record.cells.push_back(std::move(cell));
    return true;
  }

  std::string_view text_;
  const CsvSyntax& syntax_;
  size_t at_ = 0;
};

}  // namespace

std::vector<SampleRecord> sample_records(std::string_view text, const CsvSyntax& syntax,
                                         size_t most, bool is_all) {
  Sampler sampler(text, syntax);
  std::vector<SampleRecord> result;
  while (result.size() < most && !sampler.at_end()) {
    if (sampler.begins_comment()) {
      sampler.skip_line();
      continue;
    }
    SampleRecord record;
    const bool whole = sampler.next(record);
    if (!whole && !is_all) break;
    const bool blank = record.cells.size() == 1 && record.cells[0].empty() && !record.quoted[0];
    if (!blank) result.push_back(std::move(record));
  }
  return result;
}

}  // namespace thalweg::data
