#include "data/csv_columns.h"

#include <algorithm>
#include <limits>

#include "data/cell_numbers.h"
#include "thalweg/base/error.h"
#include "thalweg/base/parallel.h"

namespace thalweg::data {
namespace {

/// The text of a cell: without blanks and quotes around it, with doubled quotes made single in
/// `scratch`.
inline std::string_view cell_text(const CsvPart& part, CsvTokens::Cell cell, std::string& scratch) {
  const char* begin = part.text.data() + cell.begin;
  const char* end = part.text.data() + cell.end;
  while (begin != end && is_blank(*begin)) ++begin;
  while (begin != end && is_blank(end[-1])) --end;
  if (!cell.quoted) return {begin, static_cast<size_t>(end - begin)};
  ++begin;
  --end;
  if (!cell.doubled) return {begin, static_cast<size_t>(end - begin)};
  scratch.clear();
  for (; begin != end; ++begin) {
    scratch += *begin;
    if (*begin == '"') ++begin;
  }
  return scratch;
}

/// Where the cells of a part go: `out` and `missing` begin with its first row.
template <class T>
struct Target {
  T* out;
  uint8_t* missing;
};

/// Calls parse(text, value) for each cell that is not missing, until it says false; returns that
/// row, or the number of rows.
template <class T, class Parse>
int64_t convert_numbers(const CsvPart& part, size_t place, const MissingWords& words,
                        Target<T> target, T absent, bool& has_value, Parse parse) {
  std::string scratch;
  const int64_t rows = part.tokens.rows();
  const bool words_first = words.has_numbers();
  bool any = false;
  int64_t row = 0;
  for (; row < rows; ++row) {
    const std::string_view text = cell_text(part, part.tokens.cell(row, place), scratch);
    T value{};
    if (!words_first && parse(text, value)) [[likely]] {
      target.out[row] = value;
      any = true;
      continue;
    }
    // White space in quotes does not count either.
    const std::string_view trimmed = trim_blanks(text);
    if (words.contains(trimmed)) {
      target.out[row] = absent;
      target.missing[row] = 1;
    } else if (parse(trimmed, value)) {
      target.out[row] = value;
      any = true;
    } else {
      break;
    }
  }
  has_value = has_value || any;
  return row;
}

}  // namespace

/// What a thread finds in one part: for each column.
struct CsvColumns::Part {
  std::vector<int64_t> converted;  // rows
  std::vector<uint8_t> has_value, has_inexact;
  std::vector<Texts> texts;
};

CsvColumns::CsvColumns(const std::string& file, const CsvFormat& format,
                       const TableOptions& options, std::vector<CsvColumn> columns)
    : file_(file),
      format_(format),
      options_(options),
      missing_(options.missing),
      columns_(std::move(columns)) {}

void CsvColumns::convert(const CsvPart& csv, size_t i, Part& part) {
  CsvColumn& column = columns_[i];
  const auto first = static_cast<size_t>(kept_ + csv.first_row);
  const bool is_set = column.is_set;
  const char decimal = options_.decimal;
  bool has_value = false;
  switch (column.type) {
    case ColumnType::kInteger: {
      int64_t bits = 0;  // of all magnitudes
      part.converted[i] = convert_numbers<int64_t>(
          csv, column.place, missing_, {&column.integers[first], &column.missing[first]}, 0,
          has_value, [&bits, is_set](std::string_view text, int64_t& value) {
            if (!strict_integer(text, value) && !(is_set && lenient_integer(text, value)))
              return false;
            bits |= value ^ (value >> 63);
            return true;
          });
      part.has_inexact[i] = bits > kMostExactReal;
      break;
    }
    case ColumnType::kReal:
      part.converted[i] = convert_numbers<double>(
          csv, column.place, missing_, {&column.reals[first], &column.missing[first]},
          std::numeric_limits<double>::quiet_NaN(), has_value,
          [decimal, is_set](std::string_view text, double& value) {
            return strict_real(text, decimal, value) ||
                   (is_set && lenient_real(text, decimal, value));
          });
      break;
    case ColumnType::kText: {
      std::string scratch;
      Texts& texts = part.texts[i];
      texts = Texts();
      const int64_t rows = csv.tokens.rows();
      texts.reserve(rows, 0);
      for (int64_t row = 0; row < rows; ++row) {
        const std::string_view text = cell_text(csv, csv.tokens.cell(row, column.place), scratch);
        if (missing_.contains(text) ||
            (!text.empty() && (is_blank(text.front()) || is_blank(text.back())) &&
             missing_.contains(trim_blanks(text)))) {
          column.missing[first + static_cast<size_t>(row)] = 1;
          texts.add({});
        } else {
          has_value = true;
          texts.add(text);
        }
      }
      part.converted[i] = rows;
      break;
    }
  }
  part.has_value[i] = has_value;
}

void CsvColumns::resize(CsvColumn& column, int64_t rows) {
  const auto size = static_cast<size_t>(kept_ + rows);
  column.missing.resize(static_cast<size_t>(kept_));
  column.missing.resize(size);
  if (column.type == ColumnType::kInteger) column.integers.resize(size);
  if (column.type == ColumnType::kReal) column.reals.resize(size);
}

void CsvColumns::add(const std::vector<const CsvPart*>& parts, int64_t rows, bool keep) {
  const size_t count = columns_.size();
  std::vector<Part> found(parts.size());
  for (Part& part : found) {
    part.converted.resize(count);
    part.has_value.resize(count);
    part.has_inexact.resize(count);
    part.texts.resize(count);
  }
  std::vector<uint8_t> open(count, 1);  // columns still to convert
  for (size_t i = 0; i < count; ++i) {
    if (!keep && columns_[i].type == ColumnType::kText && columns_[i].has_value) {
      open[i] = 0;
    } else {
      resize(columns_[i], rows);
    }
  }
  for (bool again = true; again;) {
    again = false;
    parallel_for(static_cast<int64_t>(parts.size()), 1, [&](int64_t begin, int64_t end) {
      for (auto p = static_cast<size_t>(begin); p < static_cast<size_t>(end); ++p) {
        for (size_t i = 0; i < count; ++i) {
          if (open[i] != 0) convert(*parts[p], i, found[p]);
        }
      }
    });
    for (size_t i = 0; i < count; ++i) {
      if (open[i] == 0) continue;
      CsvColumn& column = columns_[i];
      open[i] = 0;
      for (size_t p = 0; p < parts.size(); ++p) {
        column.has_value = column.has_value || found[p].has_value[i] != 0;
        column.has_inexact = column.has_inexact || found[p].has_inexact[i] != 0;
        if (found[p].converted[i] == parts[p]->tokens.rows()) continue;
        widen(column, *parts[p], found[p].converted[i]);
        resize(column, rows);
        open[i] = 1;
        again = true;
        break;
      }
    }
  }
  if (!keep) return;
  parallel_for(static_cast<int64_t>(count), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      if (columns_[i].type != ColumnType::kText) continue;
      for (const Part& part : found) columns_[i].texts.append(part.texts[i]);
    }
  });
  kept_ += rows;
}

std::string CsvColumns::text_of(const CsvColumn& column, const CsvPart& csv, int64_t row) const {
  std::string scratch;
  return std::string(trim_blanks(cell_text(csv, csv.tokens.cell(row, column.place), scratch)));
}

bool CsvColumns::is_followed_by_number(const CsvColumn& column, const CsvPart& csv,
                                       int64_t row) const {
  constexpr int64_t kMostRows = 10;
  const int64_t end = std::min(csv.tokens.rows(), row + 1 + kMostRows);
  for (int64_t next = row + 1; next < end; ++next) {
    double real = 0;
    const std::string text = text_of(column, csv, next);
    if (!missing_.contains(text)) return strict_real(text, options_.decimal, real);
  }
  return false;
}

void CsvColumns::widen(CsvColumn& column, const CsvPart& csv, int64_t row) {
  if (column.is_set) fail(column, csv, row);
  const std::string text = text_of(column, csv, row);
  const auto why = [&](const char* more) {
    return str("line ", csv.line_of(row, format_.syntax.line_end), " holds ", quoted(text), more);
  };
  double real = 0;
  const bool is_real = strict_real(text, options_.decimal, real);
  if (column.type == ColumnType::kInteger && is_real && !column.has_inexact) {
    column.type = ColumnType::kReal;
    column.reals.resize(static_cast<size_t>(kept_));
    for (size_t i = 0; i < column.reals.size(); ++i) {
      column.reals[i] = column.missing[i] != 0 ? std::numeric_limits<double>::quiet_NaN()
                                               : static_cast<double>(column.integers[i]);
    }
    column.integers = {};
    return;
  }
  const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
  const bool is_whole_number =
      !digits.empty() && std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
  int64_t integer = 0;
  if (is_real) {
    column.why_text = why(", and other lines integers that a real number would round");
  } else if (is_whole_number && digits[0] != '0') {
    column.why_text =
        why(strict_integer(text, integer) ? ", an integer that a real number would round"
                                          : ", an integer beyond 64 bits");
  } else if (column.has_value || is_followed_by_number(column, csv, row)) {
    column.why_text = why(", other lines numbers");
  }
  column.type = ColumnType::kText;
  column.integers = {};
  column.reals = {};
  if (kept_ > 0) is_whole_ = false;
}

void CsvColumns::fail(const CsvColumn& column, const CsvPart& csv, int64_t row) const {
  const bool integer = column.type == ColumnType::kInteger;
  const std::string hint =
      format_.hint.empty() ? str("; mend the cell, list it among the missing values (",
                                 remedy(options_, "missing"), "), or ", remedy(options_, "types"))
                           : format_.hint;
  throw invalid_argument(file_, ":", csv.line_of(row, format_.syntax.line_end), ": column '",
                         column.name, "' holds ", quoted(text_of(column, csv, row)), ", expected ",
                         integer ? "an integer" : "a number", hint);
}

void CsvColumns::reserve(double share) {
  const auto whole = [share](int64_t size) {
    return static_cast<size_t>(static_cast<double>(size) / share * 1.02) + 1024;
  };
  parallel_for(static_cast<int64_t>(columns_.size()), 1, [&](int64_t begin, int64_t end) {
    for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
      CsvColumn& column = columns_[i];
      const size_t rows = whole(kept_);
      column.missing.reserve(rows);
      if (column.type == ColumnType::kInteger) column.integers.reserve(rows);
      if (column.type == ColumnType::kReal) column.reals.reserve(rows);
      if (column.type == ColumnType::kText) {
        column.texts.reserve(static_cast<int64_t>(rows),
                             static_cast<int64_t>(whole(column.texts.bytes())));
      }
    }
  });
}

Table CsvColumns::take() {
  std::vector<Column> result;
  for (CsvColumn& column : columns_) {
    switch (column.type) {
      case ColumnType::kInteger:
        result.emplace_back(column.name, std::move(column.integers), std::move(column.missing));
        break;
      case ColumnType::kReal:
        result.emplace_back(column.name, std::move(column.reals), std::move(column.missing));
        break;
      case ColumnType::kText:
        result.emplace_back(column.name, std::move(column.texts), std::move(column.missing));
        break;
    }
  }
  forget();
  return Table(std::move(result));
}

void CsvColumns::forget() {
  for (CsvColumn& column : columns_) {
    column.integers = {};
    column.reals = {};
    column.texts = {};
    column.missing = {};
  }
  kept_ = 0;
}

void CsvColumns::make_real(size_t i) {
  columns_[i].type = ColumnType::kReal;
  columns_[i].integers = {};
  columns_[i].reals.assign(columns_[i].missing.size(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace thalweg::data
