// What feature columns want to know of the training rows, and the passes that find it out.
#include <algorithm>
#include <cmath>

#include "estimator/columns/date_text.h"
#include "estimator/columns/raw_cells.h"
#include "estimator/columns/transform_fitting.h"
#include "thalweg/base/error.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

using columns::Impute;
using columns::Scaling;
using Kind = ColumnKind;

constexpr int64_t kRows = 1 << 16;  // read at once

// Calls f(rows, number of the first one) piece by piece.
template <class F>
void each_piece(const TableSource& source, F f) {
  const auto reader = source.open();
  int64_t first = 0;
  while (const std::optional<Table> rows = reader->next(kRows)) {
    f(*rows, first);
    first += rows->rows();
  }
}

}  // namespace

void DateScan::add(const data::Column& cells) {
  std::vector<double> found;
  for (int64_t row = 0; row < cells.size(); ++row) {
    if (is_missing_cell(cells, row)) continue;
    const std::optional<Date> date = parse_date(cells.cell(row));
    if (!date) continue;  // check_cells() has told
    found.push_back(date->year);
    has_time |= date->has_time;
  }
  years.add(found);
}
void LogScan::add(const data::Column& cells, int64_t first_row) {
  std::vector<double> numbers;
  read_numbers(cells, 0, cells.size(), first_row, numbers);
  std::erase_if(numbers, [](double x) { return std::isnan(x); });
  for (double& x : numbers) x = std::log1p(x - least);
  logs.add(numbers);
}

ScanWants& TransformFitting::wants(const std::string& column, bool as_number) {
  const auto found = state_.input_places.find(column);
  const auto place = found == state_.input_places.end() ? state_.inputs.size()
                                                        : static_cast<size_t>(found->second);
  if (place == state_.inputs.size()) {
    const auto& infos = source_.columns();
    const auto info = std::ranges::find(infos, column, &data::ColumnInfo::name);
    if (info == infos.end()) {
      std::vector<std::string> names;
      for (const data::ColumnInfo& known : infos) names.push_back(known.name);
      const std::string close = nearest(column, names);
      throw invalid_argument("there is no column ", shown(column), " in ", source_.name(),
                             "; it has ", join(names, ", "),
                             close.empty() ? "" : str("; did you mean ", shown(close), "?"));
    }
    state_.add_input({.column = column, .type = info->type});
    wants_.emplace_back();
  }
  if (as_number) {
    state_.inputs[place].as_number = true;
    wants_[place].numbers = true;
  } else {
    as_text_.insert(column);
  }
  return wants_[place];
}

void TransformFitting::plan_column(const FeatureColumn& column) {
  const ColumnDef& def = column.def();
  switch (def.kind) {
    case Kind::kNumeric:
      wants(def.column, true).quantiles |= def.numeric.missing == Impute::kMedian;
      counted_.insert(def.column);
      break;
    case Kind::kBucketized:
      wants(def.column, true).quantiles |= def.bucketing.quantiles > 0;
      counted_.insert(def.column);
      break;
    case Kind::kVocabulary: {
      ScanWants& wanted = wants(def.column, false);
      counted_.insert(def.column);
      if (!def.vocabulary.values.empty()) break;
      wanted.all_counts = true;
      wanted.capacity = std::max({wanted.capacity, int64_t{1000000},
                                  4 * std::min(def.vocabulary.most, int64_t{100000000})});
      break;
    }
    case Kind::kVocabularyFile:
    case Kind::kHashed:
    case Kind::kIdentity:
    case Kind::kRaw:
      wants(def.column, false);
      counted_.insert(def.column);
      break;
    case Kind::kWeighted: wants(def.column, def.category().def().kind != Kind::kList); break;
    case Kind::kText:
    case Kind::kList:
      wants(def.column, false);
      if (WordScan::is_needed(column)) words_.push_back(std::make_unique<WordScan>(column));
      break;
    case Kind::kDate:
      wants(def.column, false);
      dates_.push_back({column});
      break;
    case Kind::kEmbedding:
      if (state_.options.for_trees) {
        throw invalid_argument("trees take no embedding (", shown(column.key()),
                               "): give them the category itself");
      }
      break;
    case Kind::kCrossed:
    case Kind::kIndicator: break;
  }
  if (needs_check(column)) checked_.push_back(column);
}

void TransformFitting::plan() {
  visit_columns(state_.columns, [&](const FeatureColumn& column) {
    all_.push_back(column);
    plan_column(column);
  });
  for (size_t i = 0; i < state_.inputs.size(); ++i) {
    const FittedInput& input = state_.inputs[i];
    wants_[i].counts = counted_.contains(input.column);
    // Numbers of wide tables are not worth so much memory.
    if (!as_text_.contains(input.column)) {
      const int64_t share = 1000000 / static_cast<int64_t>(state_.inputs.size());
      wants_[i].capacity = std::clamp<int64_t>(share, 1000, wants_[i].capacity);
    }
    scans_.emplace_back(data::ColumnInfo{input.column, input.type}, wants_[i]);
  }
}

void TransformFitting::first_pass() {
  int64_t rows = 0;
  each_piece(source_, [&](const Table& piece, int64_t first) {
    for (const FeatureColumn& column : checked_) {
      check_cells(column, piece, 0, piece.rows(), first);
    }
    const std::vector<const data::Column*> cells = find_columns(state_, piece);
    // Every column for itself, in the order of rows: the same numbers for any number of threads.
    const size_t scans = scans_.size(), words = words_.size();
    parallel_for(static_cast<int64_t>(scans + words + dates_.size()), 1,
                 [&](int64_t begin, int64_t end) {
                   for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
                     if (i < scans) {
                       scans_[i].add(*cells[i]);
                     } else if (i < scans + words) {
                       WordScan& scan = *words_[i - scans];
                       scan.add(piece.column(scan.column().def().column));
                     } else {
                       DateScan& scan = dates_[i - scans - words];
                       scan.add(piece.column(scan.column.def().column));
                     }
                   }
                 });
    rows += piece.rows();
  });
  if (rows == 0) throw invalid_argument(source_.name(), " has no rows to fit to");
  for (ColumnScan& scan : scans_) {
    scan.finish();
    if (scan.missing() == rows) {
      throw invalid_argument("column ", shown(scan.info().name), " has no value in any of the ",
                             rows, " rows: leave it out");
    }
  }
}

void TransformFitting::second_pass() {
  for (const FeatureColumn& column : all_) {
    const ColumnDef& def = column.def();
    if (def.kind == Kind::kNumeric && def.numeric.scaling == Scaling::kLog &&
        !state_.options.for_trees) {
      logs_.push_back({column, scan(def.column).moments().least()});
    }
  }
  if (logs_.empty()) return;
  each_piece(source_, [&](const Table& piece, int64_t first) {
    parallel_for(static_cast<int64_t>(logs_.size()), 1, [&](int64_t begin, int64_t end) {
      for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
        logs_[i].add(piece.column(logs_[i].column.def().column), first);
      }
    });
  });
}

}  // namespace thalweg
