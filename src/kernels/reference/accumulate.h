// In what type the plain kernels compute: sums of products in more precision than is stored, so
// that a faster kernel that rounds differently is judged against the better number.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>

#include "thalweg/kernels/kernel.h"

namespace thalweg {

template <class T>
inline constexpr bool kIsFloating =
    std::is_floating_point_v<T> || std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>;

template <class T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

/// double for floating dtypes, and complex of it; uint64 for integers, whose wrapped sums are those
/// of the narrower type.
template <class T>
using Accumulator =
    std::conditional_t<kIsFloating<T>, double,
                       std::conditional_t<kIsComplex<T>, std::complex<double>, uint64_t>>;

template <class T>
Accumulator<T> widen(T value) {
  if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>) {
    return static_cast<float>(value);
  } else {
    return static_cast<Accumulator<T>>(value);
  }
}

template <class T>
T narrow(Accumulator<T> value) {
  if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>) {
    return T(static_cast<float>(value));
  } else {
    return static_cast<T>(value);
  }
}

/// Calls f(TypeTag<T>{}), which returns a kernel, for integer and floating dtypes; null for others.
template <class F>
KernelPtr visit_numbers(DType dtype, F&& f) {
  return visit_dtype(dtype, [&]<class T>(TypeTag<T> tag) -> KernelPtr {
    if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, bool>) {
      return nullptr;
    } else {
      return f(tag);
    }
  });
}

/// As visit_numbers, and for complex dtypes too.
template <class F>
KernelPtr visit_numbers_and_complex(DType dtype, F&& f) {
  if (dtype == kComplex64) return f(TypeTag<std::complex<float>>{});
  if (dtype == kComplex128) return f(TypeTag<std::complex<double>>{});
  return visit_numbers(dtype, f);
}

/// The same for floating dtypes only.
template <class F>
KernelPtr visit_floats(DType dtype, F&& f) {
  return visit_dtype(dtype, [&]<class T>(TypeTag<T> tag) -> KernelPtr {
    if constexpr (kIsFloating<T>) {
      return f(tag);
    } else {
      return nullptr;
    }
  });
}

}  // namespace thalweg
