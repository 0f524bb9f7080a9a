// Reductions of float32 arrays in a fixed order: the result depends on the data, the length and the
// instruction set alone, never on threads or alignment.
//
// Sums run in many partial sums over blocks of 4096 that are added in double (or, down columns, in
// a tree of three levels), so that a million elements keep about 7 digits. Single-threaded, no
// allocation, any length including 0; NaN propagates through every reduction.
#pragma once

#include <cstdint>

namespace thalweg::simd {

enum class Reduction { kSum, kMean, kMax, kMin, kProd };

/// Of n elements; with none: 0, 0, 1, -inf, +inf.
float sum(const float* x, int64_t n);
float sum_of_squares(const float* x, int64_t n);
float prod(const float* x, int64_t n);
float max(const float* x, int64_t n);
float min(const float* x, int64_t n);

/// The sum of a[i] * b[i].
float dot(const float* a, const float* b, int64_t n);

/// Reduces [outer, mid, inner] over its middle axis into y, [outer, inner]. An empty axis gives 0
/// (sum), 1 (prod), NaN (mean), -inf (max) or +inf (min).
void reduce_middle(Reduction op, const float* x, float* y, int64_t outer, int64_t mid,
                   int64_t inner);

/// Columns [begin, end) of the reduction of x, [rows, columns], over its rows, into y[begin, end).
/// Callers divide the columns over threads; with 64 columns or more that changes no bit.
void reduce_columns(Reduction op, const float* x, float* y, int64_t rows, int64_t columns,
                    int64_t begin, int64_t end);

/// The position of the first largest (smallest) element of each row of [rows, columns]. NaN never
/// wins; a row of NaN only, or of no columns, gives 0.
void argmax_rows(const float* x, int64_t* y, int64_t rows, int64_t columns);
void argmin_rows(const float* x, int64_t* y, int64_t rows, int64_t columns);

}  // namespace thalweg::simd
