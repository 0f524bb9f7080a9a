// Sine, cosine, tangent and their inverses.
#include <cmath>

#include "kernels/cpu/elementwise_families.h"
#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/unary_trig.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/elementwise_inl.h"
#include "kernels/cpu/math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {
namespace {

constexpr float kHalfPi = 1.57079637f;
constexpr float kHalfPiError = 4.37113883e-08f;  // kHalfPi - pi / 2

// Beyond this the two-part pi / 2 below no longer suffices and libm takes over.
constexpr float kLargestAngle = 1048576.0f;

// x = quadrant pi / 2 + r, |r| <= pi / 4.
struct Angle {
  VI quadrant;
  V r;
};

// Reduction in double: floats near a multiple of pi / 2 cancel too many digits for float, and
// doubles are cheaper than four float parts of pi / 2.
HWY_INLINE Angle reduce_angle(V x) {
  const hn::ScalableTag<double> f64;
  const hn::Rebind<float, decltype(f64)> f32_half;
  const hn::Rebind<int32_t, decltype(f64)> i32_half;
  const auto two_over_pi = hn::Set(f64, 0.63661977236758134308);
  const auto high = hn::Set(f64, 1.57079632673412561417);  // 33 bits: exact times 20 bits
  const auto low = hn::Set(f64, 6.07710050650619224932e-11);
  const auto lower = hn::PromoteTo(f64, hn::LowerHalf(f32_half, x));
  const auto upper = hn::PromoteTo(f64, hn::UpperHalf(f32_half, x));
  const auto n0 = hn::Round(hn::Mul(lower, two_over_pi));
  const auto n1 = hn::Round(hn::Mul(upper, two_over_pi));
  const auto r0 = hn::NegMulAdd(n0, low, hn::NegMulAdd(n0, high, lower));
  const auto r1 = hn::NegMulAdd(n1, low, hn::NegMulAdd(n1, high, upper));
  return {hn::Combine(I32(), hn::DemoteTo(i32_half, n1), hn::DemoteTo(i32_half, n0)),
          hn::Combine(F32(), hn::DemoteTo(f32_half, r1), hn::DemoteTo(f32_half, r0))};
}

HWY_INLINE M is_odd(VI quadrant) {
  const VI one = hn::Set(I32(), 1);
  return hn::RebindMask(F32(), hn::Eq(hn::And(quadrant, one), one));
}

// sin(x + shift pi / 2).
HWY_INLINE V sin_shifted(V x, int32_t shift) {
  const Angle angle = reduce_angle(x);
  const VI quadrant = hn::Add(angle.quadrant, hn::Set(I32(), shift));
  const V y = hn::IfThenElse(is_odd(quadrant), cos_reduced(angle.r), sin_reduced(angle.r));
  const VI sign = hn::ShiftLeft<30>(hn::And(quadrant, hn::Set(I32(), 2)));
  return as_float(hn::Xor(as_int(y), sign));
}

// Replaces the lanes of y whose argument is too large, infinite or NaN.
template <float (*kExact)(float)>
HWY_NOINLINE V recompute_large(V x, V y) {
  HWY_ALIGN float in[kLanes], out[kLanes];
  hn::Store(x, F32(), in);
  hn::Store(y, F32(), out);
  for (int64_t i = 0; i < kLanes; ++i) {
    if (!(std::fabs(in[i]) <= kLargestAngle)) out[i] = kExact(in[i]);
  }
  return hn::Load(F32(), out);
}

template <float (*kExact)(float)>
HWY_INLINE V check_large(V x, V y) {
  const bool small = hn::AllTrue(F32(), hn::Le(hn::Abs(x), set(kLargestAngle)));
  return HWY_LIKELY(small) ? y : recompute_large<kExact>(x, y);
}

float exact_sin(float x) { return std::sin(x); }
float exact_cos(float x) { return std::cos(x); }
float exact_tan(float x) { return std::tan(x); }

// The reduction turns -0 into 0.
HWY_INLINE V keep_zero(V x, V y) { return hn::IfThenElse(hn::Eq(x, zero()), x, y); }

struct Sin {
  HWY_INLINE V operator()(V x) const {
    return check_large<exact_sin>(x, keep_zero(x, sin_shifted(x, 0)));
  }
};

struct Cos {
  HWY_INLINE V operator()(V x) const { return check_large<exact_cos>(x, sin_shifted(x, 1)); }
};

// sin / cos in the even quadrants, -cos / sin in the odd ones.
struct Tan {
  HWY_INLINE V operator()(V x) const {
    const Angle angle = reduce_angle(x);
    const V s = sin_reduced(angle.r);
    const V c = cos_reduced(angle.r);
    const M odd = is_odd(angle.quadrant);
    const V y = hn::Div(hn::IfThenElse(odd, hn::Neg(c), s), hn::IfThenElse(odd, s, c));
    return check_large<exact_tan>(x, keep_zero(x, y));
  }
};

// asin(s) for 0 <= s <= 1/2, given z = s^2.
HWY_INLINE V asin_reduced(V s, V z) {
  const V p = horner(z, 0.166667521f, 0.0749530941f, 0.0454691499f, 0.0241847783f, 0.0421583056f);
  return hn::MulAdd(hn::Mul(s, z), p, s);
}

// Above 1/2: asin(x) = pi / 2 - 2 asin(sqrt((1 - x) / 2)). The square root makes |x| > 1 NaN.
struct Asin {
  HWY_INLINE V operator()(V x) const {
    const V a = hn::Abs(x);
    const M large = hn::Gt(a, set(0.5f));
    const V half = hn::Mul(hn::Sub(set(1.0f), a), set(0.5f));
    const V z = hn::IfThenElse(large, half, hn::Mul(a, a));
    const V p = asin_reduced(hn::IfThenElse(large, hn::Sqrt(half), a), z);
    const V from_top = hn::Sub(set(kHalfPi), hn::MulAdd(p, set(2.0f), set(kHalfPiError)));
    return hn::CopySign(hn::IfThenElse(large, from_top, p), x);
  }
};

struct Acos {
  HWY_INLINE V operator()(V x) const {
    const V a = hn::Abs(x);
    const M large = hn::Gt(a, set(0.5f));
    const V half = hn::Mul(hn::Sub(set(1.0f), a), set(0.5f));
    const V z = hn::IfThenElse(large, half, hn::Mul(a, a));
    const V p = asin_reduced(hn::IfThenElse(large, hn::Sqrt(half), a), z);
    const V twice = hn::Add(p, p);
    const V from_pi = hn::Sub(set(2 * kHalfPi), hn::Add(twice, set(2 * kHalfPiError)));
    const V outer = hn::IfThenElse(hn::Lt(x, zero()), from_pi, twice);
    const V inner = hn::Sub(set(kHalfPi), hn::Add(hn::CopySign(p, x), set(kHalfPiError)));
    return hn::IfThenElse(large, outer, inner);
  }
};

// Above 1: atan(x) = pi / 2 - atan(1 / x).
struct Atan {
  HWY_INLINE V operator()(V x) const {
    const V a = hn::Abs(x);
    const M large = hn::Gt(a, set(1.0f));
    const V t = hn::IfThenElse(large, hn::Div(set(1.0f), a), a);
    const V z = hn::Mul(t, t);
    const V q = horner(z, -0.333332986f, 0.199985296f, -0.142640159f, 0.109508805f, -0.0839930549f,
                       0.0578813329f, -0.0310968421f, 0.0108685335f, -0.00178276387f);
    const V p = hn::MulAdd(hn::Mul(t, z), q, t);
    const V from_top = hn::Sub(set(kHalfPi), hn::Add(p, set(kHalfPiError)));
    return hn::CopySign(hn::IfThenElse(large, from_top, p), x);
  }
};

constexpr Named<UnaryFn> kTable[] = {
    {"Sin", map_unary<Sin, 1>},   {"Cos", map_unary<Cos, 1>},   {"Tan", map_unary<Tan, 1>},
    {"Asin", map_unary<Asin, 1>}, {"Acos", map_unary<Acos, 1>}, {"Atan", map_unary<Atan, 1>},
};

}  // namespace

UnaryFn find_trig(std::string_view op) { return find_named(kTable, op); }

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(find_trig);
UnaryFn find_unary_trig(std::string_view op) { return HWY_DYNAMIC_DISPATCH(find_trig)(op); }

}  // namespace thalweg::simd
#endif  // HWY_ONCE
