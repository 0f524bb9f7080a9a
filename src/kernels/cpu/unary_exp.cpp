// Unary ops built on the exponential and the logarithm: activations, hyperbolic functions.
#include "kernels/cpu/elementwise_families.h"
#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/unary_exp.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/elementwise_inl.h"
#include "kernels/cpu/math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {
namespace {

struct Exp {
  HWY_INLINE V operator()(V x) const { return exp(x); }
};

struct Expm1 {
  HWY_INLINE V operator()(V x) const { return expm1(x); }
};

struct Log {
  HWY_INLINE V operator()(V x) const { return log(x); }
};

struct Log1p {
  HWY_INLINE V operator()(V x) const { return log1p(x); }
};

struct Tanh {
  HWY_INLINE V operator()(V x) const { return tanh(x); }
};

struct Sigmoid {
  HWY_INLINE V operator()(V x) const { return sigmoid(x); }
};

struct Erf {
  HWY_INLINE V operator()(V x) const { return erf(x); }
};

struct Erfc {
  HWY_INLINE V operator()(V x) const { return erfc(x); }
};

struct Softplus {
  HWY_INLINE V operator()(V x) const { return softplus(x); }
};

struct Elu {
  HWY_INLINE V operator()(V x) const { return hn::IfThenElse(hn::Lt(x, zero()), expm1(x), x); }
};

// scale (x or alpha (e^x - 1)); scale 1.0507..., scale alpha 1.7580... (Klambauer et al. 2017).
struct Selu {
  HWY_INLINE V operator()(V x) const {
    const V negative = hn::Mul(set(1.7580993408473768f), expm1(x));
    return hn::IfThenElse(hn::Lt(x, zero()), negative, hn::Mul(set(1.0507009873554804f), x));
  }
};

// cosh and sinh through h = e^|x| / 2, which is finite wherever they are: h +- 1 / (4 h).
struct Cosh {
  HWY_INLINE V operator()(V x) const {
    const V h = exp<-1>(hn::Abs(x));
    return hn::Add(h, hn::Div(set(0.25f), h));
  }
};

struct Sinh {
  HWY_INLINE V operator()(V x) const {
    const V a = hn::Abs(x);
    const V h = exp<-1>(a);
    const V large = hn::Sub(h, hn::Div(set(0.25f), h));
    const V z = hn::Mul(a, a);
    const V p = horner(z, 0.166666672f, 0.00833331048f, 0.000198428956f, 2.78221319e-06f);
    const V small = hn::MulAdd(hn::Mul(a, z), p, a);
    return hn::CopySign(hn::IfThenElse(hn::Lt(a, set(1.0f)), small, large), x);
  }
};

constexpr Named<UnaryFn> kTable[] = {
    {"Exp", map_unary<Exp, 1>},   {"Expm1", map_unary<Expm1, 1>},
    {"Log", map_unary<Log, 1>},   {"Log1p", map_unary<Log1p, 1>},
    {"Tanh", map_unary<Tanh, 1>}, {"Sigmoid", map_unary<Sigmoid, 1>},
    {"Erf", map_unary<Erf, 1>},   {"Softplus", map_unary<Softplus, 1>},
    {"Elu", map_unary<Elu, 1>},   {"Selu", map_unary<Selu, 1>},
    {"Cosh", map_unary<Cosh, 1>}, {"Sinh", map_unary<Sinh, 1>},
    {"Erfc", map_unary<Erfc, 1>},
};

}  // namespace

UnaryFn find_exp(std::string_view op) { return find_named(kTable, op); }

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(find_exp);
UnaryFn find_unary_exp(std::string_view op) { return HWY_DYNAMIC_DISPATCH(find_exp)(op); }

}  // namespace thalweg::simd
#endif  // HWY_ONCE
