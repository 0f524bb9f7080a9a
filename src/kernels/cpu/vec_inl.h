// The few building blocks that every SIMD source shares: the vector types, loads and stores of a
// part of a vector, NaN-keeping minimum and maximum, and loops over ranges of any length.
//
// This is a per-target header in Highway's manner: it is included once for each target, so its
// guard toggles instead of closing.
#if defined(THALWEG_KERNELS_CPU_VEC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THALWEG_KERNELS_CPU_VEC_INL_H_
#undef THALWEG_KERNELS_CPU_VEC_INL_H_
#else
#define THALWEG_KERNELS_CPU_VEC_INL_H_
#endif

#include <cstdint>
#include <cstring>
#include <limits>

#include <hwy/highway.h>

// A lambda on vectors: compiled for the target, and always inlined so that vectors stay registers.
#define THALWEG_SIMD_LAMBDA HWY_ATTR __attribute__((always_inline))

// x86's masked loads and stores do not touch the lanes that are off, and its min and max return the
// second operand when either is NaN. Elsewhere neither can be counted upon.
#undef THALWEG_SIMD_X86
#define THALWEG_SIMD_X86 (HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3)

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using I32 = hn::RebindToSigned<F32>;
using U32 = hn::RebindToUnsigned<F32>;
using V = hn::Vec<F32>;
using VI = hn::Vec<I32>;
using VU = hn::Vec<U32>;
using M = hn::Mask<F32>;

inline constexpr int64_t kLanes = hn::MaxLanes(F32());
inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

HWY_INLINE V set(float value) { return hn::Set(F32(), value); }
HWY_INLINE V zero() { return hn::Zero(F32()); }
HWY_INLINE V load(const float* p) { return hn::LoadU(F32(), p); }
HWY_INLINE void store(V v, float* p) { hn::StoreU(v, F32(), p); }

HWY_INLINE VI as_int(V v) { return hn::BitCast(I32(), v); }
HWY_INLINE V as_float(VI v) { return hn::BitCast(F32(), v); }

// The first n < kLanes elements; the other lanes hold zero.
HWY_INLINE V load_n(const float* p, int64_t n) {
#if THALWEG_SIMD_X86
  return hn::MaskedLoad(hn::FirstN(F32(), static_cast<size_t>(n)), F32(), p);
#else
  HWY_ALIGN float lanes[kLanes] = {};
  std::memcpy(lanes, p, static_cast<size_t>(n) * sizeof(float));
  return hn::Load(F32(), lanes);
#endif
}

HWY_INLINE V load_n_or(const float* p, int64_t n, V other) {
  return hn::IfThenElse(hn::FirstN(F32(), static_cast<size_t>(n)), load_n(p, n), other);
}

HWY_INLINE void store_n(V v, float* p, int64_t n) {
#if THALWEG_SIMD_X86
  hn::BlendedStore(v, hn::FirstN(F32(), static_cast<size_t>(n)), F32(), p);
#else
  HWY_ALIGN float lanes[kLanes];
  hn::Store(v, F32(), lanes);
  std::memcpy(p, lanes, static_cast<size_t>(n) * sizeof(float));
#endif
}

// max(x, bound) and min(x, bound) for a bound that is not NaN; a NaN in x stays.
HWY_INLINE V at_least(V x, V bound) {
#if THALWEG_SIMD_X86
  return hn::Max(bound, x);
#else
  return hn::IfThenElse(hn::Lt(x, bound), bound, x);
#endif
}

HWY_INLINE V at_most(V x, V bound) {
#if THALWEG_SIMD_X86
  return hn::Min(bound, x);
#else
  return hn::IfThenElse(hn::Gt(x, bound), bound, x);
#endif
}

// NaN when either operand is. On x86 a NaN in b already comes through.
HWY_INLINE V max_nan(V a, V b) {
  const V m = hn::IfThenElse(hn::IsNaN(a), a, hn::Max(a, b));
  return THALWEG_SIMD_X86 ? m : hn::IfThenElse(hn::IsNaN(b), b, m);
}

HWY_INLINE V min_nan(V a, V b) {
  const V m = hn::IfThenElse(hn::IsNaN(a), a, hn::Min(a, b));
  return THALWEG_SIMD_X86 ? m : hn::IfThenElse(hn::IsNaN(b), b, m);
}

// Every lane of the result holds the fold of all lanes of v with `combine`, in a fixed tree.
template <class Combine>
HWY_INLINE V fold_lanes(V v, Combine combine) {
  static_assert(kLanes <= 16);
  v = combine(v, hn::Shuffle1032(v));
  v = combine(v, hn::Shuffle2301(v));
  if constexpr (kLanes > 4) v = combine(v, hn::SwapAdjacentBlocks(v));
  if constexpr (kLanes > 8) v = combine(v, hn::ReverseBlocks(F32(), v));
  return v;
}

// Access to a whole vector, or to its first n lanes, behind one interface, so that a loop body is
// written once and used for the bulk and for the tail.
struct Whole {
  HWY_INLINE V load(const float* p) const { return hn::LoadU(F32(), p); }
  HWY_INLINE void store(V v, float* p) const { hn::StoreU(v, F32(), p); }
};

struct Part {
  int64_t n;
  HWY_INLINE V load(const float* p) const { return load_n(p, n); }
  HWY_INLINE void store(V v, float* p) const { store_n(v, p, n); }
};

// body(access, i) for each vector of [0, n). kUnroll > 1 pays only where the body is a few
// instructions; long bodies already overlap in the CPU.
template <int kUnroll = 1, class Body>
HWY_INLINE void sweep(int64_t n, Body body) {
  int64_t i = 0;
  if constexpr (kUnroll == 4) {
    for (; i + 4 * kLanes <= n; i += 4 * kLanes) {
      body(Whole(), i);
      body(Whole(), i + kLanes);
      body(Whole(), i + 2 * kLanes);
      body(Whole(), i + 3 * kLanes);
    }
  }
  for (; i + kLanes <= n; i += kLanes) body(Whole(), i);
  if (i < n) body(Part{n - i}, i);
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
