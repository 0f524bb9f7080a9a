#include "estimator/linear/linear_problem.h"

#include <algorithm>

#include "estimator/columns/column_def.h"
#include "estimator/columns/transform_state.h"
#include "thalweg/base/error.h"
#include "thalweg/base/printable.h"

namespace thalweg::linear {

std::vector<Term> linear_terms(const Transform& transform,
                               const std::vector<FeatureColumn>& columns) {
  std::vector<FeatureColumn> sorted = columns;
  std::ranges::stable_sort(sorted, {}, &FeatureColumn::key);
  std::vector<Term> terms;
  for (const FeatureColumn& column : sorted) {
    if (column.def().kind == ColumnKind::kEmbedding) {
      throw invalid_argument(shown(column.key()),
                             " is an embedding, which a linear model does not learn: give it the "
                             "category itself");
    }
    const std::string name = str("linear/", node_name(column.key()), "/weights");
    if (terms.empty() || terms.back().variable != name) {
      terms.push_back({name, transform.place(column)});
    }
  }
  return terms;
}

LinearLoss linear_loss(const HeadSpec& spec, const Head& head) {
  LinearLoss loss;
  loss.units = head.outputs();
  switch (spec.kind) {
    case HeadKind::kClassification:
      loss.kind = loss.units == 1 ? LossKind::kSigmoid : LossKind::kSoftmax;
      return loss;
    case HeadKind::kMultiLabel: return loss;
    case HeadKind::kPoisson: loss.kind = LossKind::kPoisson; return loss;
    case HeadKind::kRegression: loss.kind = LossKind::kSquared; break;
    case HeadKind::kQuantile:
      loss.kind = LossKind::kPinball;
      loss.quantiles = spec.quantiles;
      std::ranges::sort(loss.quantiles);  // as outputs are
      break;
    case HeadKind::kMulti:
      throw unimplemented(
          "a linear model of several heads is not solved at once; choose the "
          "solver ftrl");
  }
  const LabelSpec& label = head.label();
  if (!label.standardized) return loss;
  for (int64_t k = 0; k < loss.units; ++k) {
    // All quantiles are of one label.
    const size_t column = spec.kind == HeadKind::kQuantile ? 0 : static_cast<size_t>(k);
    loss.mean.push_back(label.mean.at(column));
    loss.deviation.push_back(label.deviation.at(column));
  }
  return loss;
}

}  // namespace thalweg::linear
