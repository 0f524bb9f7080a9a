// Weights of examples as they reach a head: float32 [rows], or a Tensor that is not valid for 1
// each.
#pragma once

#include <span>
#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// Empty when not valid.
std::span<const float> weight_span(const Tensor& weights);
inline double weight_at(std::span<const float> weights, size_t row) {
  return weights.empty() ? 1 : double{weights[row]};
}

/// Throws invalid_argument naming the row unless there is one finite weight of 0 or more for each
/// of `rows`.
void check_weights(const Tensor& weights, int64_t rows);
/// The same, and when they sum to 0: then there is nothing to learn from.
void check_training_weights(const Tensor& weights, int64_t rows);

}  // namespace thalweg
