// Random rows that trees can learn from, with missing values.
#pragma once

#include <cmath>
#include <limits>

#include "estimator/trees/tree_training.h"
#include "thalweg/base/philox.h"

namespace thalweg {

/// Five columns, a tenth of the cells missing; labels follow from the first three, float32.
inline TreeRows random_rows(int64_t rows, TreeGoal goal, int64_t outputs, uint64_t seed) {
  Philox random(seed);
  const bool several = goal == TreeGoal::kMultiLabel || goal == TreeGoal::kSquaredError;
  const int64_t width = several ? outputs : 1;
  TreeRows result{Tensor(kFloat32, {rows, 5}), Tensor(kFloat32, {rows, width}), {}};
  auto x = result.features.mutable_data<float>();
  auto y = result.labels.mutable_data<float>();
  for (int64_t i = 0; i < rows; ++i) {
    double cells[5];
    for (int k = 0; k < 5; ++k) {
      cells[k] = random.normal();
      const bool missing = random.uniform() < 0.1;
      x[static_cast<size_t>(5 * i + k)] =
          missing ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(cells[k]);
    }
    const double sum = 3 * cells[0] + 2 * cells[1] - cells[2];
    for (int64_t k = 0; k < width; ++k) {
      double value = k % 2 == 0 ? sum : sum * sum / 4 - 1;
      if (goal == TreeGoal::kBinary || goal == TreeGoal::kMultiLabel) value = value > 0 ? 1 : 0;
      if (goal == TreeGoal::kMultiClass) {
        const double share = 1 / (1 + std::exp(-sum));
        value = std::min(std::floor(share * static_cast<double>(outputs)),
                         static_cast<double>(outputs - 1));
      }
      if (goal == TreeGoal::kPoisson) value = std::floor(std::exp(sum / 4) + random.uniform());
      y[static_cast<size_t>(i * width + k)] = static_cast<float>(value);
    }
  }
  return result;
}

}  // namespace thalweg
