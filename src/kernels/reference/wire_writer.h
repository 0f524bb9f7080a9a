// Small protobuf messages written without objects: a field after another, in the order of their
// numbers, as protobuf itself writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "thalweg/tensor/tensor.h"

namespace thalweg::reference {

void write_varint(std::string& out, uint64_t value);
void write_varint_field(std::string& out, uint32_t field, uint64_t value);
void write_bytes_field(std::string& out, uint32_t field, std::string_view bytes);
void write_float_field(std::string& out, uint32_t field, float value);
void write_double_field(std::string& out, uint32_t field, double value);

/// A TensorProto with the elements as raw content, strings in their list: what TensorFlow's
/// SerializeTensor writes. `data` holds the elements, row-major.
std::string tensor_message(DType dtype, const Shape& shape, const void* data);
/// The same with strings in the raw content too, behind their lengths: what SerializeSparse writes.
std::string packed_tensor_message(DType dtype, const Shape& shape, const void* data);

}  // namespace thalweg::reference
