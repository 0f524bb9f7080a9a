// Element types. The numbers are TensorFlow's DataType, so they go to files unchanged.
#pragma once

#include <bit>
#include <complex>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "thalweg/base/error.h"

namespace thalweg {

enum class DType : int32_t {
  kInvalid = 0,
  kFloat32 = 1,
  kFloat64 = 2,
  kInt32 = 3,
  kUInt8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kComplex64 = 8,
  kInt64 = 9,
  kBool = 10,
  kQInt8 = 11,
  kQUInt8 = 12,
  kQInt32 = 13,
  kBFloat16 = 14,
  kQInt16 = 15,
  kQUInt16 = 16,
  kUInt16 = 17,
  kComplex128 = 18,
  kFloat16 = 19,
  kResource = 20,
  kVariant = 21,
  kUInt32 = 22,
  kUInt64 = 23,
};
using enum DType;

/// "float32", "int64", ...; NumPy's names.
std::string_view to_string(DType dtype);
/// TensorFlow's own spelling in op schemas: "float", "double", "half", "int32", ...
std::string_view schema_name(DType dtype);
/// Reads either spelling, and "DT_FLOAT"; kInvalid when it is none.
DType parse_dtype(std::string_view name);

/// Bytes of one element; 0 for string, variant and resource.
size_t element_size(DType dtype);
/// Whether elements are objects (string, variant): copied one by one, never as bytes.
inline bool holds_objects(DType dtype) {
  return dtype == DType::kString || dtype == DType::kVariant;
}
bool is_floating(DType dtype);
bool is_integer(DType dtype);  // signed or unsigned, not bool, not quantized
bool is_complex(DType dtype);
bool is_quantized(DType dtype);
/// Real numbers.
inline bool is_numeric(DType dtype) { return is_floating(dtype) || is_integer(dtype); }

/// Storage type: the upper half of a float32. Arithmetic converts to float.
struct BFloat16 {
  uint16_t bits = 0;
  BFloat16() = default;
  /// Rounds to nearest even; NaN stays NaN.
  explicit BFloat16(float value) {
    const uint32_t word = std::bit_cast<uint32_t>(value);
    const uint32_t rounded = word + 0x7FFFu + (word >> 16 & 1);
    const bool is_nan =
        (word & 0x7FFFFFFFu) > 0x7F800000u;  // rounding could carry it into infinity
    bits = static_cast<uint16_t>((is_nan ? word | 0x400000u : rounded) >> 16);
  }
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
  friend bool operator==(BFloat16 a, BFloat16 b) { return float(a) == float(b); }
};

/// Storage type: IEEE half precision. Arithmetic converts to float.
struct Float16 {
  uint16_t bits = 0;
  Float16() = default;
  /// Rounds to nearest even; overflow gives infinity.
  explicit Float16(float value);
  explicit operator float() const;
  friend bool operator==(Float16 a, Float16 b) { return float(a) == float(b); }
};

/// Storage type of quantized tensors: an integer whose scale is told by other tensors.
template <class T>
struct Quantized {
  T value = 0;
  friend bool operator==(Quantized, Quantized) = default;
};
using QInt8 = Quantized<int8_t>;
using QUInt8 = Quantized<uint8_t>;
using QInt16 = Quantized<int16_t>;
using QUInt16 = Quantized<uint16_t>;
using QInt32 = Quantized<int32_t>;

class Variant;  // thalweg/tensor/variant.h

template <class T>
inline constexpr DType kDTypeOf = DType::kInvalid;
template <>
inline constexpr DType kDTypeOf<float> = DType::kFloat32;
template <>
inline constexpr DType kDTypeOf<double> = DType::kFloat64;
template <>
inline constexpr DType kDTypeOf<int8_t> = DType::kInt8;
template <>
inline constexpr DType kDTypeOf<int16_t> = DType::kInt16;
template <>
inline constexpr DType kDTypeOf<int32_t> = DType::kInt32;
template <>
inline constexpr DType kDTypeOf<int64_t> = DType::kInt64;
template <>
inline constexpr DType kDTypeOf<uint8_t> = DType::kUInt8;
template <>
inline constexpr DType kDTypeOf<uint16_t> = DType::kUInt16;
template <>
inline constexpr DType kDTypeOf<uint32_t> = DType::kUInt32;
template <>
inline constexpr DType kDTypeOf<uint64_t> = DType::kUInt64;
template <>
inline constexpr DType kDTypeOf<bool> = DType::kBool;
template <>
inline constexpr DType kDTypeOf<BFloat16> = DType::kBFloat16;
template <>
inline constexpr DType kDTypeOf<Float16> = DType::kFloat16;
template <>
inline constexpr DType kDTypeOf<std::string> = DType::kString;
template <>
inline constexpr DType kDTypeOf<std::complex<float>> = DType::kComplex64;
template <>
inline constexpr DType kDTypeOf<std::complex<double>> = DType::kComplex128;
template <>
inline constexpr DType kDTypeOf<QInt8> = DType::kQInt8;
template <>
inline constexpr DType kDTypeOf<QUInt8> = DType::kQUInt8;
template <>
inline constexpr DType kDTypeOf<QInt16> = DType::kQInt16;
template <>
inline constexpr DType kDTypeOf<QUInt16> = DType::kQUInt16;
template <>
inline constexpr DType kDTypeOf<QInt32> = DType::kQInt32;
template <>
inline constexpr DType kDTypeOf<Variant> = DType::kVariant;

template <class T>
struct TypeTag {
  using type = T;
};

/// Calls f(TypeTag<T>{}) with the element type of `dtype`, for real numbers, bool and string.
/// Kernels narrow with `if constexpr`; unimplemented names any other dtype.
template <class F>
decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kFloat32: return f(TypeTag<float>{});
    case DType::kFloat64: return f(TypeTag<double>{});
    case DType::kInt8: return f(TypeTag<int8_t>{});
    case DType::kInt16: return f(TypeTag<int16_t>{});
    case DType::kInt32: return f(TypeTag<int32_t>{});
    case DType::kInt64: return f(TypeTag<int64_t>{});
    case DType::kUInt8: return f(TypeTag<uint8_t>{});
    case DType::kUInt16: return f(TypeTag<uint16_t>{});
    case DType::kUInt32: return f(TypeTag<uint32_t>{});
    case DType::kUInt64: return f(TypeTag<uint64_t>{});
    case DType::kBool: return f(TypeTag<bool>{});
    case DType::kBFloat16: return f(TypeTag<BFloat16>{});
    case DType::kFloat16: return f(TypeTag<Float16>{});
    case DType::kString: return f(TypeTag<std::string>{});
    default: throw unimplemented("no element type for dtype ", dtype);
  }
}

/// As visit_dtype, and for complex and quantized numbers too: for what moves or stores elements.
template <class F>
decltype(auto) visit_element(DType dtype, F&& f) {
  switch (dtype) {
    case DType::kComplex64: return f(TypeTag<std::complex<float>>{});
    case DType::kComplex128: return f(TypeTag<std::complex<double>>{});
    case DType::kQInt8: return f(TypeTag<QInt8>{});
    case DType::kQUInt8: return f(TypeTag<QUInt8>{});
    case DType::kQInt16: return f(TypeTag<QInt16>{});
    case DType::kQUInt16: return f(TypeTag<QUInt16>{});
    case DType::kQInt32: return f(TypeTag<QInt32>{});
    default: return visit_dtype(dtype, std::forward<F>(f));
  }
}

}  // namespace thalweg
