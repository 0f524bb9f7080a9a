#include "estimator/columns/column_survey.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "estimator/columns/date_text.h"
#include "estimator/columns/raw_cells.h"
#include "thalweg/base/strings.h"

namespace thalweg {
namespace {

constexpr size_t kMostParts = 1000;

int64_t count_words(std::string_view text) {
  int64_t words = 0;
  bool in_word = false;
  for (const char c : text) {
    const bool blank = c == ' ' || (c >= '\t' && c <= '\r');
    words += !blank && !in_word;
    in_word = !blank;
  }
  return words;
}

bool is_number(std::string_view text) {
  text = trim(text);
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

ScanWants survey_wants(const data::ColumnInfo& info, int64_t columns) {
  const bool is_text = info.type == data::ColumnType::kText;
  const int64_t share = (is_text ? 20000000 : 2000000) / columns;
  return {
      .counts = true,
      .capacity = std::clamp<int64_t>(share, 1000, is_text ? ColumnSurvey::kMostDistinct : 20000)};
}

}  // namespace

ColumnSurvey::ColumnSurvey(data::ColumnInfo info, int64_t columns)
    : info_(info), scan_(info, survey_wants(info, columns)) {}

void ColumnSurvey::add(const data::Column& cells) {
  scan_.add(cells);
  std::vector<double> numbers;
  for (int64_t row = 0; row < cells.size(); ++row) {
    if (is_missing_cell(cells, row)) continue;
    const auto place = static_cast<size_t>(row);
    switch (info_.type) {
      case data::ColumnType::kText: add_text(cells.texts()[row]); break;
      case data::ColumnType::kInteger: {
        const int64_t value = cells.integers()[place];
        rises_ &= !last_ || value > *last_;
        last_ = value;
        numbers.push_back(static_cast<double>(value));
        break;
      }
      case data::ColumnType::kReal: {
        const double value = cells.reals()[place];
        if (std::isfinite(value)) numbers.push_back(value);
        break;
      }
    }
  }
  moments_.add(numbers);
}

void ColumnSurvey::add_text(std::string_view cell) {
  dates_ += parse_date(cell).has_value();
  words_ += count_words(cell);
  if (is_number(cell)) {
    ++numbers_;
  } else if (no_number_.empty()) {
    no_number_ = cell;
  }
  for (Separator& separator : separators_) {
    if (cell.find(separator.character) != std::string_view::npos) ++separator.cells;
    if (separator.parts.size() > kMostParts) continue;
    for (const std::string_view part : list_cell(cell, {&separator.character, 1})) {
      if (!separator.parts.contains(part)) separator.parts.emplace(part);
    }
  }
}

int64_t ColumnSurvey::repeated() const {
  return static_cast<int64_t>(scan_.counts().commonest(kMostDistinct, 2).size());
}

double ColumnSurvey::mean_words() const {
  return present() == 0 ? 0 : static_cast<double>(words_) / static_cast<double>(present());
}

std::optional<ColumnSurvey::Parts> ColumnSurvey::parts(std::string_view separators) const {
  std::optional<Parts> best;
  for (const Separator& separator : separators_) {
    if (separators.find(separator.character) == std::string_view::npos) continue;
    if (separator.cells == 0 || (best && best->cells >= separator.cells)) continue;
    best =
        Parts{separator.character, separator.cells, static_cast<int64_t>(separator.parts.size())};
  }
  return best;
}

std::string ColumnSurvey::commonest() const {
  const auto values = scan_.counts().commonest(1);
  return values.empty() ? std::string() : values[0].first;
}

}  // namespace thalweg
