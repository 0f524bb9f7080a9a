// How many rows a tensor has, for gradients that add up rows.
#pragma once

#include "ops/int_constant.h"
#include "thalweg/ops/indexing.h"

namespace thalweg {

/// The first dimension of x, a scalar: a constant when it is known, else computed, in int32.
inline Output row_count(const Output& x) {
  const Shape& shape = x.shape();
  if (shape.has_rank() && shape.dim(0) != kUnknownDim) return int_constant(x.graph(), shape[0]);
  return strided_slice(shape_of(x), {0}, {1}, {1}, {.shrink_axis_mask = 1});
}

}  // namespace thalweg
