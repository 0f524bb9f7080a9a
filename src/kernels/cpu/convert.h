// Conversion between float32 and the two 16-bit formats, given as their bits.
//
// Narrowing rounds to nearest, ties to even, overflows to infinity, and keeps NaN (quiet) and its
// sign. Single-threaded, no allocation, no alignment; arrays must not overlap.
#pragma once

#include <cstdint>

namespace thalweg::simd {

/// bfloat16: the upper half of a float32.
void float_to_bfloat16(const float* x, uint16_t* y, int64_t n);
void bfloat16_to_float(const uint16_t* x, float* y, int64_t n);

/// IEEE 754 binary16, subnormals included.
void float_to_half(const float* x, uint16_t* y, int64_t n);
void half_to_float(const uint16_t* x, float* y, int64_t n);

}  // namespace thalweg::simd
