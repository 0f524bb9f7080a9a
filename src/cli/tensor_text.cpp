#include "cli/tensor_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <complex>
#include <limits>
#include <type_traits>
#include <vector>

namespace thalweg::cli {
namespace {

template <class T>
Json element(const T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return static_cast<double>(value);
  } else if constexpr (std::is_same_v<T, bool> || std::is_integral_v<T> ||
                       std::is_same_v<T, std::string>) {
    return value;
  } else if constexpr (requires { value.real(); }) {
    return Json::array({element(value.real()), element(value.imag())});
  } else if constexpr (requires { value.value; }) {
    return value.value;  // quantized
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

// Elements from `next` on in the form of dimensions `axis` and later.
template <class T>
Json nested(std::span<const T> values, const Shape& shape, int axis, size_t& next) {
  if (axis == shape.rank()) return element(T(values[next++]));
  Json list = Json::array();
  for (int64_t i = 0; i < shape[axis]; ++i) list.push_back(nested(values, shape, axis + 1, next));
  return list;
}

void flatten(const Json& json, size_t depth, std::vector<int64_t>& dims, std::vector<Json>& out) {
  if (!json.is_array()) {
    if (depth != dims.size()) throw UsageError("the lists of a tensor must all be equally deep");
    out.push_back(json);
    return;
  }
  if (out.empty() && depth == dims.size()) {
    dims.push_back(static_cast<int64_t>(json.size()));
  } else if (depth >= dims.size() || dims[depth] != static_cast<int64_t>(json.size())) {
    throw UsageError("the lists of a tensor must all be equally long");
  }
  for (const Json& item : json) flatten(item, depth + 1, dims, out);
}

// JSON has no NaN and no infinities; as NumPy and TensorFlow print them they stand bare, here they
// become texts, which element_of() reads.
std::string quoted_specials(const std::string& text) {
  std::string result;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '"') {  // a text stays as it is
      size_t end = i + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      result.append(text, i, end - i);
      i = end;
      continue;
    }
    const size_t end = std::min(text.find_first_of("[], \t\r\n\"", i), text.size());
    std::string word = text.substr(i, end - i);
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    const std::string_view bare =
        std::string_view(word).substr(word.starts_with('-') || word.starts_with('+') ? 1 : 0);
    if (bare == "nan" || bare == "inf" || bare == "infinity") {
      result += '"' + word + '"';
    } else {
      result.append(text, i, end - i);
    }
    if (end < text.size() && text[end] != '"') result += text[end];
    i = end < text.size() && text[end] != '"' ? end + 1 : end;
  }
  return result;
}

std::string text_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : json.dump();
}

[[noreturn]] void refuse(const std::string& text, std::string_view what) {
  throw UsageError(str("'", text, "' ", what));
}

// The value as an element of type T, exactly; for reals rounded, but not to infinity.
template <class T>
T element_of(const Json& json) {
  const std::string text = text_of(json);
  const char* const begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* const end = text.data() + text.size();
  if constexpr (std::is_same_v<T, bool>) {
    if (text == "true" || text == "1") return true;
    if (text == "false" || text == "0") return false;
    refuse(text, "is no truth value; expected true or false");
  } else if constexpr (std::is_integral_v<T>) {
    T value = 0;
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error == std::errc() && rest == end) return value;
    double real = 0;
    const auto [real_rest, real_error] = std::from_chars(begin, end, real);
    // Up to 2^53 every whole number is a double.
    if (real_error == std::errc() && real_rest == end && std::trunc(real) == real &&
        std::abs(real) <= 0x1p53 && real >= static_cast<double>(std::numeric_limits<T>::min()) &&
        real <= static_cast<double>(std::numeric_limits<T>::max())) {
      return static_cast<T>(real);  // 2.0, 1e3
    }
    refuse(text, str("is no ", kDTypeOf<T>, "; expected a whole number from ",
                     std::numeric_limits<T>::min(), " to ", std::numeric_limits<T>::max()));
  } else if constexpr (requires { T{}.value; }) {
    return T{element_of<decltype(T{}.value)>(json)};
  } else if constexpr (requires { T{}.real(); }) {
    return T(element_of<typename T::value_type>(json));
  } else {
    if (text == "true" || text == "false") return T(text == "true" ? 1.0f : 0.0f);
    double value = 0;
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (rest != end || error == std::errc::invalid_argument) refuse(text, "is no number");
    T result;
    if constexpr (std::is_same_v<T, double>) {
      result = value;
    } else {
      result = T(static_cast<float>(value));
    }
    const bool is_finite = std::isfinite(static_cast<double>(static_cast<float>(result)));
    const bool was_infinite = error == std::errc() && !std::isfinite(value);
    const bool fits = std::is_same_v<T, double> ? error == std::errc() : is_finite || was_infinite;
    if (!fits || error == std::errc::result_out_of_range) {
      refuse(text, str("is too large or too small for ", kDTypeOf<T>));
    }
    return result;
  }
}

// `dims` in the form that the model wants, where that is clear.
Shape fitted_shape(std::vector<int64_t> dims, int64_t count, const Shape& wanted, bool is_flat) {
  const Shape given{std::span<const int64_t>(dims)};
  if (!wanted.has_rank() || !is_flat) return given;
  int64_t known = 1;
  int unknown = 0;
  for (int64_t dim : wanted.dims()) {
    if (dim == kUnknownDim) {
      ++unknown;
    } else {
      known *= dim;
    }
  }
  if (unknown > 1 || known == 0 || count % known != 0) return given;
  Shape result = wanted;
  for (int i = 0; i < wanted.rank(); ++i) {
    if (wanted[i] == kUnknownDim) result.set_dim(i, count / known);
  }
  int64_t total = 1;
  for (int64_t dim : result.dims()) total *= dim;
  return total == count ? result : given;
}

}  // namespace

Json to_json(const Tensor& tensor) {
  Json json;
  visit_element(tensor.dtype(), [&]<class T>(TypeTag<T>) {
    size_t next = 0;
    json = nested(tensor.data<T>(), tensor.shape(), 0, next);
  });
  return json;
}

Json type_to_json(DType dtype, const Shape& shape) {
  Json json = {{"dtype", str(dtype)}, {"shape", nullptr}};
  if (shape.has_rank()) {
    json["shape"] = Json::array();
    for (int64_t dim : shape.dims()) json["shape"].push_back(dim);
  }
  return json;
}

Tensor parse_tensor(const std::string& text, DType dtype, const Shape& shape) {
  std::vector<int64_t> dims;
  std::vector<Json> values;
  const bool is_nested = trim(text).starts_with('[');
  if (is_nested) {
    const Json json = Json::parse(quoted_specials(text), nullptr, false);
    if (json.is_discarded()) throw UsageError(str("'", text, "' is no list of numbers"));
    flatten(json, 0, dims, values);
  } else {
    for (const std::string& part : split(text, ',')) values.emplace_back(std::string(trim(part)));
    dims = {static_cast<int64_t>(values.size())};
    if (values.size() == 1 && (!shape.has_rank() || shape.rank() == 0)) dims.clear();
  }
  Tensor result(dtype, fitted_shape(dims, static_cast<int64_t>(values.size()), shape, !is_nested));
  if (dtype == kString) {
    for (size_t i = 0; i < values.size(); ++i) {
      result.mutable_data<std::string>()[i] = text_of(values[i]);
    }
    return result;
  }
  visit_element(dtype, [&]<class T>(TypeTag<T>) {
    if constexpr (!std::is_same_v<T, std::string>) {
      for (size_t i = 0; i < values.size(); ++i) {
        result.mutable_data<T>()[i] = element_of<T>(values[i]);
      }
    }
  });
  return result;
}

}  // namespace thalweg::cli
