#include <algorithm>
#include <cmath>

#include "thalweg/tensor/tensor.h"

namespace thalweg {
namespace {

template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>;

// Towards zero, modulo 2^64; NaN, infinities and what is larger still become 0. C++ leaves those
// undefined, and a result that differs between machines helps nobody.
template <class To, class From>
To real_to_integer(From value) {
  if (!(std::fabs(value) < From{0x1p64})) return To{0};
  const uint64_t magnitude = static_cast<uint64_t>(std::fabs(value));
  return static_cast<To>(value < 0 ? 0 - magnitude : magnitude);
}

template <class T>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<std::complex<T>> = true;

template <class To, class From>
To convert(From value) {
  if constexpr (kIsComplex<From> && kIsComplex<To>) {
    return To(value);
  } else if constexpr (kIsComplex<From> && std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (kIsComplex<From>) {
    return convert<To>(value.real());
  } else if constexpr (kIsComplex<To>) {
    return To(convert<typename To::value_type>(value));
  } else if constexpr (kIsHalf<From>) {
    return convert<To>(static_cast<float>(value));
  } else if constexpr (kIsHalf<To>) {
    return To(static_cast<float>(value));
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != From{0};
  } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
    return real_to_integer<To>(value);
  } else {
    return static_cast<To>(value);
  }
}

// visit_element without what is no number.
template <class F>
void visit_number(DType dtype, F&& f) {
  switch (dtype) {
    case kComplex64: return f(TypeTag<std::complex<float>>{});
    case kComplex128: return f(TypeTag<std::complex<double>>{});
    default:
      visit_dtype(dtype, [&]<class T>(TypeTag<T> tag) {
        if constexpr (!std::is_same_v<T, std::string>) f(tag);
      });
  }
}

}  // namespace

void convert_elements(DType from, const void* source, DType to, void* target, int64_t count) {
  const auto is_number = [](DType t) { return is_numeric(t) || is_complex(t) || t == kBool; };
  if (!is_number(from) || !is_number(to)) {
    throw invalid_argument("cannot cast ", from, " to ", to, ": only numbers and bool");
  }
  visit_number(from, [&]<class From>(TypeTag<From>) {
    visit_number(to, [&]<class To>(TypeTag<To>) {
      const From* const values = static_cast<const From*>(source);
      std::transform(values, values + count, static_cast<To*>(target), convert<To, From>);
    });
  });
}

}  // namespace thalweg
