// Numbers as text and text as numbers.
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/text.h"

namespace thalweg {
namespace reference {
namespace {

std::string_view without_space(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

template <class T>
bool read_integer(std::string_view text, T& value) {
  text = without_space(text);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
  return result.ec == std::errc() && result.ptr == end && !text.empty();
}

template <class T>
bool read_real(std::string_view text, T& value) {
  text = without_space(text);
  bool negative = false;
  if (text.starts_with('+') || text.starts_with('-')) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.empty() || text.front() == '-' || text.front() == '+') return false;
  auto format = std::chars_format::general;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    format = std::chars_format::hex;
    text.remove_prefix(2);
  }
  const char* end = text.data() + text.size();
  T magnitude = 0;
  const auto result = std::from_chars(text.data(), end, magnitude, format);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return false;
  if (result.ec == std::errc::result_out_of_range) {
    // Too large or too small: strtod tells which.
    const std::string copy((format == std::chars_format::hex ? "0x" : "") + std::string(text));
    magnitude = static_cast<T>(std::strtod(copy.c_str(), nullptr));
  }
  value = negative ? -magnitude : magnitude;
  return true;
}

}  // namespace

bool read_number(std::string_view text, float& value) { return read_real(text, value); }
bool read_number(std::string_view text, double& value) { return read_real(text, value); }
bool read_number(std::string_view text, int32_t& value) { return read_integer(text, value); }
bool read_number(std::string_view text, int64_t& value) { return read_integer(text, value); }
bool read_number(std::string_view text, uint32_t& value) { return read_integer(text, value); }
bool read_number(std::string_view text, uint64_t& value) { return read_integer(text, value); }

}  // namespace reference

namespace {

template <class T>
KernelPtr make_to_number_of(const KernelRequest& request) {
  return reference::map_strings<T>(request, [](const std::string& text) {
    T value{};
    if (!reference::read_number(text, value))
      throw invalid_argument("`", text, "` is no ", kDTypeOf<T>);
    return value;
  });
}

KernelPtr make_to_number(const KernelRequest& request) {
  switch (request.outputs[0].dtype) {
    case kFloat32: return make_to_number_of<float>(request);
    case kFloat64: return make_to_number_of<double>(request);
    case kInt32: return make_to_number_of<int32_t>(request);
    case kInt64: return make_to_number_of<int64_t>(request);
    case kUInt32: return make_to_number_of<uint32_t>(request);
    case kUInt64: return make_to_number_of<uint64_t>(request);
    default: return nullptr;
  }
}

// What printf makes of one argument.
template <class V>
std::string formatted(const std::string& format, V value) {
  std::string out(static_cast<size_t>(std::snprintf(nullptr, 0, format.c_str(), value)), '\0');
  std::snprintf(out.data(), out.size() + 1, format.c_str(), value);
  return out;
}

// The attributes of AsString as a printf format for each kind of element: "%" + flags + width +
// precision, then the letters.
class Formats {
 public:
  // Beyond it a number is a mistake, and soon more than printf and memory take.
  static constexpr int64_t kWidest = 1 << 20;

  explicit Formats(const KernelRequest& request) {
    const Node& node = request.node;
    const bool scientific = node.attr<bool>("scientific");
    const bool shortest = node.attr<bool>("shortest");
    const auto precision = node.attr<int64_t>("precision");
    const auto width = node.attr<int64_t>("width");
    const auto& fill = node.attr<std::string>("fill");
    const DType dtype = request.inputs[0].dtype;
    const bool real = is_floating(dtype) || is_complex(dtype);
    if (scientific && shortest)
      throw invalid_argument("attributes `scientific` and `shortest` exclude each other");
    if (!real && (precision >= 0 || scientific || shortest)) {
      throw invalid_argument(
          "attributes `precision`, `scientific` and `shortest` are for reals, "
          "the input holds ",
          dtype);
    }
    if (fill.size() > 1 ||
        (!fill.empty() && std::string_view(" 0+-").find(fill) == std::string::npos))
      throw invalid_argument("attribute `fill` is one of ' ', '0', '+', '-', or empty; got '", fill,
                             "'");
    for (int64_t size : {width, precision}) {
      if (size > kWidest)
        throw invalid_argument("attributes `width` and `precision` may be at most ", kWidest,
                               ", got ", size);
    }
    format_ = "%" + fill;
    if (width >= 0) append(format_, width);
    if (precision >= 0) append(format_, str(".", precision));
    letter_ = scientific ? "e" : shortest ? "g" : "f";
  }

  template <class T>
  std::string text(const T& value) const {
    if constexpr (std::is_same_v<T, std::string>) {
      // Not through printf: a string may hold zeros.
      const std::string padded = formatted(format_ + "s", "");
      if (value.size() >= padded.size()) return value;
      const std::string space(padded.size() - value.size(), ' ');
      return format_.find('-') != std::string::npos ? value + space : space + value;
    } else if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, std::complex<float>> ||
                         std::is_same_v<T, std::complex<double>>) {
      return str("(", real(static_cast<double>(value.real())), ",",
                 real(static_cast<double>(value.imag())), ")");
    } else if constexpr (std::is_same_v<T, double>) {
      return real(value);
    } else if constexpr (std::is_unsigned_v<T>) {
      return formatted(format_ + "llu", static_cast<unsigned long long>(value));
    } else if constexpr (std::is_integral_v<T>) {
      return formatted(format_ + "lld", static_cast<long long>(value));
    } else {
      return real(static_cast<double>(static_cast<float>(value)));
    }
  }

 private:
  std::string real(double value) const { return formatted(format_ + letter_, value); }

  std::string format_;
  std::string letter_;
};

KernelPtr make_as_string(const KernelRequest& request) {
  const int64_t count = request.inputs[0].shape.num_elements();
  return visit_element(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) -> KernelPtr {
    if constexpr (requires(T t) { t.value; }) {
      return nullptr;  // quantized
    } else {
      return make_kernel([count, formats = Formats(request)](KernelContext& c) {
        const T* x = c.input<T>(0);
        auto* y = c.output<std::string>();
        parallel_for(count, 64, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) y[i] = formats.text(x[i]);
        });
      });
    }
  });
}

// C's escapes, bytes above ASCII left alone.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    const auto code = static_cast<unsigned char>(c);
    switch (c) {
      case '\n': out += "\\n"; continue;
      case '\r': out += "\\r"; continue;
      case '\t': out += "\\t"; continue;
      case '"':
      case '\'':
      case '\\': out += '\\'; break;
      default:
        if (code < 32 || code == 127) {
          out += formatted("\\%03o", static_cast<unsigned>(code));
          continue;
        }
    }
    out += c;
  }
  return out;
}

// Few digits when they read back as the same number, else as many as are always enough.
template <class T>
std::string real_text(T value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  constexpr bool kSingle = std::is_same_v<T, float>;
  std::string text = formatted(kSingle ? "%.6g" : "%.15g", static_cast<double>(value));
  T back = 0;
  if (reference::read_number(text, back) && back == value) return text;
  return formatted(kSingle ? "%.9g" : "%.17g", static_cast<double>(value));
}

std::string element_text(DType dtype, const void* data, int64_t i) {
  return visit_dtype(dtype, [&]<class T>(TypeTag<T>) -> std::string {
    const T& value = static_cast<const T*>(data)[i];
    if constexpr (std::is_same_v<T, std::string>) {
      return str('"', escaped(value), '"');
    } else if constexpr (std::is_same_v<T, bool>) {
      return value ? "1" : "0";
    } else if constexpr (std::is_integral_v<T>) {
      return str(static_cast<std::conditional_t<std::is_signed_v<T>, int64_t, uint64_t>>(value));
    } else if constexpr (std::is_same_v<T, double>) {
      return real_text(value);
    } else {
      return real_text(static_cast<float>(value));
    }
  });
}

// TensorFlow's summary of a tensor: `ends` elements at both ends of each dimension.
struct Summary {
  DType dtype;
  Shape shape;

  void append_to(std::string& out, const void* data, int64_t ends, int axis = 0,
                 int64_t index = 0) const {
    if (axis == shape.rank()) {
      out += element_text(dtype, data, index);
      return;
    }
    out += '[';
    const int64_t size = shape[axis];
    const int64_t step = shape.slice(axis + 1).num_elements();
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0) append_spacing(out, axis);
      if (ends >= 0 && i >= ends && i < size - ends) {
        out += "...";
        i = size - ends - 1;
        continue;
      }
      append_to(out, data, ends, axis + 1, index + i * step);
    }
    out += ']';
  }

 private:
  void append_spacing(std::string& out, int axis) const {
    if (axis == shape.rank() - 1) {
      out += ' ';
      return;
    }
    out.append(static_cast<size_t>(shape.rank() - axis - 1), '\n');
    out.append(static_cast<size_t>(axis) + 1, ' ');
  }
};

KernelPtr make_format(const KernelRequest& request) {
  const auto& text = request.node.attr<std::string>("template");
  const auto& placeholder = request.node.attr<std::string>("placeholder");
  if (placeholder.empty()) throw invalid_argument("attribute `placeholder` is empty");
  std::vector<std::string> pieces;
  size_t begin = 0;
  for (size_t end; (end = text.find(placeholder, begin)) != std::string::npos;
       begin = end + placeholder.size()) {
    pieces.push_back(text.substr(begin, end - begin));
  }
  pieces.push_back(text.substr(begin));
  if (pieces.size() != request.inputs.size() + 1) {
    throw invalid_argument("attribute `template` has ", pieces.size() - 1, " placeholders for ",
                           request.inputs.size(), " inputs");
  }
  std::vector<Summary> inputs;
  for (const TensorSpec& input : request.inputs) inputs.push_back({input.dtype, input.shape});
  return make_kernel(
      [pieces, inputs, ends = request.node.attr<int64_t>("summarize")](KernelContext& c) {
        std::string out = pieces[0];
        for (size_t i = 0; i < inputs.size(); ++i) {
          inputs[i].append_to(out, c.input_pointer(static_cast<int>(i)), ends);
          out += pieces[i + 1];
        }
        *c.output<std::string>() = std::move(out);
      });
}

constexpr KernelDef kKernels[] = {
    {"StringToNumber", "reference", make_to_number},
    {"AsString", "reference", make_as_string},
    {"StringFormat", "reference", make_format},
};

}  // namespace

std::span<const KernelDef> reference_string_number_kernels() { return kKernels; }

}  // namespace thalweg
