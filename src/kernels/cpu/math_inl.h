// Elementary functions on float vectors: polynomials and rational functions fitted for the least
// largest relative error (weighted Remez by Lawson's method, coefficients rounded one by one).
//
// Unlike Highway's own, all of them keep NaN, give the right infinities and the right subnormals.
// Largest errors found over all floats: exp 1.0 ulp, expm1 1.6, log 0.8, log1p 1.5, sigmoid 2.3,
// softplus 2.6, tanh 5.1, erf 5.8, erfc 4.7. Per-target header, see vec_inl.h.
#if defined(THALWEG_KERNELS_CPU_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THALWEG_KERNELS_CPU_MATH_INL_H_
#undef THALWEG_KERNELS_CPU_MATH_INL_H_
#else
#define THALWEG_KERNELS_CPU_MATH_INL_H_
#endif

#include "kernels/cpu/vec_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {

// ln 2 in two parts: products of the first with a whole number below 2^14 are exact.
inline constexpr float kLn2Hi = 0.693359375f;
inline constexpr float kLn2Lo = -2.12194440e-4f;

// c0 + x (c1 + x (c2 + ...)).
template <class... Rest>
HWY_INLINE V horner(V x, float c0, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {
    return set(c0);
  } else {
    return hn::MulAdd(horner(x, rest...), x, set(c0));
  }
}

// x = n ln2 + r with |r| <= ln2 / 2. Adding and subtracting 1.5 * 2^23 rounds to the nearest whole
// number and leaves it in the low bits of `shifted`.
struct ExpParts {
  V shifted, n, r;
};

inline constexpr float kRounder = 12582912.0f;

HWY_INLINE ExpParts split_exponent(V x) {
  ExpParts parts;
  parts.shifted = hn::MulAdd(x, set(1.44269504f), set(kRounder));
  parts.n = hn::Sub(parts.shifted, set(kRounder));
  const V r = hn::NegMulAdd(parts.n, set(kLn2Hi), x);
  parts.r = hn::NegMulAdd(parts.n, set(kLn2Lo), r);
  return parts;
}

// p 2^(n + kShift), rounded once, also where the result overflows or is subnormal.
template <int kShift>
HWY_INLINE V scale(V p, const ExpParts& parts) {
#if HWY_TARGET == HWY_AVX3
  const V n = kShift == 0 ? parts.n : hn::Add(parts.n, set(kShift));
  return V{_mm512_scalef_ps(p.raw, n.raw)};
#else
  // 2^n may not be a float though p 2^n is one: multiply twice, by about the square root.
  const I32 i32;
  const VI n = hn::Sub(as_int(parts.shifted), hn::Set(i32, 0x4B400000 - kShift));
  const VI half = hn::ShiftRight<1>(n);
  const VI bias = hn::Set(i32, 127);
  const V first = as_float(hn::ShiftLeft<23>(hn::Add(half, bias)));
  const V second = as_float(hn::ShiftLeft<23>(hn::Add(hn::Sub(n, half), bias)));
  return hn::Mul(hn::Mul(p, first), second);
#endif
}

// e^r for the reduced argument.
HWY_INLINE V exp_reduced(V r) {
  const V p = horner(r, 0.49999994f, 0.166665211f, 0.0416682921f, 0.00836871564f, 0.00138186966f);
  return hn::Add(hn::MulAdd(hn::Mul(r, r), p, r), set(1.0f));
}

// 2^kShift e^x. The bounds lie beyond overflow and underflow, and keep n in range.
template <int kShift = 0>
HWY_INLINE V exp(V x) {
  const ExpParts parts = split_exponent(at_least(at_most(x, set(91.0f)), set(-105.0f)));
  return scale<kShift>(exp_reduced(parts.r), parts);
}

// e^x for x <= 0 (or NaN), one instruction shorter.
HWY_INLINE V exp_nonpositive(V x) {
  const ExpParts parts = split_exponent(at_least(x, set(-105.0f)));
  return scale<0>(exp_reduced(parts.r), parts);
}

// e^x - 1 = 2^n (e^r - 1) + (2^n - 1), computed at half its size because 2^128 is not a float.
HWY_INLINE V expm1(V x) {
  const ExpParts parts = split_exponent(at_least(at_most(x, set(89.0f)), set(-20.0f)));
  const V r = parts.r;
  const V p = horner(r, 0.49999997f, 0.16666545f, 0.0416674465f, 0.00836644694f, 0.00138698414f);
  const V q = hn::MulAdd(hn::Mul(r, r), p, r);
  // The rounder's own bits are shifted out of the word; 2^(n - 1) remains.
  const VI exponent = hn::Add(as_int(parts.shifted), hn::Set(I32(), 126));
  const V s = as_float(hn::ShiftLeft<23>(exponent));
  const V half = hn::MulAdd(s, q, hn::Sub(s, set(0.5f)));
  return hn::CopySign(hn::Add(half, half), x);  // keeps -0
}

// 1 / (1 + e^-x), through e^-|x| so that nothing overflows and the left tail keeps its digits.
HWY_INLINE V sigmoid(V x) {
  const V e = exp_nonpositive(hn::Neg(hn::Abs(x)));
  const V top = hn::IfThenElse(hn::Ge(x, zero()), set(1.0f), e);
  return hn::Div(top, hn::Add(e, set(1.0f)));
}

HWY_INLINE V tanh(V x) {
  const V t = at_least(at_most(x, set(9.02f)), set(-9.02f));
  const V z = hn::Mul(t, t);
  const V p = horner(z, 1.0f, 0.136799157f, 0.00386832887f, 2.80074819e-05f, 3.05850776e-08f,
                     -1.22035056e-11f);
  const V q = horner(z, 1.0f, 0.47013247f, 0.0272458438f, 0.000393863302f, 1.28736826e-06f);
  const V y = hn::Div(hn::Mul(t, p), q);
  return at_least(at_most(y, set(1.0f)), set(-1.0f));
}

HWY_INLINE V erf(V x) {
  const V t = at_least(at_most(x, set(4.0f)), set(-4.0f));
  const V z = hn::Mul(t, t);
  const V p = horner(z, 1.12837923f, 0.185203061f, 0.0543168969f, 0.00384960603f, 0.000379608973f,
                     4.68478493e-06f, -1.32022597e-08f);
  const V q =
      horner(z, 1.0f, 0.497465372f, 0.113958359f, 0.0154620791f, 0.00130756886f, 6.3110645e-05f);
  const V y = hn::Div(hn::Mul(t, p), q);
  return at_least(at_most(y, set(1.0f)), set(-1.0f));
}

// For t = |x|, erfc(t) = e^(-t^2) r(t), where (1 + 2 t) r(t) is a polynomial in (t - 2) / (t + 2).
// The square has two parts: an error of its rounding would become one of the result. Beyond 10.1
// nothing is left. Next to 0, where the slope is all, the line gives erfc(0) = 1 exactly.
HWY_INLINE V erfc(V x) {
  const V t = at_most(hn::Abs(x), set(10.1f));
  const V q = hn::Div(hn::Sub(t, set(2.0f)), hn::Add(t, set(2.0f)));
  const V p =
      horner(q, 1.27697837f, -0.0927639157f, -0.166030958f, 0.164054602f, -0.0542074889f,
             -0.00805798173f, 0.00864036474f, 0.00131413748f, -0.00123818405f, -0.000404720398f);
  const V r = hn::Div(p, hn::MulAdd(t, set(2.0f), set(1.0f)));
  const V head =
      as_float(hn::And(as_int(t), hn::Set(I32(), -4096)));  // 12 bits: its square is exact
  ExpParts parts = split_exponent(hn::Neg(hn::Mul(head, head)));
  parts.r = hn::NegMulAdd(hn::Sub(t, head), hn::Add(t, head), parts.r);
  const V tail = scale<0>(hn::Mul(exp_reduced(parts.r), r), parts);
  const V y = hn::IfThenElse(hn::Lt(x, zero()), hn::Sub(set(2.0f), tail), tail);
  const V line = hn::NegMulAdd(x, set(1.12837917f), set(1.0f));
  return hn::IfThenElse(hn::Lt(t, set(0.0009765625f)), line, y);
}

// u = 2^e m with 2/3 <= m < 4/3, for positive normal u.
struct LogParts {
  VI exponent_bits;
  V e, m;
};

HWY_INLINE LogParts split_mantissa(V u) {
  const I32 i32;
  const VI bits = as_int(u);
  const VI above = hn::Sub(bits, hn::Set(i32, 0x3F2AAAAB));  // 2/3
  LogParts parts;
  parts.exponent_bits = hn::And(above, hn::Set(i32, static_cast<int32_t>(0xFF800000u)));
  parts.e = hn::ConvertTo(F32(), hn::ShiftRight<23>(above));
  parts.m = as_float(hn::Sub(bits, parts.exponent_bits));
  return parts;
}

// e ln2 + log(1 + f) for -1/3 <= f < 1/3; exact in f when e is zero and f tiny.
HWY_INLINE V log_reduced(V e, V f) {
  const V z = hn::Mul(f, f);
  const V p = horner(f, 0.333332151f, -0.249998048f, 0.200104356f, -0.166802213f, 0.140055433f,
                     -0.121874534f, 0.139855936f, -0.128792912f);
  V y = hn::MulAdd(e, set(kLn2Lo), hn::Mul(hn::Mul(f, z), p));
  y = hn::NegMulAdd(set(0.5f), z, y);
  return hn::MulAdd(e, set(kLn2Hi), hn::Add(f, y));
}

// The logarithm's values outside the domain: -inf at the pole, NaN below it, inf and NaN kept.
HWY_INLINE V log_specials(V x, V pole, V y) {
  y = hn::IfThenElse(hn::Lt(x, set(kInf)), y, x);
  y = hn::IfThenElse(hn::Lt(x, pole), set(kNaN), y);
  return hn::IfThenElse(hn::Eq(x, pole), set(-kInf), y);
}

HWY_INLINE V log_positive_normal(V x) {
  const LogParts parts = split_mantissa(x);
  return log_reduced(parts.e, hn::Sub(parts.m, set(1.0f)));
}

HWY_INLINE V log(V x) {
  const V smallest = set(std::numeric_limits<float>::min());
  // Rare inputs are tested for once per vector.
  const bool plain = hn::AllTrue(F32(), hn::And(hn::Ge(x, smallest), hn::Lt(x, set(kInf))));
  if (HWY_LIKELY(plain)) return log_positive_normal(x);
  const M subnormal = hn::Lt(x, smallest);
  const V u = hn::IfThenElse(subnormal, hn::Mul(x, set(33554432.0f)), x);  // 2^25
  const LogParts parts = split_mantissa(u);
  const V e = hn::Sub(parts.e, hn::IfThenElseZero(subnormal, set(25.0f)));
  return log_specials(x, zero(), log_reduced(e, hn::Sub(parts.m, set(1.0f))));
}

// What rounding 1 + x loses is put back, at the mantissa's scale.
HWY_INLINE V log1p(V x) {
  const V u = hn::Add(x, set(1.0f));
  const V lost = hn::Sub(x, hn::Sub(u, set(1.0f)));
  const LogParts parts = split_mantissa(u);
  // 2^-e; there is nothing to put back where that would leave the range (e = 127 and 128).
  const VI one_bits = hn::Set(I32(), 0x3F800000);
  const VI exponent = hn::Min(parts.exponent_bits, hn::Set(I32(), 126 << 23));
  const V inverse = as_float(hn::Sub(one_bits, exponent));
  const V f = hn::MulAdd(lost, inverse, hn::Sub(parts.m, set(1.0f)));
  const V y = hn::CopySign(log_reduced(parts.e, f), x);  // keeps -0
  const V pole = set(-1.0f);
  const bool plain = hn::AllTrue(F32(), hn::And(hn::Gt(x, pole), hn::Lt(x, set(kInf))));
  return HWY_LIKELY(plain) ? y : log_specials(x, pole, y);
}

// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|), where log(1 + e) = 2 atanh(e / (2 + e)) needs no
// scaling as e <= 1.
HWY_INLINE V softplus(V x) {
  const V e = exp_nonpositive(hn::Neg(hn::Abs(x)));
  const V s = hn::Div(e, hn::Add(e, set(2.0f)));
  const V z = hn::Mul(s, s);
  const V p = horner(z, 0.333332092f, 0.200107187f, 0.14001514f, 0.140033752f);
  const V t = hn::Add(s, s);
  return hn::Add(at_least(x, zero()), hn::MulAdd(hn::Mul(t, z), p, t));
}

// Sine and cosine of a reduced angle, |r| <= pi / 4.
HWY_INLINE V sin_reduced(V r) {
  const V z = hn::Mul(r, r);
  const V p = horner(z, -0.166666552f, 0.00833218824f, -0.000195180997f);
  return hn::MulAdd(hn::Mul(r, z), p, r);
}

HWY_INLINE V cos_reduced(V r) {
  const V z = hn::Mul(r, r);
  const V p = horner(z, 0.0416666456f, -0.00138873106f, 2.44325529e-05f);
  return hn::MulAdd(hn::Mul(z, z), p, hn::NegMulAdd(set(0.5f), z, set(1.0f)));
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
