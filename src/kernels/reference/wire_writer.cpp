#include "kernels/reference/wire_writer.h"

#include <span>

namespace thalweg::reference {
namespace {

void write_tag(std::string& out, uint32_t field, uint32_t wire_type) {
  write_varint(out, field << 3 | wire_type);
}

}  // namespace

void write_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

void write_varint_field(std::string& out, uint32_t field, uint64_t value) {
  write_tag(out, field, 0);
  write_varint(out, value);
}

void write_bytes_field(std::string& out, uint32_t field, std::string_view bytes) {
  write_tag(out, field, 2);
  write_varint(out, bytes.size());
  out += bytes;
}

void write_float_field(std::string& out, uint32_t field, float value) {
  write_tag(out, field, 5);
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void write_double_field(std::string& out, uint32_t field, double value) {
  write_tag(out, field, 1);
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

namespace {

std::string tensor_header(DType dtype, const Shape& shape) {
  std::string dims;
  for (int64_t dim : shape.dims()) {
    std::string size;
    if (dim != 0) write_varint_field(size, 1, static_cast<uint64_t>(dim));
    write_bytes_field(dims, 2, size);
  }
  std::string out;
  write_varint_field(out, 1, static_cast<uint64_t>(dtype));
  write_bytes_field(out, 2, dims);
  return out;
}

}  // namespace

std::string tensor_message(DType dtype, const Shape& shape, const void* data) {
  std::string out = tensor_header(dtype, shape);
  const auto count = static_cast<size_t>(shape.num_elements());
  if (dtype == kString) {
    for (size_t i = 0; i < count; ++i)
      write_bytes_field(out, 8, static_cast<const std::string*>(data)[i]);
  } else if (const size_t bytes = count * element_size(dtype); bytes != 0) {
    write_bytes_field(out, 4, {static_cast<const char*>(data), bytes});
  }
  return out;
}

std::string packed_tensor_message(DType dtype, const Shape& shape, const void* data) {
  if (dtype != kString || shape.num_elements() == 0) return tensor_message(dtype, shape, data);
  const std::span strings(static_cast<const std::string*>(data),
                          static_cast<size_t>(shape.num_elements()));
  std::string content;
  for (const std::string& text : strings) write_varint(content, text.size());
  for (const std::string& text : strings) content += text;
  std::string out = tensor_header(dtype, shape);
  write_bytes_field(out, 4, content);
  return out;
}

}  // namespace thalweg::reference
