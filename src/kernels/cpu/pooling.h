// Max and average pooling over images whose channels lie together, TensorFlow's rules.
//
// Images are `planes` of [height, width, lanes]: all channels of an NHWC batch, or the blocks of
// channels of a blocked layout. Each function does a part of the work on the calling thread, so
// that callers can divide it; no allocation, no alignment. Windows must hold at least one cell
// each.
#pragma once

#include <cstdint>

#include "thalweg/graph/window.h"

namespace thalweg::simd {

struct PoolGeometry {
  Window height, width;
  int64_t lanes = 1;
};

/// y = the largest of each window; a NaN is larger than all. For output rows [begin, end) of
/// planes * height.output.
void max_pool(const PoolGeometry& g, const float* x, float* y, int64_t begin, int64_t end);

/// dx = dy at the first largest cell of each window in row order, else 0. For planes [begin, end).
void max_pool_grad(const PoolGeometry& g, const float* x, const float* dy, float* dx, int64_t begin,
                   int64_t end);

/// y = the mean of each window's cells inside the image. For output rows [begin, end).
void avg_pool(const PoolGeometry& g, const float* x, float* y, int64_t begin, int64_t end);

/// dx = the sum of dy / cells over the windows that hold it. For planes [begin, end).
void avg_pool_grad(const PoolGeometry& g, const float* dy, float* dx, int64_t begin, int64_t end);

}  // namespace thalweg::simd
