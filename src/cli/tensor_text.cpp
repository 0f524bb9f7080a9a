#include "cli/tensor_text.h"

#include <complex>
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

double number(const Json& json) {
  if (json.is_number()) return json.get<double>();
  if (json.is_boolean()) return json.get<bool>() ? 1 : 0;
  const std::string text = json.is_string() ? json.get<std::string>() : json.dump();
  size_t end = 0;
  try {
    const double value = std::stod(text, &end);
    if (end == text.size()) return value;
  } catch (const std::exception&) {
  }
  throw UsageError(str("'", text, "' is no number"));
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
    const Json json = Json::parse(text, nullptr, false);
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
      result.mutable_data<std::string>()[i] =
          values[i].is_string() ? values[i].get<std::string>() : values[i].dump();
    }
    return result;
  }
  Tensor numbers(kFloat64, result.shape());
  for (size_t i = 0; i < values.size(); ++i) {
    const Json& value = values[i];
    const bool truth = value.is_string() && (value == "true" || value == "false");
    numbers.mutable_data<double>()[i] = truth ? (value == "true" ? 1.0 : 0.0) : number(value);
  }
  return numbers.cast(dtype);
}

}  // namespace thalweg::cli
