// Integer constants of the narrowest dtype that holds them, as TensorFlow's graphs have them.
#pragma once

#include <span>

#include "thalweg/ops/array.h"
#include "thalweg/ops/int_vector.h"

namespace thalweg {

/// A constant of `shape`, int32 when all values fit, else int64 (which an argument that takes int32
/// alone refuses).
inline Output int_constant(Graph& graph, std::span<const int64_t> values, const Shape& shape) {
  const IntVector vector(values);
  return constant(graph, Tensor::from(values, shape).cast(IntVector::common_dtype({&vector})));
}

/// The scalar.
inline Output int_constant(Graph& graph, int64_t value) {
  return int_constant(graph, std::span<const int64_t>(&value, 1), Shape{});
}

/// `pairs` of cells before and after, `[n, 2]`.
inline Output int_constant(Graph& graph, const Paddings& pairs) {
  std::vector<int64_t> values;
  for (const auto& [before, after] : pairs) {
    values.push_back(before);
    values.push_back(after);
  }
  return int_constant(graph, values, Shape{static_cast<int64_t>(pairs.size()), 2});
}

}  // namespace thalweg
