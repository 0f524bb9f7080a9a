#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/families.h"
#include "kernels/reference/elementwise.h"
#include "thalweg/kernels/tensor_list.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: a table of rows in its words
using Request = const KernelRequest&;

template <class T>
void check_divisor(T a, T b) {
  if (b == 0) throw invalid_argument("integer division by zero: ", a, " / 0");
}

// Towards zero. The one quotient out of range, lowest / -1, wraps around.
template <class T>
T truncated_quotient(T a, T b) {
  check_divisor(a, b);
  if (std::is_signed_v<T> && b == static_cast<T>(-1)) return wrapping_sub(T(0), a);
  return static_cast<T>(a / b);
}

constexpr auto kDivide = []<class T>(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return truncated_quotient(a, b);
  else
    return a / b;
};

// Whether a division of integers that does not come out even has a negative result.
template <class T>
bool rounds_down(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    return (a < 0) != (b < 0);
  else
    return false;
}

constexpr auto kFloorDivide = []<class T>(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    const T quotient = truncated_quotient(a, b);
    const bool exact = wrapping_mul(quotient, b) == a;
    return static_cast<T>(!exact && rounds_down(a, b) ? quotient - 1 : quotient);
  } else {
    return std::floor(a / b);
  }
};

constexpr auto kFloorModulo = []<class T>(T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    return wrapping_sub(a, wrapping_mul(b, kFloorDivide(a, b)));
  } else {
    const T rest = std::fmod(a, b);
    return rest != T(0) && (rest < T(0)) != (b < T(0)) ? rest + b : rest;
  }
};

constexpr auto kPower = []<class T>(T base, T exponent) {
  if constexpr (std::is_integral_v<T>) {
    if (exponent < 0) {
      throw invalid_argument("integer ", base, " to the negative power ", exponent,
                             " is no integer; cast to a float first");
    }
    T result = 1;
    for (; exponent > 0; exponent = static_cast<T>(exponent >> 1)) {
      if ((exponent & 1) != 0) result = wrapping_mul(result, base);
      base = wrapping_mul(base, base);
    }
    return result;
  } else {
    return std::pow(base, exponent);
  }
};

constexpr auto kAdd = [](const auto& a, const auto& b) { return wrapping_add(a, b); };

template <class T>
void add_all(KernelContext& context, int inputs, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    Arithmetic<T> sum(context.input<T>(0)[i]);
    for (int k = 1; k < inputs; ++k) sum = wrapping_add(sum, Arithmetic<T>(context.input<T>(k)[i]));
    context.output<T>()[i] = T(sum);
  }
}

KernelPtr make_add_n(Request request) {
  const DType dtype = request.outputs[0].dtype;
  const int inputs = static_cast<int>(request.inputs.size());
  const int64_t count = request.outputs[0].shape.num_elements();
  if (dtype == kVariant) {
    return make_kernel([=](KernelContext& context) {
      for (int64_t i = 0; i < count; ++i) {
        Variant sum = context.input<Variant>(0)[i];
        for (int k = 1; k < inputs; ++k) sum = add(sum, context.input<Variant>(k)[i]);
        context.output<Variant>()[i] = std::move(sum);
      }
    });
  }
  if (!is_numeric(dtype) && !is_complex(dtype)) return nullptr;
  const auto compute = [=](KernelContext& context) {
    if (dtype == kComplex64) return add_all<std::complex<float>>(context, inputs, count);
    if (dtype == kComplex128) return add_all<std::complex<double>>(context, inputs, count);
    visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (!std::is_same_v<T, std::string> && !std::is_same_v<T, bool>)
        add_all<T>(context, inputs, count);
    });
  };
  return make_kernel(compute, {.in_place = {{0, 0}}});
}

// The axes where an operand has size 1 are those it is repeated along (if only once).
template <class T>
void find_gradient_axes(KernelContext& context, const std::array<int64_t, 2>& ranks) {
  const int64_t rank = std::max(ranks[0], ranks[1]);
  std::array<std::vector<T>, 2> axes;
  for (int64_t axis = 0; axis < rank; ++axis) {
    std::array<T, 2> dims{1, 1};
    for (size_t k = 0; k < 2; ++k) {
      const int64_t i = axis - (rank - ranks[k]);
      if (i >= 0) dims[k] = context.input<T>(static_cast<int>(k))[i];
    }
    if (dims[0] != dims[1] && dims[0] != 1 && dims[1] != 1) {
      throw invalid_argument("shapes cannot be broadcast together: dimension ", axis - rank, " is ",
                             dims[0], " against ", dims[1]);
    }
    for (size_t k = 0; k < 2; ++k) {
      if (dims[k] == 1) axes[k].push_back(static_cast<T>(axis));
    }
  }
  for (size_t k = 0; k < 2; ++k) {
    const Shape shape{static_cast<int64_t>(axes[k].size())};
    context.set_output(static_cast<int>(k), Tensor::from(std::span<const T>(axes[k]), shape));
  }
}

KernelPtr make_broadcast_gradient_args(Request request) {
  const std::array<int64_t, 2> ranks{request.inputs[0].shape[0], request.inputs[1].shape[0]};
  return make_kernel([ranks, dtype = request.inputs[0].dtype](KernelContext& context) {
    if (dtype == kInt32) return find_gradient_axes<int32_t>(context, ranks);
    return find_gradient_axes<int64_t>(context, ranks);
  });
}

constexpr KernelDef kKernels[] = {
    binary_kernel("AddV2", kNumbers + kComplex, kAdd),
    binary_kernel("Add", kNumbers + kComplex + Types<std::string>{}, kAdd),
    binary_kernel("Sub", kNumbers + kComplex, [](auto a, auto b) { return wrapping_sub(a, b); }),
    binary_kernel("Mul", kNumbers + kComplex, [](auto a, auto b) { return wrapping_mul(a, b); }),
    binary_kernel("RealDiv", kFloats + kComplex, kDivide),
    binary_kernel("Div", kNumbers + kComplex, kDivide),
    binary_kernel("DivNoNan", kFloats, []<class T>(T a, T b) { return b == T(0) ? T(0) : a / b; }),
    binary_kernel("FloorDiv", kNumbers, kFloorDivide),
    binary_kernel("FloorMod", kNumbers, kFloorModulo),
    binary_kernel("TruncateDiv", kIntegers, kDivide),
    binary_kernel("Pow", kSigned, kPower),
    binary_kernel("Atan2", kFloats, [](auto y, auto x) { return std::atan2(y, x); }),
    binary_kernel("Maximum", kNumbers, [](auto a, auto b) { return a > b || is_nan(a) ? a : b; }),
    binary_kernel("Minimum", kNumbers, [](auto a, auto b) { return a < b || is_nan(a) ? a : b; }),
    binary_kernel("SquaredDifference", kNumbers,
                  [](auto a, auto b) {
                    const auto difference = wrapping_sub(a, b);
                    return wrapping_mul(difference, difference);
                  }),
    {"AddN", "reference", make_add_n},
    {"BroadcastGradientArgs", "reference", make_broadcast_gradient_args},
};

}  // namespace

std::span<const KernelDef> reference_binary_kernels() { return kKernels; }

}  // namespace thalweg
