// The arithmetic of quantization, in TensorFlow's order of operations and float's precision, since
// a rounding the other way is a different integer.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "thalweg/tensor/shape.h"

namespace thalweg::reference {

/// Slices of a tensor along `axis` (-1: the whole is one slice): element [o, i, r] belongs to
/// slice i.
struct Slices {
  int64_t outer = 1;
  int64_t count = 1;
  int64_t inner = 1;

  Slices(const Shape& shape, int64_t axis) {
    for (int i = 0; i < shape.rank(); ++i) {
      if (axis < 0 || i > axis) {
        inner *= shape[i];
      } else {
        (i < axis ? outer : count) *= shape[i];
      }
    }
  }

  /// f(element) for the elements of slice i.
  template <class F>
  void for_each(int64_t i, F f) const {
    for (int64_t o = 0; o < outer; ++o) {
      const int64_t begin = (o * count + i) * inner;
      for (int64_t r = 0; r < inner; ++r) f(begin + r);
    }
  }
};

/// A range moved so that 0 is one of its steps (FakeQuant ops).
struct NudgedRange {
  float min, max, scale;

  NudgedRange(float low, float high, int64_t num_bits, bool narrow_range) {
    const auto first = static_cast<float>(narrow_range ? 1 : 0);
    const auto last = static_cast<float>((int64_t{1} << num_bits) - 1);
    scale = (high - low) / (last - first);
    const float zero = std::round(std::clamp(first - low / scale, first, last));
    min = (first - zero) * scale;
    max = (last - zero) * scale;
  }

  float quantize(float x) const {
    const float inverse = 1.0f / scale;
    const float zero = std::floor(-min * inverse + 0.5f);
    const float shifted = std::max(std::min(x, max), min) - min;
    return std::floor(shifted * inverse - zero + 0.5f) * scale;
  }
  bool holds(float x) const { return x >= min && x <= max; }
};

/// The factor to signed or unsigned integers of `num_bits` under which a range just fits, 0 staying
/// 0, and the range that then fills them.
template <class T>
struct ScaledRange {
  T min, max, scale, inverse;

  ScaledRange(T low, T high, T first, T last) : min(low), max(high) {
    constexpr T kLargest = std::numeric_limits<T>::max();
    const T from_min = first * low > 0 ? first / low : kLargest;
    const T from_max = last * high > 0 ? last / high : kLargest;
    // The side that decides the factor keeps its value exactly.
    if (from_min < from_max) {
      scale = from_min;
      inverse = low / first;
      max = last * inverse;
    } else {
      scale = from_max;
      inverse = high / last;
      min = first * inverse;
    }
  }
};

}  // namespace thalweg::reference
