#include <cmath>

#include "thalweg/tensor/tensor.h"
#include "thalweg/tensor/variant.h"

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
  } else if constexpr (std::is_same_v<T, Variant>) {
    out += '<' + value.to_string() + '>';
  } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                       std::is_same_v<T, std::complex<double>>) {
    append(out, str(value.real(), std::signbit(value.imag()) ? "" : "+", value.imag(), "j"));
  } else if constexpr (requires { value.value; }) {
    append(out, value.value);
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
  const auto append_all = [&]<class T>(TypeTag<T>) {
    append_nested(out, data<T>(), shape_.dims(), limit);
  };
  if (dtype_ == kVariant) {
    append_all(TypeTag<Variant>{});
  } else {
    visit_element(dtype_, append_all);
  }
  return out;
}

}  // namespace thalweg
