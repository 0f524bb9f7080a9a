// Dates of stage 1.
#include <numbers>

#include "estimator/columns/date_text.h"
#include "estimator/columns/transform_graph.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/string.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

// The number at a place of all texts.
Output digits(Output text, int64_t begin, int64_t count) {
  Graph& graph = text.graph();
  return string_to_number(substr(text, constant(graph, begin), constant(graph, count)), kInt64);
}

// Days since 1970-01-01, by H. Hinnant, "chrono-compatible low-level date algorithms": years begin
// in March, so that the odd day comes last.
Output days_since_1970(Output year, Output month, Output day) {
  const Output early = cast(less_equal(month, 2), kInt64);
  const Output y = year - early;
  const Output era = floor_div(y, 400);
  const Output year_of_era = y - era * 400;
  const Output month_from_march = floor_mod(month + 9, 12);
  const Output day_of_year = floor_div(month_from_march * 153 + 2, 5) + day - 1;
  const Output day_of_era =
      year_of_era * 365 + floor_div(year_of_era, 4) - floor_div(year_of_era, 100) + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

}  // namespace

std::vector<Output> StageGraph::date(const FeatureColumn& column) {
  const ColumnFit& fit = state_.fit(column);
  const Output given = text(column.def().column);
  const Output valid = regex_full_match(given, std::string(kDatePattern));
  const Output text = select(valid, string_join({given, constant(graph_, Tensor("T00:00"))}),
                             constant(graph_, Tensor("1970-01-01T00:00")));
  const Output year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const Output weekday = floor_mod(days_since_1970(year, month, day) + 3, 7);

  std::vector<Output> parts;
  const Output nothing =
      constant(graph_, state_.options.for_trees ? std::numeric_limits<float>::quiet_NaN() : 0.0f);
  const auto add = [&](Output part) { parts.push_back(select(valid, part, nothing)); };
  const auto add_cycle = [&](Output number, double first, double length) {
    const Output x = cast(number, kFloat32);
    if (state_.options.for_trees) return add(x);
    const Output angle = (x - first) * (2 * std::numbers::pi / length);
    add(sin(angle));
    add(cos(angle));
  };
  const Output years = cast(year, kFloat32);
  add(state_.options.for_trees ? years : (years - fit.shift) / fit.scale);
  add_cycle(month, 1, 12);
  add_cycle(day, 1, 31);
  add_cycle(weekday, 0, 7);
  if (fit.has_time) add_cycle(digits(text, 11, 2), 0, 24);
  if (fit.indicator) parts.push_back(cast(logical_not(valid), kFloat32));
  return parts;
}

}  // namespace thalweg
