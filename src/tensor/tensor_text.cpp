#include "thalweg/tensor/tensor.h"

namespace thalweg {
namespace {

template <class T>
void append_element(std::string& out, const T& value) {
  if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>) {
    append(out, static_cast<float>(value));
  } else if constexpr (std::is_same_v<T, std::string>) {
    out += '"';
    for (const char c : value) {
      constexpr char kHex[] = "0123456789abcdef";
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out += '\\';
        out += c;
      } else if (c == '\n') {
        out += "\\n";
      } else if (byte < 0x20 || byte == 0x7F) {
        out += "\\x";
        out += kHex[byte >> 4];
        out += kHex[byte & 15];
      } else {
        out += c;
      }
    }
    out += '"';
  } else {
    append(out, value);
  }
}

template <class T>
void append_nested(std::string& out, std::span<const T> values, std::span<const int64_t> dims,
                   int limit) {
  if (dims.empty()) return append_element(out, values[0]);
  out += '[';
  const size_t stride = dims[0] == 0 ? 0 : values.size() / static_cast<size_t>(dims[0]);
  for (int64_t i = 0; i < dims[0]; ++i) {
    if (i != 0) out += ", ";
    if (i == limit) {
      out += "...";
      break;
    }
    append_nested(out, values.subspan(static_cast<size_t>(i) * stride, stride), dims.subspan(1),
                  limit);
  }
  out += ']';
}

}  // namespace

std::string Tensor::to_string(int limit) const {
  if (!is_valid()) return "<no tensor>";
  std::string out = str(dtype_);
  if (rank() > 0) append(out, shape_);
  out += ' ';
  visit_dtype(dtype_, [&](auto tag) {
    append_nested(out, data<typename decltype(tag)::type>(), shape_.dims(), limit);
  });
  return out;
}

}  // namespace thalweg
