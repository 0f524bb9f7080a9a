#include "thalweg/tensor/dtype.h"

#include <bit>

namespace thalweg {
namespace {

struct DTypeRow {
  DType dtype;
  std::string_view name;      // NumPy
  std::string_view schema;    // op schemas
  std::string_view constant;  // protobuf enum
  size_t size;
};

constexpr DTypeRow kRows[] = {
    {kFloat32, "float32", "float", "DT_FLOAT", 4},
    {kFloat64, "float64", "double", "DT_DOUBLE", 8},
    {kInt32, "int32", "int32", "DT_INT32", 4},
    {kUInt8, "uint8", "uint8", "DT_UINT8", 1},
    {kInt16, "int16", "int16", "DT_INT16", 2},
    {kInt8, "int8", "int8", "DT_INT8", 1},
    {kString, "string", "string", "DT_STRING", 0},
    {kInt64, "int64", "int64", "DT_INT64", 8},
    {kBool, "bool", "bool", "DT_BOOL", 1},
    {kBFloat16, "bfloat16", "bfloat16", "DT_BFLOAT16", 2},
    {kUInt16, "uint16", "uint16", "DT_UINT16", 2},
    {kFloat16, "float16", "half", "DT_HALF", 2},
    {kResource, "resource", "resource", "DT_RESOURCE", 0},
    {kUInt32, "uint32", "uint32", "DT_UINT32", 4},
    {kUInt64, "uint64", "uint64", "DT_UINT64", 8},
    {kComplex64, "complex64", "complex64", "DT_COMPLEX64", 8},
    {kComplex128, "complex128", "complex128", "DT_COMPLEX128", 16},
    {kQInt8, "qint8", "qint8", "DT_QINT8", 1},
    {kQUInt8, "quint8", "quint8", "DT_QUINT8", 1},
    {kQInt16, "qint16", "qint16", "DT_QINT16", 2},
    {kQUInt16, "quint16", "quint16", "DT_QUINT16", 2},
    {kQInt32, "qint32", "qint32", "DT_QINT32", 4},
    {kVariant, "variant", "variant", "DT_VARIANT", 0},
};

const DTypeRow* find_row(DType dtype) {
  for (const DTypeRow& row : kRows) {
    if (row.dtype == dtype) return &row;
  }
  return nullptr;
}

}  // namespace

std::string_view to_string(DType dtype) {
  const DTypeRow* row = find_row(dtype);
  return row == nullptr ? "invalid" : row->name;
}

std::string_view schema_name(DType dtype) {
  const DTypeRow* row = find_row(dtype);
  return row == nullptr ? "invalid" : row->schema;
}

DType parse_dtype(std::string_view name) {
  for (const DTypeRow& row : kRows) {
    if (name == row.name || name == row.schema || name == row.constant) return row.dtype;
  }
  return kInvalid;
}

size_t element_size(DType dtype) {
  const DTypeRow* row = find_row(dtype);
  return row == nullptr ? 0 : row->size;
}

bool is_floating(DType dtype) {
  return dtype == kFloat32 || dtype == kFloat64 || dtype == kBFloat16 || dtype == kFloat16;
}

bool is_integer(DType dtype) {
  switch (dtype) {
    case kInt8:
    case kInt16:
    case kInt32:
    case kInt64:
    case kUInt8:
    case kUInt16:
    case kUInt32:
    case kUInt64: return true;
    default: return false;
  }
}

bool is_complex(DType dtype) { return dtype == kComplex64 || dtype == kComplex128; }

bool is_quantized(DType dtype) {
  switch (dtype) {
    case kQInt8:
    case kQUInt8:
    case kQInt16:
    case kQUInt16:
    case kQInt32: return true;
    default: return false;
  }
}

Float16::Float16(float value) {
  const uint32_t word = std::bit_cast<uint32_t>(value);
  const uint32_t sign = word >> 16 & 0x8000u;
  const uint32_t magnitude = word & 0x7FFFFFFFu;
  uint32_t half;
  if (magnitude > 0x7F800000u) {
    half = 0x7E00u | (magnitude >> 13 & 0x3FFu);
  } else if (magnitude >= 0x477FF000u) {  // 65520, half way to the value after the largest
    half = 0x7C00u;
  } else if (magnitude >= 0x38800000u) {  // 2^-14, the smallest normal
    half = (magnitude - 0x38000000u + 0xFFFu + (magnitude >> 13 & 1)) >> 13;
  } else {
    // Adding 0.5 leaves multiples of 2^-24, the subnormal step, in the low bits, rounded by the
    // machine.
    half = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3F000000u;
  }
  bits = static_cast<uint16_t>(sign | half);
}

Float16::operator float() const {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16;
  const uint32_t magnitude = bits & 0x7FFFu;
  uint32_t word;
  if (magnitude >= 0x7C00u) {
    word = 0x7F800000u | (magnitude & 0x3FFu) << 13;
  } else if (magnitude >= 0x400u) {
    word = (magnitude << 13) + 0x38000000u;
  } else {
    word = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
  }
  return std::bit_cast<float>(sign | word);
}

}  // namespace thalweg
