// libsvm's sparse text: `label[:weight] [qid:n] index:value ...`, where what is not written is 0.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "data/cell_numbers.h"
#include "data/line_reader.h"
#include "data/row_source.h"
#include "thalweg/base/error.h"

namespace thalweg::data {
namespace {

// More columns than this are no table; such an index is damage, or asks for a sparse model.
constexpr int64_t kMostFeatures = 1'000'000;

struct SparseRow {
  CellValue label;
  std::optional<double> weight;
  std::optional<int64_t> query;
  std::vector<std::pair<int64_t, double>> features;  // index as written, value
};

double parse_value(std::string_view text) {
  double value = 0;
  if (lenient_real(text, '.', value)) return value;
  if (text == "nan" || text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  throw invalid_argument("has the value ", quoted(text), ", expected a number");
}

int64_t parse_index(std::string_view text, const char* what) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  throw invalid_argument("has the ", what, ' ', quoted(text), ", expected an integer from 0");
}

void parse_row(std::string_view line, SparseRow& row) {
  row.features.clear();
  row.weight.reset();
  row.query.reset();
  const auto next_word = [&line] {
    line = trim_blanks(line);
    const size_t size = std::min(line.find_first_of(" \t"), line.size());
    const std::string_view word = line.substr(0, size);
    line.remove_prefix(size);
    return word;
  };
  std::string_view label = next_word();
  if (const size_t colon = label.find(':'); colon != std::string_view::npos) {
    row.weight = parse_value(label.substr(colon + 1));
    label = label.substr(0, colon);
  }
  int64_t integer = 0;
  row.label =
      lenient_integer(label, integer) ? CellValue::of(integer) : CellValue::of(parse_value(label));
  for (std::string_view word = next_word(); !word.empty(); word = next_word()) {
    const size_t colon = word.find(':');
    if (colon == std::string_view::npos) {
      throw invalid_argument("holds ", quoted(word),
                             ", expected index:value behind the label, with blanks between");
    }
    const std::string_view key = word.substr(0, colon), value = word.substr(colon + 1);
    if (key == "qid") {
      row.query = parse_index(value, "query");
      continue;
    }
    row.features.emplace_back(parse_index(key, "feature"), parse_value(value));
  }
  std::ranges::sort(row.features, {}, [](const auto& feature) { return feature.first; });
  const auto twice = std::ranges::adjacent_find(row.features, {},
                                                [](const auto& feature) { return feature.first; });
  if (twice != row.features.end())
    throw invalid_argument("has the feature ", twice->first, " twice");
}

class SparseReader {
 public:
  explicit SparseReader(const StreamedFile& file) : name_(file.name()), lines_(file.open()) {}
  bool next(SparseRow& row) {
    std::string_view line;
    while (lines_.next(line)) {
      line = trim_blanks(line.substr(0, line.find('#')));
      if (line.empty()) continue;
      try {
        parse_row(line, row);
      } catch (Error& error) {
        error.add_context(str(name_, ":", lines_.number()));
        throw;
      }
      return true;
    }
    return false;
  }
  int64_t line() const { return lines_.number(); }

 private:
  const std::string& name_;
  LineReader lines_;
};

/// What a pass over the file finds.
struct Facts {
  int64_t rows = 0;
  int64_t base = 1;
  int64_t features = 0;
  bool has_weights = false, has_queries = false;
  ColumnType label = ColumnType::kInteger;
};

Facts look_at(const StreamedFile& file, const TableOptions& options) {
  if (options.base && *options.base != 0 && *options.base != 1)
    throw invalid_argument("libsvm features are numbered from 0 or 1, not ", *options.base);
  Facts facts;
  int64_t least = 1, most = -1, most_line = 0, least_line = 0;
  TypeGuess label;
  SparseReader reader(file);
  SparseRow row;
  for (; reader.next(row); ++facts.rows) {
    label.see(row.label);
    facts.has_weights |= row.weight.has_value();
    facts.has_queries |= row.query.has_value();
    if (row.features.empty()) continue;
    if (row.features.front().first < least) {
      least = row.features.front().first;
      least_line = reader.line();
    }
    if (row.features.back().first > most) {
      most = row.features.back().first;
      most_line = reader.line();
    }
  }
  if (facts.rows == 0) throw invalid_argument(file.name(), ": has no row of data");
  facts.label = label.type();
  facts.base = options.base ? *options.base : std::min<int64_t>(least, 1);
  if (least < facts.base) {
    throw invalid_argument(file.name(), ":", least_line,
                           ": has a feature 0, but they are numbered from 1 (",
                           remedy(options, "base", " to 0"), ")");
  }
  const int64_t found = most + 1 - facts.base;
  facts.features = options.features.value_or(std::max<int64_t>(found, 0));
  if (found > facts.features) {
    throw invalid_argument(file.name(), ":", most_line, ": has a feature ", most, ", expected ",
                           facts.features, " features, the last being ",
                           facts.features - 1 + facts.base);
  }
  if (facts.features > kMostFeatures) {
    throw invalid_argument(file.name(), ":", most_line, ": has a feature ", most,
                           "; a table has at most ", kMostFeatures, " columns");
  }
  return facts;
}

class SparseStream final : public RowStream {
 public:
  SparseStream(std::shared_ptr<const StreamedFile> file, const Facts& facts)
      : file_(std::move(file)), facts_(facts), reader_(*file_) {}

  bool next(std::vector<CellValue>& row) override {
    if (!reader_.next(sparse_)) return false;
    row.clear();
    row.push_back(sparse_.label);
    if (facts_.has_weights) row.push_back(CellValue::of(sparse_.weight.value_or(1)));
    if (facts_.has_queries)
      row.push_back(sparse_.query ? CellValue::of(*sparse_.query) : CellValue{});
    const size_t first = row.size();
    row.resize(first + static_cast<size_t>(facts_.features), CellValue::of(0.0));
    for (const auto& [index, value] : sparse_.features) {
      const int64_t place = index - facts_.base;
      if (place < 0 || place >= facts_.features)
        throw data_loss(file_->name(), ":", reader_.line(), ": was changed while it was read");
      row[first + static_cast<size_t>(place)] = CellValue::of(value);
    }
    return true;
  }
  std::string place() const override { return str("line ", reader_.line()); }

 private:
  std::shared_ptr<const StreamedFile> file_;
  Facts facts_;
  SparseReader reader_;
  SparseRow sparse_;
};

}  // namespace

SourcePointer open_libsvm(std::shared_ptr<const StreamedFile> file, const TableOptions& options) {
  const Facts facts = look_at(*file, options);
  RowFile rows{.name = file->name()};
  rows.columns.push_back({"label", facts.label});
  if (facts.has_weights) rows.columns.push_back({"weight", ColumnType::kReal});
  if (facts.has_queries) rows.columns.push_back({"qid", ColumnType::kInteger});
  for (int64_t i = 0; i < facts.features; ++i)
    rows.columns.push_back({str('f', i + facts.base), ColumnType::kReal});
  rows.is_settled.assign(rows.columns.size(), 1);
  rows.rows = facts.rows;
  rows.open = [file, facts] { return std::make_unique<SparseStream>(file, facts); };
  rows.fingerprint = [file] { return file->fingerprint(); };
  if (!options.base)
    rows.notes.push_back(str("libsvm features are numbered from ", facts.base, " (found)"));
  rows.notes.push_back(str("features: ", facts.features));
  return row_source(std::move(rows), options);
}

}  // namespace thalweg::data
