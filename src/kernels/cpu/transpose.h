// Transposition of matrices of 1-, 2-, 4- or 8-byte elements, whatever they mean.
//
// Single-threaded, no allocation, no alignment beyond the element's; input and output must not
// overlap.
#pragma once

#include <cstdint>

namespace thalweg::simd {

/// y[b, c, r] = x[b, r, c] for x of [batch, rows, columns]; element_size is 1, 2, 4 or 8 bytes.
void transpose(const void* x, void* y, int element_size, int64_t batch, int64_t rows,
               int64_t columns);

/// The part of one such matrix that comes from rows [begin, end) of x; fills y[:, begin:end), so
/// that callers can divide one matrix over threads (best at multiples of 16).
void transpose_rows(const void* x, void* y, int element_size, int64_t rows, int64_t columns,
                    int64_t begin, int64_t end);

}  // namespace thalweg::simd
