// Unary ops that are a few instructions each.
#include "kernels/cpu/elementwise_families.h"
#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/unary_basic.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/elementwise_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {
namespace {

struct Neg {
  HWY_INLINE V operator()(V x) const { return hn::Neg(x); }
};

struct Abs {
  HWY_INLINE V operator()(V x) const { return hn::Abs(x); }
};

// Zeros and NaN are returned as they came.
struct Sign {
  HWY_INLINE V operator()(V x) const {
    const V one = hn::CopySign(set(1.0f), x);
    return hn::IfThenElse(hn::Gt(hn::Abs(x), zero()), one, x);
  }
};

struct Sqrt {
  HWY_INLINE V operator()(V x) const { return hn::Sqrt(x); }
};

struct Rsqrt {
  HWY_INLINE V operator()(V x) const { return hn::Div(set(1.0f), hn::Sqrt(x)); }
};

struct Square {
  HWY_INLINE V operator()(V x) const { return hn::Mul(x, x); }
};

struct Reciprocal {
  HWY_INLINE V operator()(V x) const { return hn::Div(set(1.0f), x); }
};

struct Floor {
  HWY_INLINE V operator()(V x) const { return hn::Floor(x); }
};

struct Ceil {
  HWY_INLINE V operator()(V x) const { return hn::Ceil(x); }
};

struct Round {
  HWY_INLINE V operator()(V x) const { return hn::Round(x); }
};

struct Relu {
  HWY_INLINE V operator()(V x) const { return at_least(x, zero()); }
};

struct Relu6 {
  HWY_INLINE V operator()(V x) const { return at_most(at_least(x, zero()), set(6.0f)); }
};

struct Softsign {
  HWY_INLINE V operator()(V x) const { return hn::Div(x, hn::Add(hn::Abs(x), set(1.0f))); }
};

constexpr Named<UnaryFn> kTable[] = {
    {"Neg", map_unary<Neg, 4>},
    {"Abs", map_unary<Abs, 4>},
    {"Sign", map_unary<Sign, 1>},
    {"Sqrt", map_unary<Sqrt, 1>},
    {"Rsqrt", map_unary<Rsqrt, 1>},
    {"Square", map_unary<Square, 4>},
    {"Reciprocal", map_unary<Reciprocal, 1>},
    {"Inv", map_unary<Reciprocal, 1>},
    {"Floor", map_unary<Floor, 1>},
    {"Ceil", map_unary<Ceil, 1>},
    {"Round", map_unary<Round, 1>},
    {"Rint", map_unary<Round, 1>},
    {"Relu", map_unary<Relu, 4>},
    {"Relu6", map_unary<Relu6, 4>},
    {"Softsign", map_unary<Softsign, 1>},
};

}  // namespace

UnaryFn find_basic(std::string_view op) { return find_named(kTable, op); }

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(find_basic);
UnaryFn find_unary_basic(std::string_view op) { return HWY_DYNAMIC_DISPATCH(find_basic)(op); }

}  // namespace thalweg::simd
#endif  // HWY_ONCE
