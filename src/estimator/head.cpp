#include "estimator/head.h"

#include <algorithm>
#include <cmath>

#include "estimator/heads/kinds.h"
#include "estimator/labels.h"
#include "thalweg/base/error.h"

namespace thalweg {

std::optional<size_t> best_class(std::span<const float> probabilities) {
  if (!std::ranges::all_of(probabilities, [](float p) { return std::isfinite(p); })) return {};
  return static_cast<size_t>(std::ranges::max_element(probabilities) - probabilities.begin());
}

std::unique_ptr<Head> make_head(std::string_view kind, LabelSpec label) {
  return kind == "classifier" ? make_classifier_head(std::move(label))
                              : make_regressor_head(std::move(label));
}

std::unique_ptr<Head> make_head(const HeadSpec& spec, LabelSpec label) {
  check_head(spec);
  switch (spec.kind) {
    case HeadKind::kClassification: return make_classification_head(spec, std::move(label));
    case HeadKind::kMultiLabel: return make_multi_label_head(spec, std::move(label));
    case HeadKind::kRegression: return make_regression_head(spec, std::move(label));
    case HeadKind::kPoisson: return make_poisson_head(spec, std::move(label));
    case HeadKind::kQuantile: return make_quantile_head(spec, std::move(label));
    case HeadKind::kMulti: return make_multi_head(spec, std::move(label));
  }
  THALWEG_CHECK(false, "no head of kind ", static_cast<int>(spec.kind));
  return nullptr;
}

Tensor label_vector(const Tensor& labels) {
  if (labels.rank() == 1) return labels;
  if (labels.rank() == 2 && labels.dim(1) == 1) return labels.reshape({labels.dim(0)});
  throw invalid_argument("labels have the shape ", labels.shape(),
                         ", expected one for each row: [rows]");
}

}  // namespace thalweg
