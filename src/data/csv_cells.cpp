#include "data/csv_cells.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "data/fast_numbers.h"

namespace thalweg::data {
namespace {

/// Without blanks around it and without quotes, whatever is between them.
inline std::string_view bare_text(const CsvPart& part, CsvTokens::Cell cell) {
  const char* begin = part.text.data() + cell.begin;
  const char* end = part.text.data() + cell.end;
  while (begin != end && is_blank(*begin)) ++begin;
  while (begin != end && is_blank(end[-1])) --end;
  if (cell.quoted) {
    ++begin;
    --end;
  }
  return {begin, static_cast<size_t>(end - begin)};
}

/// Copies into memory of which kSlack bytes more may be written.
constexpr size_t kSlack = 16;
inline void copy_short(char* to, std::string_view text) {
  if (text.size() <= kSlack) {
    std::memcpy(to, text.data(), kSlack);  // what is behind a part's text is readable
  } else {
    std::memcpy(to, text.data(), text.size());
  }
}

}  // namespace

std::string_view cell_text(const CsvPart& part, CsvTokens::Cell cell, std::string& scratch) {
  const std::string_view text = bare_text(part, cell);
  if (!cell.doubled) return text;
  scratch.clear();
  for (size_t i = 0; i < text.size(); ++i) {
    scratch += text[i];
    if (text[i] == '"') ++i;
  }
  return scratch;
}

void CsvCells::begin(int64_t rows) {
  rows_ = rows;
  converted_ = 0;
  has_value_ = false;
  magnitude_bits_ = 0;
  missing_.clear();
  size_ = 0;
  ends_.clear();
}

bool CsvCells::has_inexact() const { return magnitude_bits_ >= kMostExactReal; }

void CsvCells::set_missing(int64_t row) {
  if (missing_.empty()) missing_.resize(static_cast<size_t>(rows_));
  missing_[static_cast<size_t>(row)] = 1;
}

template <class T, class Parse, class PlainParse>
void CsvCells::take_numbers(const CsvPart& part, size_t place, const CellRules& rules, int64_t end,
                            T* out, T absent, Parse parse, PlainParse plain_parse) {
  const bool words_first = rules.missing.has_numbers();
  bool any = has_value_;
  std::string scratch;
  int64_t row = converted_;
  for (; row < end; ++row) {
    const CsvTokens::Cell cell = part.tokens.cell(row, place);
    const std::string_view text = bare_text(part, cell);
    T value{};
    if (!words_first && parse(text, value)) [[likely]] {
      out[row] = value;
      any = true;
      continue;
    }
    // White space in quotes does not count either.
    const std::string_view trimmed = trim_blanks(cell_text(part, cell, scratch));
    if (rules.missing.contains(trimmed)) {
      out[row] = absent;
      set_missing(row);
    } else if (plain_parse(trimmed, value)) {
      out[row] = value;
      any = true;
    } else {
      break;
    }
  }
  converted_ = row;
  has_value_ = any;
}

void CsvCells::take_integers(const CsvPart& part, size_t place, const CellRules& rules, int64_t end,
                             int64_t* out) {
  int64_t bits = magnitude_bits_;
  const bool lenient = rules.is_lenient;
  take_numbers<int64_t>(
      part, place, rules, end, out, 0,
      [&bits](std::string_view text, int64_t& value) {
        if (!fast_integer(text, value)) return false;
        bits |= value ^ (value >> 63);
        return true;
      },
      [&bits, lenient](std::string_view text, int64_t& value) {
        if (!strict_integer(text, value) && !(lenient && lenient_integer(text, value)))
          return false;
        bits |= value ^ (value >> 63);
        return true;
      });
  magnitude_bits_ = bits;
}

void CsvCells::take_reals(const CsvPart& part, size_t place, const CellRules& rules, int64_t end,
                          double* out) {
  const char decimal = rules.decimal;
  const bool lenient = rules.is_lenient;
  take_numbers<double>(
      part, place, rules, end, out, std::numeric_limits<double>::quiet_NaN(),
      [decimal](std::string_view text, double& value) { return fast_real(text, decimal, value); },
      [decimal, lenient](std::string_view text, double& value) {
        return strict_real(text, decimal, value) || (lenient && lenient_real(text, decimal, value));
      });
}

void CsvCells::take_texts(const CsvPart& part, size_t place, const CellRules& rules, int64_t end) {
  if (converted_ == end) return;
  const size_t most = part.tokens.cell(end - 1, place).end - part.tokens.cell(converted_, 0).begin;
  if (capacity_ < size_ + most + kSlack) {
    capacity_ = 2 * (size_ + most) + kSlack;
    std::unique_ptr<char[]> bytes(new char[capacity_]);
    if (size_ != 0) std::memcpy(bytes.get(), bytes_.get(), size_);
    bytes_ = std::move(bytes);
  }
  ends_.resize(static_cast<size_t>(end));
  bool any = has_value_;
  std::string scratch;
  for (int64_t row = converted_; row < end; ++row) {
    const CsvTokens::Cell cell = part.tokens.cell(row, place);
    std::string_view text = bare_text(part, cell);
    if (cell.doubled) {
      text = cell_text(part, cell, scratch);
      std::memcpy(bytes_.get() + size_, text.data(), text.size());
    } else {
      copy_short(bytes_.get() + size_, text);
    }
    const bool is_padded =
        cell.quoted && !text.empty() && (is_blank(text.front()) || is_blank(text.back()));
    if (rules.missing.contains(text) || (is_padded && rules.missing.contains(trim_blanks(text))))
        [[unlikely]] {
      set_missing(row);
    } else {
      any = true;
      size_ += text.size();
    }
    ends_[static_cast<size_t>(row)] = size_;
  }
  converted_ = end;
  has_value_ = any;
}

}  // namespace thalweg::data
