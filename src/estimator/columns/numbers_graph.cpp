// Numbers of stage 1: whole groups of columns at once, as tables may have thousands.
#include <limits>

#include "estimator/columns/transform_graph.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using columns::Scaling;

// One number a column, [1, n].
template <class F>
Output row(Graph& graph, const std::vector<FeatureColumn>& columns, F number) {
  Tensor values(kFloat32, {1, static_cast<int64_t>(columns.size())});
  auto out = values.mutable_data<float>();
  for (size_t i = 0; i < columns.size(); ++i) out[i] = static_cast<float>(number(columns[i]));
  return constant(graph, values);
}

bool is_scaled(const Transform::State& state, const std::vector<FeatureColumn>& columns) {
  for (const FeatureColumn& column : columns) {
    const ColumnFit& fit = state.fit(column);
    if (fit.shift != 0 || fit.scale != 1) return true;
  }
  return false;
}

}  // namespace

Output StageGraph::numbers() {
  std::vector<FeatureColumn> plain, logs, dates;
  for (const FeatureColumn& column : state_.numbers) {
    const ColumnDef& def = column.def();
    auto& group = def.kind == ColumnKind::kDate          ? dates
                  : def.numeric.scaling == Scaling::kLog ? logs
                                                         : plain;
    group.push_back(column);
  }

  std::vector<Output> scaled, flags;
  const auto add_group = [&](const std::vector<FeatureColumn>& group, bool is_log) {
    if (group.empty()) return;
    std::vector<Output> cells;
    std::vector<int64_t> told;
    for (size_t i = 0; i < group.size(); ++i) {
      cells.push_back(number(group[i].def().column));
      if (state_.fit(group[i]).indicator) told.push_back(static_cast<int64_t>(i));
    }
    Output x = pack(cells, 1);
    const auto of = [&](double ColumnFit::*value) {
      return row(graph_, group,
                 [&](const FeatureColumn& column) { return state_.fit(column).*value; });
    };
    if (!state_.options.for_trees) {
      const Output missing = is_nan(x);
      x = select(missing, of(&ColumnFit::fill), x);
      if (!told.empty()) {
        const Tensor places = Tensor::from<int64_t>(told, {static_cast<int64_t>(told.size())});
        flags.push_back(gather(cast(missing, kFloat32), constant(graph_, places), {.axis = 1}));
      }
    }
    if (is_log) x = log1p(maximum(x - of(&ColumnFit::least), 0));
    if (is_scaled(state_, group)) x = (x - of(&ColumnFit::shift)) / of(&ColumnFit::scale);
    scaled.push_back(x);
  };
  add_group(plain, false);
  add_group(logs, true);

  std::vector<Output> parts = scaled;
  parts.insert(parts.end(), flags.begin(), flags.end());
  std::vector<Output> date_parts;
  for (const FeatureColumn& column : dates) {
    for (const Output& part : date(column)) date_parts.push_back(part);
  }
  if (!date_parts.empty()) parts.push_back(pack(date_parts, 1));
  return concat(parts, 1);
}

}  // namespace thalweg
