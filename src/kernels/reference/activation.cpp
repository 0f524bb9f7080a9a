#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/elementwise.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: a table of rows in its words
using Request = const KernelRequest&;

// Selu's fixed point has mean 0 and variance 1 (Klambauer et al. 2017, equation 14).
constexpr double kScale = 1.0507009873554804934193349852946;
constexpr double kScaleAlpha = 1.7580993408473768599402175208123;

// NaN compares as false and is let through; so is a zero with its sign, as vectors do it.
template <class T>
T relu_of(T x) {
  return x < T(0) ? T(0) : x;
}

// Only exponentials of negative numbers, which do not overflow.
template <class T>
T sigmoid_of(T x) {
  if (x >= T(0)) return T(1) / (T(1) + std::exp(-x));
  const T e = std::exp(x);
  return e / (T(1) + e);
}

constexpr KernelDef kKernels[] = {
    unary_kernel("Relu", kNumbers, [](auto x) { return relu_of(x); }),
    binary_kernel("ReluGrad", kNumbers, []<class T>(T g, T x) { return x > T(0) ? g : T(0); }),
    unary_kernel("Relu6", kNumbers, []<class T>(T x) { return x > T(6) ? T(6) : relu_of(x); }),
    binary_kernel("Relu6Grad", kNumbers,
                  []<class T>(T g, T x) { return x > T(0) && x < T(6) ? g : T(0); }),

    {"LeakyRelu", "reference",
     [](Request r) {
       constexpr auto f = []<class T>(T x, double alpha) { return x > T(0) ? x : x * T(alpha); };
       return unary(r, kFloats, f, r.node.attr<float>("alpha"));
     }},
    {"LeakyReluGrad", "reference",
     [](Request r) {
       constexpr auto f = []<class T>(T g, T x, double alpha) {
         return x > T(0) ? g : g * T(alpha);
       };
       return binary(r, kFloats, f, r.node.attr<float>("alpha"));
     }},

    unary_kernel("Elu", kFloats, []<class T>(T x) { return x < T(0) ? std::expm1(x) : x; }),
    binary_kernel("EluGrad", kFloats,
                  []<class T>(T g, T y) { return y < T(0) ? g * (y + T(1)) : g; }),
    unary_kernel(
        "Selu", kFloats,
        []<class T>(T x) { return x < T(0) ? T(kScaleAlpha) * std::expm1(x) : T(kScale) * x; }),
    binary_kernel(
        "SeluGrad", kFloats,
        []<class T>(T g, T y) { return y < T(0) ? g * (y + T(kScaleAlpha)) : g * T(kScale); }),

    unary_kernel("Softplus", kFloats,
                 []<class T>(T x) { return relu_of(x) + std::log1p(std::exp(-std::fabs(x))); }),
    binary_kernel("SoftplusGrad", kFloats, [](auto g, auto x) { return g * sigmoid_of(x); }),
    unary_kernel("Softsign", kFloats, []<class T>(T x) { return x / (T(1) + std::fabs(x)); }),
    binary_kernel("SoftsignGrad", kFloats,
                  []<class T>(T g, T x) {
                    const T size = T(1) + std::fabs(x);
                    return g / (size * size);
                  }),

    unary_kernel("Sigmoid", kFloats, [](auto x) { return sigmoid_of(x); }),
    binary_kernel("SigmoidGrad", kFloats, []<class T>(T y, T dy) { return dy * y * (T(1) - y); }),
};

}  // namespace

std::span<const KernelDef> reference_activation_kernels() { return kKernels; }

}  // namespace thalweg
