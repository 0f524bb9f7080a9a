#include "kernels/cpu/convert.h"

#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/convert.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/vec_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {
namespace {

using Words = hn::Rebind<uint16_t, F32>;
using HalfWords = hn::Vec<Words>;

HWY_INLINE HalfWords round_to_bfloat16(V v) {
  const U32 u32;
  const VU bits = hn::BitCast(u32, v);
  const VU odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(u32, 1));
  const VU rounded = hn::Add(bits, hn::Add(odd, hn::Set(u32, 0x7FFF)));
  const VU quiet = hn::Or(bits, hn::Set(u32, 0x00400000));  // rounding might make NaN an infinity
  const VU chosen = hn::IfThenElse(hn::RebindMask(u32, hn::IsNaN(v)), quiet, rounded);
  return hn::DemoteTo(Words(), hn::BitCast(I32(), hn::ShiftRight<16>(chosen)));
}

HWY_INLINE V widen_bfloat16(HalfWords words) {
  return hn::BitCast(F32(), hn::ShiftLeft<16>(hn::PromoteTo(U32(), words)));
}

float from_bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

uint32_t to_bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

[[maybe_unused]] uint16_t half_from_float(float x) {
  const uint32_t bits = to_bits(x);
  const uint32_t sign = bits >> 16 & 0x8000;
  const uint32_t magnitude = bits & 0x7FFFFFFF;
  uint32_t half;
  if (magnitude > 0x7F800000) {
    half = 0x7E00 | (magnitude >> 13 & 0x3FF);
  } else if (magnitude >= 0x47800000) {  // 2^16; those from 65520 up round to infinity below
    half = 0x7C00;
  } else if (magnitude < 0x38800000) {  // 2^-14
    // Adding 1/2 brings the result's last bit to the float's, and rounds.
    half = to_bits(from_bits(magnitude) + 0.5f) - 0x3F000000;
  } else {
    half = (magnitude - 0x38000000 + 0xFFF + (magnitude >> 13 & 1)) >> 13;
  }
  return static_cast<uint16_t>(sign | half);
}

[[maybe_unused]] float float_from_half(uint16_t half) {
  const uint32_t sign = uint32_t{half & 0x8000u} << 16;
  const uint32_t exponent = half >> 10 & 0x1F;
  const uint32_t fraction = half & 0x3FF;
  if (exponent == 0) {
    return from_bits(sign | to_bits(static_cast<float>(fraction) * 0x1p-24f));
  }
  const uint32_t quiet = exponent == 31 && fraction != 0 ? 0x400000 : 0;
  const uint32_t wide = exponent == 31 ? 255 : exponent + 112;
  return from_bits(sign | wide << 23 | fraction << 13 | quiet);
}

HWY_INLINE HalfWords round_to_half(V v) {
#if THALWEG_SIMD_X86
  const hn::Rebind<hwy::float16_t, F32> f16;
  return hn::BitCast(Words(), hn::DemoteTo(f16, v));
#else
  HWY_ALIGN float in[kLanes];
  HWY_ALIGN uint16_t out[kLanes];
  hn::Store(v, F32(), in);
  for (int64_t i = 0; i < kLanes; ++i) out[i] = half_from_float(in[i]);
  return hn::Load(Words(), out);
#endif
}

HWY_INLINE V widen_half(HalfWords words) {
#if THALWEG_SIMD_X86
  const hn::Rebind<hwy::float16_t, F32> f16;
  return hn::PromoteTo(F32(), hn::BitCast(f16, words));
#else
  HWY_ALIGN uint16_t in[kLanes];
  HWY_ALIGN float out[kLanes];
  hn::Store(words, Words(), in);
  for (int64_t i = 0; i < kLanes; ++i) out[i] = float_from_half(in[i]);
  return hn::Load(F32(), out);
#endif
}

template <class Narrow>
HWY_INLINE void narrow_range(const float* x, uint16_t* y, int64_t n, Narrow narrow) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) hn::StoreU(narrow(load(x + i)), Words(), y + i);
  if (i == n) return;
  HWY_ALIGN uint16_t words[kLanes];
  hn::Store(narrow(load_n(x + i, n - i)), Words(), words);
  std::memcpy(y + i, words, static_cast<size_t>(n - i) * sizeof(uint16_t));
}

template <class Widen>
HWY_INLINE void widen_range(const uint16_t* x, float* y, int64_t n, Widen widen) {
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) store(widen(hn::LoadU(Words(), x + i)), y + i);
  if (i == n) return;
  HWY_ALIGN uint16_t words[kLanes] = {};
  std::memcpy(words, x + i, static_cast<size_t>(n - i) * sizeof(uint16_t));
  store_n(widen(hn::Load(Words(), words)), y + i, n - i);
}

}  // namespace

void narrow_bfloat16(const float* x, uint16_t* y, int64_t n) {
  narrow_range(x, y, n, [](V v) THALWEG_SIMD_LAMBDA { return round_to_bfloat16(v); });
}

void wide_bfloat16(const uint16_t* x, float* y, int64_t n) {
  widen_range(x, y, n, [](HalfWords w) THALWEG_SIMD_LAMBDA { return widen_bfloat16(w); });
}

void narrow_half(const float* x, uint16_t* y, int64_t n) {
  narrow_range(x, y, n, [](V v) THALWEG_SIMD_LAMBDA { return round_to_half(v); });
}

void wide_half(const uint16_t* x, float* y, int64_t n) {
  widen_range(x, y, n, [](HalfWords w) THALWEG_SIMD_LAMBDA { return widen_half(w); });
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(narrow_bfloat16);
void float_to_bfloat16(const float* x, uint16_t* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(narrow_bfloat16)(x, y, n);
}

HWY_EXPORT(wide_bfloat16);
void bfloat16_to_float(const uint16_t* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(wide_bfloat16)(x, y, n);
}

HWY_EXPORT(narrow_half);
void float_to_half(const float* x, uint16_t* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(narrow_half)(x, y, n);
}

HWY_EXPORT(wide_half);
void half_to_float(const uint16_t* x, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(wide_half)(x, y, n);
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
