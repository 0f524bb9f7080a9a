#include "data/csv_columns.h"

#include <sys/mman.h>

#include <algorithm>
#include <limits>

#include "data/cell_numbers.h"
#include "thalweg/base/error.h"

namespace thalweg::data {
namespace {

// Text of rows whose cells are converted in one go, column by column.
constexpr int64_t kTileBytes = int64_t{256} << 10;

/// Asks for large pages, which make the first touch of new memory several times cheaper.
void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] size_t bytes) {
#if defined(MADV_HUGEPAGE)
  constexpr uintptr_t kPage = uintptr_t{2} << 20;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(memory) + kPage - 1) / kPage * kPage;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(memory) + bytes) / kPage * kPage;
  // A wish: whether it is granted changes nothing but time.
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

template <class T>
void reserve_large(std::vector<T>& cells, size_t size) {
  cells.reserve(size);
  prefer_large_pages(cells.data(), cells.capacity() * sizeof(T));
}

}  // namespace

CsvColumns::CsvColumns(const std::string& file, const CsvFormat& format,
                       const TableOptions& options, std::vector<CsvColumn> columns)
    : file_(file),
      format_(format),
      options_(options),
      missing_(options.missing),
      columns_(std::move(columns)) {}

void CsvColumns::convert(const CsvPart& csv, std::vector<CsvCells>& cells,
                         const std::vector<uint8_t>& open) {
  const int64_t rows = csv.tokens.rows();
  const int64_t tile =
      std::max<int64_t>(64, rows * kTileBytes / std::max<int64_t>(1, std::ssize(csv.text)));
  const auto first = static_cast<size_t>(kept_ + csv.first_row);
  for (size_t i = 0; i < columns_.size(); ++i) {
    if (open[i] != 0) cells[i].begin(rows);
  }
  for (int64_t begin = 0; begin < rows; begin += tile) {
    const int64_t end = std::min(rows, begin + tile);
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (open[i] == 0 || cells[i].converted() != begin) continue;
      CsvColumn& column = columns_[i];
      const CellRules rules{missing_, options_.decimal, column.is_set};
      switch (column.type) {
        case ColumnType::kInteger:
          cells[i].take_integers(csv, column.place, rules, end, &column.integers[first]);
          break;
        case ColumnType::kReal:
          cells[i].take_reals(csv, column.place, rules, end, &column.reals[first]);
          break;
        case ColumnType::kText: cells[i].take_texts(csv, column.place, rules, end); break;
      }
    }
  }
}

void CsvColumns::resize(CsvColumn& column, int64_t rows) {
  const auto size = static_cast<size_t>(kept_ + rows);
  if (column.type == ColumnType::kInteger) column.integers.resize(size);
  if (column.type == ColumnType::kReal) column.reals.resize(size);
}

void CsvColumns::add(const std::vector<const CsvPart*>& parts, int64_t rows, bool keep,
                     Crew& crew) {
  const size_t count = columns_.size();
  if (cells_.size() < parts.size()) cells_.resize(parts.size());
  for (auto& cells : cells_) cells.resize(count);
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
    crew.run(std::ssize(parts), [&](int64_t p) {
      convert(*parts[static_cast<size_t>(p)], cells_[static_cast<size_t>(p)], open);
    });
    for (size_t i = 0; i < count; ++i) {
      if (open[i] == 0) continue;
      CsvColumn& column = columns_[i];
      open[i] = 0;
      for (size_t p = 0; p < parts.size(); ++p) {
        const CsvCells& cells = cells_[p][i];
        column.has_value = column.has_value || cells.has_value();
        column.has_inexact = column.has_inexact || cells.has_inexact();
        if (cells.converted() == parts[p]->tokens.rows()) continue;
        widen(column, *parts[p], cells.converted());
        resize(column, rows);
        open[i] = 1;
        again = true;
        break;
      }
    }
  }
  if (!keep) return;
  crew.run(static_cast<int64_t>(count), [&](int64_t i) {
    collect(columns_[static_cast<size_t>(i)], static_cast<size_t>(i), parts);
  });
  kept_ += rows;
}

/// Puts the texts and the flags of all parts behind those kept.
void CsvColumns::collect(CsvColumn& column, size_t i, const std::vector<const CsvPart*>& parts) {
  for (size_t p = 0; p < parts.size(); ++p) {
    const CsvCells& cells = cells_[p][i];
    if (column.type == ColumnType::kText)
      column.texts.append(cells.text_bytes(), cells.text_ends());
    const auto begin = static_cast<size_t>(kept_ + parts[p]->first_row);
    if (!cells.missing().empty()) {
      column.missing.resize(begin);
      column.missing.insert(column.missing.end(), cells.missing().begin(), cells.missing().end());
    } else if (!column.missing.empty()) {
      column.missing.resize(begin + static_cast<size_t>(parts[p]->tokens.rows()));
    }
  }
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
      column.reals[i] = !column.missing.empty() && column.missing[i] != 0
                            ? std::numeric_limits<double>::quiet_NaN()
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
  const std::string text = text_of(column, csv, row);
  // With one column a cell may be a whole row that was not cut.
  const bool uncut = !format_.hint.empty() && text.find_first_of(",;|\t") != std::string::npos;
  throw invalid_argument(
      file_, ":", csv.line_of(row, format_.syntax.line_end), ": column '", column.name, "' holds ",
      quoted(text), ", expected ", column.type == ColumnType::kInteger ? "an integer" : "a number",
      uncut ? format_.hint
            : str("; mend the cell, list it among the missing values (",
                  remedy(options_, "missing"), "), or ", remedy(options_, "types")));
}

void CsvColumns::reserve(double share) {
  const auto whole = [share](int64_t size) {
    return static_cast<size_t>(static_cast<double>(size) / share * 1.02) + 1024;
  };
  const size_t rows = whole(kept_);
  for (CsvColumn& column : columns_) {
    if (!column.missing.empty()) reserve_large(column.missing, rows);
    if (column.type == ColumnType::kInteger) reserve_large(column.integers, rows);
    if (column.type == ColumnType::kReal) reserve_large(column.reals, rows);
    if (column.type == ColumnType::kText) {
      column.texts.reserve(static_cast<int64_t>(rows),
                           static_cast<int64_t>(whole(column.texts.bytes())));
    }
  }
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
  columns_[i].reals.assign(static_cast<size_t>(kept_), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace thalweg::data
