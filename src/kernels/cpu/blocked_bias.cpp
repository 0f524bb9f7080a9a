#include "kernels/cpu/blocked_bias.h"

#include <algorithm>

#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/blocked_bias.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/vec_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {
namespace {

// The lanes [lane, lane + vector) of a block; those past the last channel are zero.
HWY_INLINE V load_channels(const float* values, int64_t first, int64_t channels) {
  const int64_t left = channels - first;
  if (left <= 0) return zero();
  return left >= kLanes ? load(values + first) : load_n(values + first, left);
}

constexpr int64_t kRun = 256;  // pixels summed in float before they join the sum of runs

// The sum of `io`'s lanes over n pixels that lie `step` apart.
template <class Io>
HWY_INLINE V sum_pixels(Io io, const float* p, int64_t n, int64_t step) {
  V a = zero(), b = zero(), c = zero(), d = zero();
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a = hn::Add(a, io.load(p + i * step));
    b = hn::Add(b, io.load(p + (i + 1) * step));
    c = hn::Add(c, io.load(p + (i + 2) * step));
    d = hn::Add(d, io.load(p + (i + 3) * step));
  }
  for (; i < n; ++i) a = hn::Add(a, io.load(p + i * step));
  return hn::Add(hn::Add(a, b), hn::Add(c, d));
}

}  // namespace

void add_bias(const BlockedImages& images, const float* x, const float* bias, float* y,
              int64_t begin, int64_t end) {
  const int64_t size = images.pixels * images.lanes;
  for (int64_t plane = begin; plane < end; ++plane) {
    const int64_t first = plane % images.blocks() * images.lanes;
    const float* in = x + plane * size;
    float* out = y + plane * size;
    sweep(images.lanes, [&](auto io, int64_t lane) THALWEG_SIMD_LAMBDA {
      const V b = load_channels(bias, first + lane, images.channels);
      for (int64_t p = 0; p < images.pixels; ++p) {
        const int64_t at = p * images.lanes + lane;
        io.store(hn::Add(io.load(in + at), b), out + at);
      }
    });
  }
}

void bias_grad(const BlockedImages& images, const float* dy, float* db, int64_t begin,
               int64_t end) {
  const int64_t size = images.pixels * images.lanes;
  for (int64_t block = begin; block < end; ++block) {
    sweep(images.lanes, [&](auto io, int64_t lane) THALWEG_SIMD_LAMBDA {
      const int64_t first = block * images.lanes + lane;
      if (first >= images.channels) return;
      V total = zero();
      for (int64_t n = 0; n < images.batch; ++n) {
        const float* plane = dy + (n * images.blocks() + block) * size + lane;
        V image = zero();
        for (int64_t p = 0; p < images.pixels; p += kRun) {
          const int64_t count = std::min(kRun, images.pixels - p);
          image = hn::Add(image, sum_pixels(io, plane + p * images.lanes, count, images.lanes));
        }
        total = hn::Add(total, image);
      }
      store_n(total, db + first, std::min(kLanes, images.channels - first));
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(add_bias);
void add_bias_blocked(const BlockedImages& images, const float* x, const float* bias, float* y,
                      int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(add_bias)(images, x, bias, y, begin, end);
}

HWY_EXPORT(bias_grad);
void bias_grad_blocked(const BlockedImages& images, const float* dy, float* db, int64_t begin,
                       int64_t end) {
  HWY_DYNAMIC_DISPATCH(bias_grad)(images, dy, db, begin, end);
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
