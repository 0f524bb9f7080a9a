// Learning what feature columns leave open: passes over the training rows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "estimator/columns/column_scan.h"
#include "estimator/columns/date_text.h"
#include "estimator/columns/raw_cells.h"
#include "estimator/columns/transform_state.h"
#include "estimator/columns/word_scan.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

using columns::Impute;
using columns::Scaling;
using Kind = ColumnKind;

constexpr int64_t kRows = 1 << 16;  // read at once

// The years of a date().
struct DateScan {
  FeatureColumn column;
  Moments years = {};
  bool has_time = false;

  void add(const data::Column& cells) {
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
};

// A numeric column on the scale of logarithms, whose least value is known.
struct LogScan {
  FeatureColumn column;
  double least = 0;
  Moments logs = {};

  void add(const data::Column& cells, int64_t first_row) {
    std::vector<double> numbers;
    read_numbers(cells, 0, cells.size(), first_row, numbers);
    std::erase_if(numbers, [](double x) { return std::isnan(x); });
    for (double& x : numbers) x = std::log1p(x - least);
    logs.add(numbers);
  }
};

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

double scale_of(double spread) { return spread > 0 && std::isfinite(spread) ? spread : 1; }

class Fitting {
 public:
  Fitting(Transform::State& state, const TableSource& source) : state_(state), source_(source) {}

  void run() {
    plan();
    first_pass();
    settle_inputs();
    second_pass();
    settle_columns();
    settle_facts();
  }

 private:
  void plan();
  void plan_column(const FeatureColumn& column);
  ScanWants& wants(const std::string& column, bool as_number);
  void first_pass();
  void settle_inputs();
  void second_pass();
  void settle_columns();
  void settle_facts();
  ColumnFit numeric(const FeatureColumn& column) const;
  std::vector<double> boundaries(const FeatureColumn& column) const;
  std::vector<std::string> values(const FeatureColumn& column) const;

  const ColumnScan& scan(const std::string& column) const {
    return scans_[static_cast<size_t>(state_.input_index(column))];
  }
  const FittedInput& input(const std::string& column) const {
    return state_.inputs[static_cast<size_t>(state_.input_index(column))];
  }

  Transform::State& state_;
  const TableSource& source_;
  std::vector<FeatureColumn> all_;  // with all that they are made of
  std::vector<ScanWants> wants_;    // by input
  std::set<std::string> as_text_, counted_;
  std::vector<ColumnScan> scans_;
  std::vector<std::unique_ptr<WordScan>> words_;
  std::vector<DateScan> dates_;
  std::vector<LogScan> logs_;
  std::vector<FeatureColumn> checked_;
};

ScanWants& Fitting::wants(const std::string& column, bool as_number) {
  const auto found = std::ranges::find(state_.inputs, column, &FittedInput::column);
  const auto place = static_cast<size_t>(found - state_.inputs.begin());
  if (found == state_.inputs.end()) {
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
    state_.inputs.push_back({.column = column, .type = info->type});
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

void Fitting::plan_column(const FeatureColumn& column) {
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

void Fitting::plan() {
  if (state_.columns.empty()) throw invalid_argument("there is no feature column to fit");
  visit_columns(state_.columns, [&](const FeatureColumn& column) {
    all_.push_back(column);
    plan_column(column);
  });
  for (size_t i = 0; i < state_.inputs.size(); ++i) {
    const FittedInput& input = state_.inputs[i];
    wants_[i].counts = counted_.contains(input.column);
    scans_.emplace_back(data::ColumnInfo{input.column, input.type}, wants_[i]);
  }
}

void Fitting::first_pass() {
  int64_t rows = 0;
  each_piece(source_, [&](const Table& piece, int64_t first) {
    for (const FeatureColumn& column : checked_) {
      check_cells(column, piece, 0, piece.rows(), first);
    }
    // Every column for itself, in the order of rows: the same numbers for any number of threads.
    const size_t scans = scans_.size(), words = words_.size();
    parallel_for(static_cast<int64_t>(scans + words + dates_.size()), 1,
                 [&](int64_t begin, int64_t end) {
                   for (auto i = static_cast<size_t>(begin); i < static_cast<size_t>(end); ++i) {
                     if (i < scans) {
                       scans_[i].add(piece.column(scans_[i].info().name));
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

void Fitting::settle_inputs() {
  for (size_t i = 0; i < state_.inputs.size(); ++i) {
    FittedInput& input = state_.inputs[i];
    const Moments& moments = scans_[i].moments();
    if (input.as_number) {
      // float32 keeps 24 bits: a number is rounded by at most this.
      const double rounding =
          std::ldexp(std::max(std::abs(moments.least()), std::abs(moments.most())), -24);
      input.is_wide = moments.deviation() > 0 && rounding > 1e-3 * moments.deviation();
      if (input.is_wide) {
        const bool whole = input.type == data::ColumnType::kInteger;
        input.offset = whole ? std::round(moments.mean()) : moments.mean();
      }
      const double farthest =
          std::max(moments.most() - input.offset, input.offset - moments.least());
      if (farthest > std::numeric_limits<float>::max()) {
        throw invalid_argument("column ", shown(input.column), " reaches from ", moments.least(),
                               " to ", moments.most(),
                               ", beyond what float32 holds, 3.4e38: scale it in the table");
      }
    }
    if (as_text_.contains(input.column)) {
      input.dtype = kString;
    } else {
      input.dtype = input.is_wide ? kFloat64 : kFloat32;
    }
  }
}

void Fitting::second_pass() {
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

ColumnFit Fitting::numeric(const FeatureColumn& column) const {
  const ColumnDef& def = column.def();
  const ColumnScan& found = scan(def.column);
  const Moments& moments = found.moments();
  const double offset = input(def.column).offset;
  ColumnFit fit;
  if (state_.options.for_trees) return fit;
  fit.indicator = def.numeric.missing_indicator.value_or(found.missing() > 0);
  const double fills[] = {moments.mean(), 0, 0};
  fit.fill = fills[static_cast<size_t>(def.numeric.missing)] - offset;
  if (def.numeric.missing == Impute::kMedian) fit.fill = found.quantiles().median() - offset;
  switch (def.numeric.scaling) {
    case Scaling::kNone: fit.shift = -offset; break;
    case Scaling::kStandardize:
      fit.shift = moments.mean() - offset;
      fit.scale = scale_of(moments.deviation());
      break;
    case Scaling::kMinMax:
      fit.shift = moments.least() - offset;
      fit.scale = scale_of(moments.most() - moments.least());
      break;
    case Scaling::kLog: {
      const auto log = std::ranges::find(logs_, column, &LogScan::column);
      fit.least = moments.least() - offset;
      fit.shift = log->logs.mean();
      fit.scale = scale_of(log->logs.deviation());
      break;
    }
    case Scaling::kGiven:
      fit.shift = def.numeric.shift - offset;
      fit.scale = def.numeric.scale;
      break;
  }
  return fit;
}

// Buckets that hold equally many rows: the i-th of q begins at the value of rank i n / q. Values
// that occur often leave fewer buckets.
std::vector<double> Fitting::boundaries(const FeatureColumn& column) const {
  const ColumnDef& def = column.def();
  if (!def.bucketing.boundaries.empty()) return def.bucketing.boundaries;
  const QuantileSketch& quantiles = scan(def.column).quantiles();
  const double offset = input(def.column).offset;
  const auto as_graph = [&](double x) { return static_cast<float>(x - offset); };
  std::vector<double> result;
  double last = scan(def.column).moments().least();
  for (int64_t i = 1; i < def.bucketing.quantiles; ++i) {
    const auto rank = static_cast<int64_t>(static_cast<long double>(quantiles.count()) * i /
                                           def.bucketing.quantiles);
    const double boundary = quantiles.at(rank);
    if (as_graph(boundary) <= as_graph(last)) continue;
    result.push_back(last = boundary);
  }
  return result;
}

std::vector<std::string> read_values(const ColumnDef& def) {
  const std::string bytes = read_file(def.path);
  std::vector<std::string> values;
  std::map<std::string_view, size_t> lines;
  std::string_view rest = bytes;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto [known, is_new] = lines.emplace(line, lines.size() + 1);
    if (line.empty() || !is_new) {
      throw invalid_argument(def.path, ", line ", values.size() + 1, ": ",
                             line.empty()
                                 ? std::string("the line is empty, which means missing")
                                 : str(shown(line), " stands in line ", known->second, " already"));
    }
    values.emplace_back(line);
  }
  if (values.empty()) throw invalid_argument(def.path, " holds no values");
  return values;
}

std::vector<std::string> Fitting::values(const FeatureColumn& column) const {
  const ColumnDef& def = column.def();
  if (def.kind == Kind::kVocabularyFile) return read_values(def);
  if (!def.vocabulary.values.empty()) return def.vocabulary.values;
  std::vector<std::string> result;
  const ValueCounts& counts = scan(def.column).counts();
  for (auto& [value, count] : counts.commonest(def.vocabulary.most, def.vocabulary.min_count)) {
    result.push_back(value);
  }
  if (result.empty()) {
    throw invalid_argument("column ", shown(def.column), ": no value occurs at least ",
                           def.vocabulary.min_count,
                           " times: lower `min_count`, or leave the column out");
  }
  return result;
}

void Fitting::settle_columns() {
  for (const FeatureColumn& column : all_) {
    switch (column.def().kind) {
      case Kind::kNumeric: state_.fits[fit_key(column)] = numeric(column); break;
      case Kind::kBucketized: state_.fits[fit_key(column)].boundaries = boundaries(column); break;
      case Kind::kVocabulary:
      case Kind::kVocabularyFile: state_.fits[fit_key(column)].vocabulary = values(column); break;
      default: break;
    }
  }
  for (const auto& words : words_) state_.fits[fit_key(words->column())] = words->finish();
  for (const DateScan& date : dates_) {
    ColumnFit& fit = state_.fits[fit_key(date.column)];
    fit.has_time = date.has_time;
    fit.indicator = !state_.options.for_trees && scan(date.column.def().column).missing() > 0;
    fit.shift = date.years.mean();
    fit.scale = scale_of(date.years.deviation());
  }
}

void Fitting::settle_facts() {
  constexpr int64_t kCommonest = 10;
  for (const ColumnScan& found : scans_) {
    ColumnFacts facts;
    facts.column = found.info().name;
    facts.type = data::to_string(found.info().type);
    facts.rows = found.rows();
    facts.missing = found.missing();
    facts.distinct = found.counts().distinct();
    if (input(facts.column).as_number) {
      const Moments& moments = found.moments();
      facts.mean = moments.mean();
      facts.deviation = moments.deviation();
      facts.least = moments.least();
      facts.most = moments.most();
    }
    if (as_text_.contains(facts.column)) facts.commonest = found.counts().commonest(kCommonest);
    state_.facts.push_back(std::move(facts));
  }
  describe_uses(state_);
  for (const auto& words : words_) {
    if (words->forgotten() == 0) continue;
    const auto index = state_.input_index(words->column().def().column);
    state_.facts[static_cast<size_t>(index)].use +=
        str("; so many words occur that the rarest were forgotten while counting: counts are too "
            "small by at most ",
            words->forgotten());
  }
}

}  // namespace

Transform Transform::fit(const std::vector<FeatureColumn>& columns, const TableSource& rows,
                         const TransformOptions& options) {
  auto state = std::make_shared<State>();
  state->options = options;
  state->columns = columns;
  Fitting(*state, rows).run();
  state->lay_out();
  return Transform(std::move(state));
}

}  // namespace thalweg
