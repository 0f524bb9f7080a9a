// The reduction operators, and the fold of a contiguous range. Per-target header, see vec_inl.h.
#if defined(THALWEG_KERNELS_CPU_REDUCE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THALWEG_KERNELS_CPU_REDUCE_INL_H_
#undef THALWEG_KERNELS_CPU_REDUCE_INL_H_
#else
#define THALWEG_KERNELS_CPU_REDUCE_INL_H_
#endif

#include <algorithm>

#include "kernels/cpu/vec_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {

// An operator: its neutral element, how two vectors combine, and how the results of blocks of a
// long range are collected.
struct SumOp {
  static constexpr float kNeutral = 0;
  HWY_INLINE V operator()(V a, V b) const { return hn::Add(a, b); }
  static double collect(double total, float block) { return total + block; }
};

struct ProdOp {
  static constexpr float kNeutral = 1;
  HWY_INLINE V operator()(V a, V b) const { return hn::Mul(a, b); }
  static double collect(double total, float block) {
    return static_cast<float>(total) * block;  // in float, to overflow where float does
  }
};

struct MaxOp {
  static constexpr float kNeutral = -kInf;
  HWY_INLINE V operator()(V a, V b) const { return max_nan(a, b); }
  static double collect(double total, float block) {
    return total != total || total > block ? total : block;
  }
};

struct MinOp {
  static constexpr float kNeutral = kInf;
  HWY_INLINE V operator()(V a, V b) const { return min_nan(a, b); }
  static double collect(double total, float block) {
    return total != total || total < block ? total : block;
  }
};

inline constexpr int64_t kBlock = 4096;

// Folds n <= kBlock values value(access, i); lanes past the end count as the neutral element.
// kWide = 8 hides the latency of a short value; 1 is for long ones.
template <int kWide, class Op, class Value>
HWY_INLINE float fold_block(int64_t n, Op op, Value value) {
  const V neutral = set(Op::kNeutral);
  V a0 = neutral;
  int64_t i = 0;
  if (kWide == 8 && n >= 8 * kLanes) {
    V a1 = neutral, a2 = neutral, a3 = neutral;
    V a4 = neutral, a5 = neutral, a6 = neutral, a7 = neutral;
    for (; i + 8 * kLanes <= n; i += 8 * kLanes) {
      a0 = op(a0, value(Whole(), i));
      a1 = op(a1, value(Whole(), i + kLanes));
      a2 = op(a2, value(Whole(), i + 2 * kLanes));
      a3 = op(a3, value(Whole(), i + 3 * kLanes));
      a4 = op(a4, value(Whole(), i + 4 * kLanes));
      a5 = op(a5, value(Whole(), i + 5 * kLanes));
      a6 = op(a6, value(Whole(), i + 6 * kLanes));
      a7 = op(a7, value(Whole(), i + 7 * kLanes));
    }
    a0 = op(op(op(a0, a1), op(a2, a3)), op(op(a4, a5), op(a6, a7)));
  }
  for (; i + kLanes <= n; i += kLanes) a0 = op(a0, value(Whole(), i));
  if (i < n) {
    const M inside = hn::FirstN(F32(), static_cast<size_t>(n - i));
    a0 = op(a0, hn::IfThenElse(inside, value(Part{n - i}, i), neutral));
  }
  return hn::GetLane(fold_lanes(a0, op));
}

template <int kWide = 8, class Op, class Value>
HWY_INLINE float fold(int64_t n, Op op, Value value) {
  double total = Op::kNeutral;
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const auto shifted = [=](auto io, int64_t i)
                             THALWEG_SIMD_LAMBDA { return value(io, begin + i); };
    total = Op::collect(total, fold_block<kWide>(std::min(kBlock, n - begin), op, shifted));
  }
  return static_cast<float>(total);
}

template <class Op>
HWY_INLINE float fold_range(const float* x, int64_t n) {
  return fold(n, Op(), [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA { return io.load(x + i); });
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
