// The three passes over one row that softmax and its losses share. Per-target header, see
// vec_inl.h.
#if defined(THALWEG_KERNELS_CPU_SOFTMAX_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THALWEG_KERNELS_CPU_SOFTMAX_INL_H_
#undef THALWEG_KERNELS_CPU_SOFTMAX_INL_H_
#else
#define THALWEG_KERNELS_CPU_SOFTMAX_INL_H_
#endif

#include "kernels/cpu/math_inl.h"
#include "kernels/cpu/reduce_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {

// The largest element; any number when the row has NaN, which the exponentials then carry on.
struct RowMaxOp : MaxOp {
  HWY_INLINE V operator()(V a, V b) const { return hn::Max(a, b); }
};

HWY_INLINE float row_max(const float* x, int64_t n) {
  return fold(n, RowMaxOp(),
              [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA { return io.load(x + i); });
}

// y = e^(x - shift), returning the sum, for a shift no smaller than any x.
HWY_INLINE float exp_row(const float* x, float shift, float* y, int64_t n) {
  const V s = set(shift);
  return fold<1>(n, SumOp(), [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const V e = exp_nonpositive(hn::Sub(io.load(x + i), s));
    io.store(e, y + i);
    return e;
  });
}

// The sum alone.
HWY_INLINE float exp_sum(const float* x, float shift, int64_t n) {
  const V s = set(shift);
  return fold<1>(n, SumOp(), [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    return exp_nonpositive(hn::Sub(io.load(x + i), s));
  });
}

// Cheaper than a call of libm, for one number a row.
HWY_INLINE float log_of(float x) { return hn::GetLane(log(set(x))); }

HWY_INLINE void scale_row(float* y, float factor, int64_t n) {
  const V f = set(factor);
  sweep<4>(n, [=](auto io, int64_t i)
                  THALWEG_SIMD_LAMBDA { io.store(hn::Mul(io.load(y + i), f), y + i); });
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
