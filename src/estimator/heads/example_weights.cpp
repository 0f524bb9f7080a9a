#include "estimator/heads/example_weights.h"

#include <algorithm>
#include <cmath>

#include "thalweg/base/error.h"

namespace thalweg {

std::span<const float> weight_span(const Tensor& weights) {
  return weights.is_valid() ? weights.data<float>() : std::span<const float>();
}

void check_weights(const Tensor& weights, int64_t rows) {
  if (!weights.is_valid()) return;
  if (weights.dtype() != kFloat32 || weights.shape() != Shape{rows}) {
    throw invalid_argument("weights of examples are ", weights.dtype(), weights.shape(),
                           ", expected float32", Shape{rows}, ": one for each row");
  }
  int64_t row = 1;
  for (const float weight : weights.data<float>()) {
    if (!(weight >= 0) || !std::isfinite(weight)) {
      throw invalid_argument("the weight of row ", row, " is ", weight,
                             ", expected a finite number of 0 or more");
    }
    ++row;
  }
}

void check_training_weights(const Tensor& weights, int64_t rows) {
  check_weights(weights, rows);
  if (!weights.is_valid()) return;
  if (std::ranges::any_of(weights.data<float>(), [](float weight) { return weight > 0; })) return;
  throw invalid_argument("the weights of all ", rows,
                         " training rows are 0, so there is nothing to learn from; give some rows "
                         "a weight above 0");
}

}  // namespace thalweg
