// Gradients of the activations and of the roots, each in one pass, and LeakyRelu.
#include "kernels/cpu/elementwise_families.h"
#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/binary_grad.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/elementwise_inl.h"
#include "kernels/cpu/math_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {
namespace {

// The first group takes (dy, x) or (dy, y): the gradient first.

struct ReluGrad {
  HWY_INLINE V operator()(V dy, V x) const { return hn::IfThenElseZero(hn::Gt(x, zero()), dy); }
};

struct Relu6Grad {
  HWY_INLINE V operator()(V dy, V x) const {
    const M inside = hn::And(hn::Gt(x, zero()), hn::Lt(x, set(6.0f)));
    return hn::IfThenElseZero(inside, dy);
  }
};

// y + 1 is e^x where the output y is negative.
struct EluGrad {
  HWY_INLINE V operator()(V dy, V y) const {
    return hn::IfThenElse(hn::Lt(y, zero()), hn::MulAdd(dy, y, dy), dy);
  }
};

struct SeluGrad {
  HWY_INLINE V operator()(V dy, V y) const {
    const V slope = hn::Add(y, set(1.7580993408473768f));
    return hn::Mul(dy, hn::IfThenElse(hn::Lt(y, zero()), slope, set(1.0507009873554804f)));
  }
};

struct SoftplusGrad {
  HWY_INLINE V operator()(V dy, V x) const { return hn::Mul(dy, sigmoid(x)); }
};

struct SoftsignGrad {
  HWY_INLINE V operator()(V dy, V x) const {
    const V d = hn::Add(hn::Abs(x), set(1.0f));
    return hn::Div(dy, hn::Mul(d, d));
  }
};

// The second group takes (y, dy): the forward output first.

struct SigmoidGrad {
  HWY_INLINE V operator()(V y, V dy) const {
    return hn::Mul(hn::Mul(dy, y), hn::Sub(set(1.0f), y));
  }
};

struct TanhGrad {
  HWY_INLINE V operator()(V y, V dy) const { return hn::Mul(dy, hn::NegMulAdd(y, y, set(1.0f))); }
};

struct ReciprocalGrad {
  HWY_INLINE V operator()(V y, V dy) const { return hn::Neg(hn::Mul(dy, hn::Mul(y, y))); }
};

struct SqrtGrad {
  HWY_INLINE V operator()(V y, V dy) const { return hn::Div(hn::Mul(dy, set(0.5f)), y); }
};

struct RsqrtGrad {
  HWY_INLINE V operator()(V y, V dy) const {
    return hn::Mul(hn::Mul(dy, set(-0.5f)), hn::Mul(hn::Mul(y, y), y));
  }
};

constexpr Named<BinaryFn> kTable[] = {
    {"ReluGrad", map_binary<ReluGrad, 4>},
    {"Relu6Grad", map_binary<Relu6Grad, 1>},
    {"EluGrad", map_binary<EluGrad, 1>},
    {"SeluGrad", map_binary<SeluGrad, 1>},
    {"SoftplusGrad", map_binary<SoftplusGrad, 1>},
    {"SoftsignGrad", map_binary<SoftsignGrad, 1>},
    {"SigmoidGrad", map_binary<SigmoidGrad, 4>},
    {"TanhGrad", map_binary<TanhGrad, 4>},
    {"ReciprocalGrad", map_binary<ReciprocalGrad, 4>},
    {"InvGrad", map_binary<ReciprocalGrad, 4>},
    {"SqrtGrad", map_binary<SqrtGrad, 1>},
    {"RsqrtGrad", map_binary<RsqrtGrad, 1>},
};

}  // namespace

BinaryFn find_grad(std::string_view op) { return find_named(kTable, op); }

void leaky(const float* x, float alpha, float* y, int64_t n) {
  const V slope = set(alpha);
  sweep<4>(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const V v = io.load(x + i);
    io.store(hn::IfThenElse(hn::Gt(v, zero()), v, hn::Mul(v, slope)), y + i);
  });
}

void leaky_grad(const float* dy, const float* x, float alpha, float* dx, int64_t n) {
  const V slope = set(alpha);
  sweep<4>(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const V g = io.load(dy + i);
    io.store(hn::IfThenElse(hn::Gt(io.load(x + i), zero()), g, hn::Mul(g, slope)), dx + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(find_grad);
BinaryFn find_binary_grad(std::string_view op) { return HWY_DYNAMIC_DISPATCH(find_grad)(op); }

HWY_EXPORT(leaky);
void leaky_relu(const float* x, float alpha, float* y, int64_t n) {
  HWY_DYNAMIC_DISPATCH(leaky)(x, alpha, y, n);
}

HWY_EXPORT(leaky_grad);
void leaky_relu_grad(const float* dy, const float* x, float alpha, float* dx, int64_t n) {
  HWY_DYNAMIC_DISPATCH(leaky_grad)(dy, x, alpha, dx, n);
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
