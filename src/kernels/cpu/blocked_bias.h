// Adding a bias to images in blocks of channels, and its gradient.
//
// Images are [batch, blocks, pixels, lanes]: block b holds channels b * lanes onwards, and the last
// block may be padded with zeros, which stay zeros. On the calling thread, a part of the work at a
// time; no alignment.
#pragma once

#include <cstdint>

namespace thalweg::simd {

struct BlockedImages {
  int64_t batch, channels, pixels, lanes;
  int64_t blocks() const { return (channels + lanes - 1) / lanes; }
};

/// y = x + bias for planes [begin, end) of batch * blocks; y may be x.
void add_bias_blocked(const BlockedImages& images, const float* x, const float* bias, float* y,
                      int64_t begin, int64_t end);

/// db = the sum of dy over batch and pixels, for the channels of blocks [begin, end).
void bias_grad_blocked(const BlockedImages& images, const float* dy, float* db, int64_t begin,
                       int64_t end);

}  // namespace thalweg::simd
