// The arithmetic of ops on quantized numbers: an integer q of a type stands for a float in [min,
// max], whose ends its lowest and highest values are. TensorFlow's order of operations and
// precision (core/kernels/quantization_utils.h), since another rounding is another integer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "thalweg/tensor/dtype.h"

namespace thalweg::reference {

template <class Q>
using IntegerOf = decltype(Q::value);
template <class Q>
inline constexpr int64_t kLowestOf = std::numeric_limits<IntegerOf<Q>>::lowest();
template <class Q>
inline constexpr int64_t kHighestOf = std::numeric_limits<IntegerOf<Q>>::max();
template <class Q>
inline constexpr int64_t kStepsOf = kHighestOf<Q> - kLowestOf<Q> + 1;

template <class Q>
float dequantized(int64_t value, float min, float max) {
  if (min == max) return min;
  const auto steps = static_cast<double>(kStepsOf<Q>);
  const double scale = static_cast<double>(max - min) * (steps / (steps - 1.0)) / steps;
  const auto narrow = static_cast<float>(scale);
  const double first = std::round(min / narrow) * narrow;
  return static_cast<float>(first + static_cast<double>(value - kLowestOf<Q>) * scale);
}

/// The integer of a float, which may lie outside of the type's.
template <class Q>
int64_t quantized_unclamped(float x, float min, float max) {
  if (min == max) return kLowestOf<Q>;
  const auto steps = static_cast<double>(kStepsOf<Q>);
  const double scale = steps / (static_cast<double>(max - min) * (steps / (steps - 1.0)));
  return static_cast<int64_t>(std::round(x * scale) - std::round(min * scale)) + kLowestOf<Q>;
}

template <class Q>
int64_t quantized(float x, float min, float max) {
  return std::clamp(quantized_unclamped<Q>(x, min, max), kLowestOf<Q>, kHighestOf<Q>);
}

/// How much more one step of the integers stands for.
template <class Q>
float step_of(float min, float max) {
  return (max - min) / static_cast<float>(kHighestOf<Q> - kLowestOf<Q>);
}

struct FloatRange {
  float min = 0;
  float max = 0;
};

/// Of sums of products of two types, as int32.
template <class A, class B>
FloatRange range_of_products(FloatRange a, FloatRange b) {
  const float step = step_of<A>(a.min, a.max) * step_of<B>(b.min, b.max);
  return {step * static_cast<float>(kLowestOf<QInt32>),
          step * static_cast<float>(kHighestOf<QInt32>)};
}

}  // namespace thalweg::reference
