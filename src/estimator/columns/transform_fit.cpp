// What feature columns left open, from what the passes over the training rows found.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "estimator/columns/transform_fitting.h"
#include "thalweg/base/error.h"
#include "thalweg/base/file.h"

namespace thalweg {
namespace {

using columns::Impute;
using columns::Scaling;
using Kind = ColumnKind;

double scale_of(double spread) { return spread > 0 && std::isfinite(spread) ? spread : 1; }

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

}  // namespace

void TransformFitting::settle_inputs() {
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

ColumnFit TransformFitting::numeric(const FeatureColumn& column) const {
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
std::vector<double> TransformFitting::boundaries(const FeatureColumn& column) const {
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

std::vector<std::string> TransformFitting::values(const FeatureColumn& column) const {
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

void TransformFitting::settle_columns() {
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

void TransformFitting::settle_facts() {
  constexpr int64_t kCommonest = 10;
  for (const ColumnScan& found : scans_) {
    ColumnFacts facts;
    facts.column = found.info().name;
    facts.type = data::to_string(found.info().type);
    facts.rows = found.rows();
    facts.missing = found.missing();
    facts.distinct = found.distinct();
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

Transform Transform::fit(const std::vector<FeatureColumn>& columns, const TableSource& rows,
                         const TransformOptions& options) {
  auto state = std::make_shared<State>();
  state->options = options;
  state->columns = columns;
  TransformFitting(*state, rows).run();
  state->lay_out();
  return Transform(std::move(state));
}

}  // namespace thalweg
