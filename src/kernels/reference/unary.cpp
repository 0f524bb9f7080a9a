#include <cmath>
#include <vector>

#include "kernels/families.h"
#include "kernels/reference/elementwise.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: a table of rows in its words
using Request = const KernelRequest&;

// -x, of integers modulo their range.
constexpr auto kNegative = []<class T>(T x) {
  if constexpr (std::is_integral_v<T>)
    return wrapping_sub(T(0), x);
  else
    return -x;
};

constexpr auto kMagnitude = []<class T>(T x) {
  if constexpr (std::is_integral_v<T>)
    return x < 0 ? wrapping_sub(T(0), x) : x;
  else
    return std::fabs(x);
};

// The default rounding mode is to nearest, halves to even.
template <class T>
T round_to_even(T x) {
  if constexpr (std::is_integral_v<T>)
    return x;
  else
    return std::nearbyint(x);
}

int mantissa_bits(DType dtype) {
  switch (dtype) {
    case kFloat64: return 52;
    case kFloat32: return 23;
    case kFloat16: return 10;
    case kBFloat16: return 7;
    default: return 0;
  }
}

// `count` words of `source` with their lowest `bits` cleared.
template <class Word>
std::vector<Word> clear_low_bits(const void* source, int64_t count, int bits) {
  const Word* words = static_cast<const Word*>(source);
  std::vector<Word> result(words, words + count);
  for (Word& word : result) word = static_cast<Word>(word >> bits << bits);
  return result;
}

KernelPtr make_cast(Request request) {
  const DType from = request.inputs[0].dtype, to = request.outputs[0].dtype;
  const auto convertible = [](DType dtype) {
    return is_numeric(dtype) || is_complex(dtype) || dtype == kBool;
  };
  if (!convertible(from) || !convertible(to)) return nullptr;
  const int64_t count = request.outputs[0].shape.num_elements();
  const int excess = mantissa_bits(from) - mantissa_bits(to);
  if (!request.node.attr<bool>("Truncate") || !is_floating(from) || !is_floating(to) ||
      excess <= 0) {
    return make_kernel([=](KernelContext& context) {
      convert_elements(from, context.input_pointer(0), to, context.output_pointer(0), count);
    });
  }
  // Without the bits that the narrower mantissa has no room for, there is nothing to round.
  return make_kernel([=](KernelContext& context) {
    const auto convert = [&](const auto& words) {
      convert_elements(from, words.data(), to, context.output_pointer(0), count);
    };
    const void* source = context.input_pointer(0);
    switch (element_size(from)) {
      case 8: return convert(clear_low_bits<uint64_t>(source, count, excess));
      case 4: return convert(clear_low_bits<uint32_t>(source, count, excess));
      default: return convert(clear_low_bits<uint16_t>(source, count, excess));
    }
  });
}

constexpr auto kReciprocal = []<class T>(T x) { return T(1) / x; };
constexpr auto kReciprocalGrad = []<class T>(T y, T dy) { return -dy * y * y; };

constexpr KernelDef kKernels[] = {
    unary_kernel("Neg", kSigned + kComplex, kNegative),
    unary_kernel("Abs", kSigned, kMagnitude),
    unary_kernel("Sign", kSigned,
                 []<class T>(T x) { return is_nan(x) ? x : T((x > T(0)) - (x < T(0))); }),
    unary_kernel("Square", kNumbers + kComplex, [](auto x) { return wrapping_mul(x, x); }),
    unary_kernel("Reciprocal", kFloats, kReciprocal),
    unary_kernel("Inv", kFloats, kReciprocal),

    unary_kernel("Exp", kFloats + kComplex, [](auto x) { return std::exp(x); }),
    unary_kernel("Expm1", kFloats, [](auto x) { return std::expm1(x); }),
    unary_kernel("Log", kFloats, [](auto x) { return std::log(x); }),
    unary_kernel("Log1p", kFloats, [](auto x) { return std::log1p(x); }),
    unary_kernel("Sqrt", kFloats, [](auto x) { return std::sqrt(x); }),
    unary_kernel("Rsqrt", kFloats, []<class T>(T x) { return T(1) / std::sqrt(x); }),
    unary_kernel("Erf", kFloats, [](auto x) { return std::erf(x); }),

    unary_kernel("Sin", kFloats, [](auto x) { return std::sin(x); }),
    unary_kernel("Cos", kFloats, [](auto x) { return std::cos(x); }),
    unary_kernel("Tan", kFloats, [](auto x) { return std::tan(x); }),
    unary_kernel("Asin", kFloats, [](auto x) { return std::asin(x); }),
    unary_kernel("Acos", kFloats, [](auto x) { return std::acos(x); }),
    unary_kernel("Atan", kFloats, [](auto x) { return std::atan(x); }),
    unary_kernel("Sinh", kFloats, [](auto x) { return std::sinh(x); }),
    unary_kernel("Cosh", kFloats, [](auto x) { return std::cosh(x); }),
    unary_kernel("Tanh", kFloats, [](auto x) { return std::tanh(x); }),

    unary_kernel("Floor", kFloats, [](auto x) { return std::floor(x); }),
    unary_kernel("Ceil", kFloats, [](auto x) { return std::ceil(x); }),
    unary_kernel("Round", kSigned, [](auto x) { return round_to_even(x); }),
    unary_kernel("Rint", kFloats, [](auto x) { return round_to_even(x); }),

    {"Cast", "reference", make_cast},

    binary_kernel("ReciprocalGrad", kFloats, kReciprocalGrad),
    binary_kernel("InvGrad", kFloats, kReciprocalGrad),
    binary_kernel("SqrtGrad", kFloats, []<class T>(T y, T dy) { return dy * T(0.5) / y; }),
    binary_kernel("RsqrtGrad", kFloats,
                  []<class T>(T y, T dy) { return dy * T(-0.5) * y * y * y; }),
    binary_kernel("TanhGrad", kFloats, []<class T>(T y, T dy) { return dy * (T(1) - y * y); }),
};

}  // namespace

std::span<const KernelDef> reference_unary_kernels() { return kKernels; }

}  // namespace thalweg
