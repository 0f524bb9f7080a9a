// Products of plain float32 matrices on oneDNN, for kernels that need several inside one
// computation; a whole MatMul node has a prepared primitive instead.
#pragma once

#include <cstdint>

namespace thalweg::onednn {

/// A row-major operand: `stride` elements from row to row; `transposed` when the product takes its
/// transpose.
struct GemmOperand {
  const float* data;
  int64_t stride;
  bool transposed = false;
};

/// c = a b, or c += a b, for a product of m rows, n columns and sums over k. c is row-major with
/// `stride` elements from row to row.
void gemm(int64_t m, int64_t n, int64_t k, GemmOperand a, GemmOperand b, bool accumulate, float* c,
          int64_t stride);

}  // namespace thalweg::onednn
