// Arithmetic of sizes that a user names: what 64 bits do not hold is an error, not another number.
#pragma once

#include <cstdint>

#include "thalweg/base/error.h"
#include "thalweg/tensor/shape.h"

namespace thalweg {

/// a + b. Throws invalid_argument when that leaves 64 bits.
inline int64_t checked_add(int64_t a, int64_t b) {
  int64_t sum = 0;
  if (__builtin_add_overflow(a, b, &sum))
    throw invalid_argument("sizes are too large: ", a, " + ", b, " does not fit 64 bits");
  return sum;
}

/// a * b. Throws invalid_argument when that leaves 64 bits.
inline int64_t checked_multiply(int64_t a, int64_t b) {
  int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    throw invalid_argument("sizes are too large: ", a, " * ", b, " does not fit 64 bits");
  return product;
}

/// The same of dimensions, none of them negative: kUnknownDim when either is unknown.
inline int64_t add_dims(int64_t a, int64_t b) {
  return a == kUnknownDim || b == kUnknownDim ? kUnknownDim : checked_add(a, b);
}
inline int64_t multiply_dims(int64_t a, int64_t b) {
  return a == kUnknownDim || b == kUnknownDim ? kUnknownDim : checked_multiply(a, b);
}

}  // namespace thalweg
