// Binary arithmetic, with a second array or with one value, and the fused multiply-add.
#include <cmath>

#include "kernels/cpu/elementwise_families.h"
#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/binary.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/elementwise_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {
namespace {

struct Add {
  HWY_INLINE V operator()(V a, V b) const { return hn::Add(a, b); }
};

struct Sub {
  HWY_INLINE V operator()(V a, V b) const { return hn::Sub(a, b); }
};

struct Mul {
  HWY_INLINE V operator()(V a, V b) const { return hn::Mul(a, b); }
};

struct Div {
  HWY_INLINE V operator()(V a, V b) const { return hn::Div(a, b); }
};

// Zero wherever the divisor is zero, whatever is divided.
struct DivNoNan {
  HWY_INLINE V operator()(V a, V b) const {
    return hn::IfThenZeroElse(hn::Eq(b, zero()), hn::Div(a, b));
  }
};

struct Maximum {
  HWY_INLINE V operator()(V a, V b) const { return max_nan(a, b); }
};

struct Minimum {
  HWY_INLINE V operator()(V a, V b) const { return min_nan(a, b); }
};

struct SquaredDifference {
  HWY_INLINE V operator()(V a, V b) const {
    const V d = hn::Sub(a, b);
    return hn::Mul(d, d);
  }
};

// libm's powf is right in all its special cases; a vector version would need a logarithm to more
// than float's precision.
void pow(const float* a, const float* b, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) y[i] = std::pow(a[i], b[i]);
}

void mul_add(const float* a, const float* b, const float* c, float* y, int64_t n) {
  sweep<4>(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    io.store(hn::MulAdd(io.load(a + i), io.load(b + i), io.load(c + i)), y + i);
  });
}

constexpr Named<BinaryFn> kBinary[] = {
    {"AddV2", map_binary<Add, 4>},
    {"Add", map_binary<Add, 4>},
    {"Sub", map_binary<Sub, 4>},
    {"Mul", map_binary<Mul, 4>},
    {"RealDiv", map_binary<Div, 1>},
    {"Div", map_binary<Div, 1>},
    {"DivNoNan", map_binary<DivNoNan, 1>},
    {"Maximum", map_binary<Maximum, 4>},
    {"Minimum", map_binary<Minimum, 4>},
    {"SquaredDifference", map_binary<SquaredDifference, 4>},
    {"Pow", pow},
};

constexpr Named<BinaryScalarFn> kScalarFirst[] = {
    {"AddV2", map_scalar_first<Add>},
    {"Add", map_scalar_first<Add>},
    {"Sub", map_scalar_first<Sub>},
    {"Mul", map_scalar_first<Mul>},
    {"RealDiv", map_scalar_first<Div>},
    {"Div", map_scalar_first<Div>},
    {"Maximum", map_scalar_first<Maximum>},
    {"Minimum", map_scalar_first<Minimum>},
    {"SquaredDifference", map_scalar_first<SquaredDifference>},
};

constexpr Named<BinaryScalarFn> kScalarSecond[] = {
    {"AddV2", map_scalar_second<Add>},
    {"Add", map_scalar_second<Add>},
    {"Sub", map_scalar_second<Sub>},
    {"Mul", map_scalar_second<Mul>},
    {"RealDiv", map_scalar_second<Div>},
    {"Div", map_scalar_second<Div>},
    {"Maximum", map_scalar_second<Maximum>},
    {"Minimum", map_scalar_second<Minimum>},
    {"SquaredDifference", map_scalar_second<SquaredDifference>},
};

}  // namespace

BinaryFn find_arithmetic(std::string_view op) { return find_named(kBinary, op); }

BinaryScalarFn find_scalar(std::string_view op, ScalarSide side) {
  return side == ScalarSide::kFirst ? find_named(kScalarFirst, op) : find_named(kScalarSecond, op);
}

TernaryFn find_mul_add(std::string_view op) { return op == "_MulAdd" ? mul_add : nullptr; }

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(find_arithmetic);
BinaryFn find_binary_arithmetic(std::string_view op) {
  return HWY_DYNAMIC_DISPATCH(find_arithmetic)(op);
}

HWY_EXPORT(find_scalar);
BinaryScalarFn find_binary_scalar(std::string_view op, ScalarSide side) {
  return HWY_DYNAMIC_DISPATCH(find_scalar)(op, side);
}

HWY_EXPORT(find_mul_add);
TernaryFn find_ternary(std::string_view op) { return HWY_DYNAMIC_DISPATCH(find_mul_add)(op); }

}  // namespace thalweg::simd
#endif  // HWY_ONCE
