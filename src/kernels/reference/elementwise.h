// What the element-wise reference kernels share: lists of element types, and one loop for every
// shape pattern.
//
// A function is compiled once an op and type, as a loop over one row in which each operand advances
// by its own step; walking over the rows of a broadcast is common code. Half-width floats are
// computed in float and rounded at the end.
#pragma once

#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include "thalweg/kernels/kernel.h"

namespace thalweg::reference {

template <class... Ts>
struct Types {};
template <class... As, class... Bs>
constexpr Types<As..., Bs...> operator+(Types<As...>, Types<Bs...>) {
  return {};
}
inline constexpr Types<float, double, BFloat16, Float16> kFloats;
inline constexpr Types<int8_t, int16_t, int32_t, int64_t> kSignedIntegers;
inline constexpr auto kIntegers = kSignedIntegers + Types<uint8_t, uint16_t, uint32_t, uint64_t>{};
inline constexpr auto kSigned = kFloats + kSignedIntegers;
inline constexpr auto kNumbers = kFloats + kIntegers;
inline constexpr Types<std::complex<float>, std::complex<double>> kComplex;

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>;
/// The type that T is computed in.
template <class T>
using Arithmetic = std::conditional_t<kIsHalf<T>, float, T>;

/// `count` cells of the output; operand k starts at operands[k] and advances by steps[k] cells.
/// `parameter` is an attribute of the op, where it has one.
using RowLoop = void (*)(const void* const* operands, const int64_t* steps, void* output,
                         int64_t count, double parameter);

/// A kernel that broadcasts the inputs, seen as `shapes`, to output 0 and runs `loop` over its
/// rows.
KernelPtr make_elementwise(const KernelRequest& request, std::vector<Shape> shapes, RowLoop loop,
                           double parameter = 0);
/// The same with the inputs' own shapes.
KernelPtr make_elementwise(const KernelRequest& request, RowLoop loop, double parameter = 0);

/// Output cells f(a, b, ...) of operands that all have type T; a result of bool stays bool, others
/// become T.
template <class T, class F, size_t... I>
void function_row(const void* const* operands, const int64_t* steps, void* output, int64_t count,
                  double parameter) {
  using A = Arithmetic<T>;
  const auto at = [&](size_t k, int64_t i) -> decltype(auto) {
    return static_cast<const T*>(operands[k])[i * steps[k]];
  };
  const auto compute = [&](int64_t i) {
    if constexpr (std::is_invocable_v<F, decltype(A(at(I, i)))..., double>) {
      return F{}(A(at(I, i))..., parameter);
    } else {
      return F{}(A(at(I, i))...);
    }
  };
  using Result = decltype(compute(0));
  using Out = std::conditional_t<std::is_same_v<Result, bool>, bool, T>;
  for (int64_t i = 0; i < count; ++i) {
    if constexpr (kIsHalf<Out>) {
      static_cast<Out*>(output)[i] = Out(static_cast<float>(compute(i)));
    } else {
      static_cast<Out*>(output)[i] = static_cast<Out>(compute(i));
    }
  }
}

template <class F, size_t... I, class... Ts>
KernelPtr make_function(const KernelRequest& request, Types<Ts...>, double parameter,
                        std::index_sequence<I...>) {
  const DType dtype = request.inputs[0].dtype;
  RowLoop loop = nullptr;
  ((dtype == kDTypeOf<Ts> ? void(loop = &function_row<Ts, F, I...>) : void()), ...);
  return loop == nullptr ? nullptr : make_elementwise(request, loop, parameter);
}

/// Kernels of y = f(x) and z = f(x, y) for the listed types; null for others. `F` is a captureless
/// lambda on Arithmetic<T>, which may take `parameter` (a double) last.
template <class F, class List>
KernelPtr unary(const KernelRequest& request, List types, F, double parameter = 0) {
  return make_function<F>(request, types, parameter, std::make_index_sequence<1>{});
}
template <class F, class List>
KernelPtr binary(const KernelRequest& request, List types, F, double parameter = 0) {
  return make_function<F>(request, types, parameter, std::make_index_sequence<2>{});
}

/// Rows of a table of kernels. The function is a type alone: a captureless lambda can be made again
/// from its type.
template <class List, class F>
constexpr KernelDef unary_kernel(std::string_view op, List, F) {
  return {op, "reference",
          [](const KernelRequest& request) { return unary(request, List{}, F{}); }};
}
template <class List, class F>
constexpr KernelDef binary_kernel(std::string_view op, List, F) {
  return {op, "reference",
          [](const KernelRequest& request) { return binary(request, List{}, F{}); }};
}

template <class T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>)
    return x != x;
  else
    return false;
}

// Integers wrap around, which in C++ only unsigned ones may.
template <class T>
T wrapping_add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}
template <class T>
T wrapping_sub(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  else
    return a - b;
}
template <class T>
T wrapping_mul(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return a * b;
}

}  // namespace thalweg::reference
