#include "formats/tensor_proto.h"

#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "formats/message.h"
#include "formats/varint.h"
#include "thalweg/formats/tensor_proto.h"
#include "thalweg/tensor/bool_bytes.h"

namespace thalweg {
namespace {

static_assert(std::endian::native == std::endian::little, "raw content is little endian");

// The typed list that holds elements of type T.
template <class T, class Proto>
auto& typed_list(Proto& proto) {
  constexpr bool writing = !std::is_const_v<Proto>;
#define THALWEG_LIST(field)          \
  if constexpr (writing) {           \
    return *proto.mutable_##field(); \
  } else {                           \
    return proto.field();            \
  }
  if constexpr (std::is_same_v<T, float>) {
    THALWEG_LIST(float_val)
  } else if constexpr (std::is_same_v<T, double>) {
    THALWEG_LIST(double_val)
  } else if constexpr (std::is_same_v<T, int64_t>) {
    THALWEG_LIST(int64_val)
  } else if constexpr (std::is_same_v<T, bool>) {
    THALWEG_LIST(bool_val)
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    THALWEG_LIST(uint32_val)
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    THALWEG_LIST(uint64_val)
  } else if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>) {
    THALWEG_LIST(half_val)
  } else if constexpr (std::is_same_v<T, std::string>) {
    THALWEG_LIST(string_val)
  } else if constexpr (std::is_same_v<T, std::complex<float>>) {
    THALWEG_LIST(scomplex_val)
  } else if constexpr (std::is_same_v<T, std::complex<double>>) {
    THALWEG_LIST(dcomplex_val)
  } else {
    THALWEG_LIST(int_val)
  }
#undef THALWEG_LIST
}

template <class T>
auto to_item(const T& value) {
  if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>) {
    return int32_t{value.bits};
  } else if constexpr (requires { value.value; }) {
    return value.value;  // quantized
  } else {
    return value;
  }
}

template <class T, class Item>
T from_item(const Item& item) {
  if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>) {
    T value;
    value.bits = static_cast<uint16_t>(item);
    return value;
  } else if constexpr (requires(T value) { value.value; }) {
    return T{static_cast<decltype(T::value)>(item)};
  } else {
    return static_cast<T>(item);
  }
}

template <class T>
inline constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T>
void fill_from_list(const tensorflow::TensorProto& proto, std::span<T> out) {
  const auto& list = typed_list<T>(proto);
  const auto item = [&](size_t i) { return list.Get(static_cast<int>(i)); };
  if (kIsComplex<T> && list.size() % 2 != 0) {
    throw invalid_argument("tensor has ", list.size(), " parts of complex values, an odd number");
  }
  const size_t given = static_cast<size_t>(list.size()) / (kIsComplex<T> ? 2 : 1);
  if (given > out.size()) {
    throw invalid_argument("tensor has ", given, " values, more than the ", out.size(),
                           " of its shape");
  }
  for (size_t i = 0; i < out.size(); ++i) {
    const size_t from = std::min(i, given - 1);  // a short list repeats its last value
    if (given == 0) {
      out[i] = T{};
    } else if constexpr (kIsComplex<T>) {
      out[i] = T(item(2 * from), item(2 * from + 1));
    } else {
      out[i] = from_item<T>(item(from));
    }
  }
}

void fill_from_content(std::string_view content, Tensor& out) {
  if (content.size() != out.byte_size()) {
    throw invalid_argument("tensor has ", content.size(), " bytes of content, expected ",
                           out.byte_size(), " for ", out.dtype(), out.shape());
  }
  std::memcpy(out.mutable_raw(), content.data(), content.size());
  normalize_bools(out);
}

// TensorFlow's C++ side may put strings there too: all lengths, then all bytes.
void fill_strings_from_content(std::string_view content, std::span<std::string> out) {
  std::vector<uint64_t> lengths;
  for (size_t i = 0; i < out.size(); ++i) {
    const auto length = take_varint(content);
    if (!length) {
      throw invalid_argument("tensor has content for ", i, " of its ", out.size(), " strings");
    }
    lengths.push_back(*length);
  }
  for (size_t i = 0; i < out.size(); ++i) {
    if (lengths[i] > content.size()) throw invalid_argument("tensor's string content is cut short");
    out[i] = content.substr(0, lengths[i]);
    content.remove_prefix(lengths[i]);
  }
  if (!content.empty()) {
    throw invalid_argument("tensor has ", content.size(), " bytes of content left over");
  }
}

// Before memory is taken for it: a few bytes may claim any shape, since a short list repeats its
// last value.
void check_claim(const tensorflow::TensorProto& proto, DType dtype, const Shape& shape) {
  constexpr int64_t kLargestRepeated = int64_t{512} << 20;
  const int64_t elements = shape.num_elements();
  const auto content = static_cast<int64_t>(proto.tensor_content().size());
  if (content > 0 && dtype == kString && elements > content) {
    throw invalid_argument("tensor has ", content, " bytes of content for ", elements, " strings");
  }
  const auto size = static_cast<int64_t>(element_size(dtype));
  if (content > 0 && dtype != kString && content != elements * size) {
    throw invalid_argument("tensor has ", content, " bytes of content, expected ", elements * size,
                           " for ", dtype, shape);
  }
  const int64_t bytes = elements * (dtype == kString ? int64_t{sizeof(std::string)} : size);
  if (content == 0 && bytes > kLargestRepeated &&
      elements > static_cast<int64_t>(proto.ByteSizeLong())) {
    throw resource_exhausted("tensor of ", dtype, shape, " is given by ", proto.ByteSizeLong(),
                             " bytes and would take ", bytes, "; fill it in the graph");
  }
}

}  // namespace

DType dtype_from_proto(int dtype) {
  const DType value = static_cast<DType>(dtype);
  if (value == kVariant || (value != kString && element_size(value) == 0)) {
    const std::string& name = tensorflow::DataType_Name(static_cast<tensorflow::DataType>(dtype));
    throw unimplemented("dtype ", name.empty() ? str("number ", dtype) : name,
                        " has no values in thalweg");
  }
  return value;
}

void to_proto(const Shape& shape, tensorflow::TensorShapeProto* out) {
  out->set_unknown_rank(!shape.has_rank());
  for (int64_t dim : shape.dims()) out->add_dim()->set_size(dim);
}

Shape shape_from_proto(const tensorflow::TensorShapeProto& shape) {
  if (shape.unknown_rank()) return Shape::unknown();
  if (shape.dim_size() > Shape::kMaxRank) {
    throw unimplemented("a shape of ", shape.dim_size(), " dimensions; thalweg has at most ",
                        Shape::kMaxRank);
  }
  std::vector<int64_t> dims;
  for (const auto& dim : shape.dim()) dims.push_back(dim.size());
  return Shape(std::span<const int64_t>(dims));
}

Shape full_shape_from_proto(const tensorflow::TensorShapeProto& proto) {
  const Shape shape = shape_from_proto(proto);
  if (!shape.is_fully_defined()) {
    throw invalid_argument("a tensor's value has shape ", shape, ", which is not known");
  }
  if (shape.num_elements() > std::numeric_limits<int64_t>::max() / 16) {
    throw invalid_argument("a tensor of shape ", shape, " is too large");
  }
  return shape;
}

void to_proto(const Tensor& tensor, tensorflow::TensorProto* out) {
  out->set_dtype(to_proto(tensor.dtype()));
  to_proto(tensor.shape(), out->mutable_tensor_shape());
  visit_element(tensor.dtype(), [&]<class T>(TypeTag<T>) {
    const std::span<const T> values = tensor.data<T>();
    if constexpr (!kIsComplex<T>) {
      // Python's reader takes strings from the list only.
      if (std::is_same_v<T, std::string> || values.size() == 1) {
        for (const T& value : values) *typed_list<T>(*out).Add() = to_item(value);
        return;
      }
    }
    out->set_tensor_content(tensor.raw(), tensor.byte_size());
  });
}

Tensor tensor_from_proto(const tensorflow::TensorProto& proto) {
  const DType dtype = dtype_from_proto(proto.dtype());
  const Shape shape = full_shape_from_proto(proto.tensor_shape());
  check_claim(proto, dtype, shape);
  Tensor result(dtype, shape);
  visit_element(dtype, [&]<class T>(TypeTag<T>) {
    if (proto.tensor_content().empty()) {
      fill_from_list<T>(proto, result.mutable_data<T>());
    } else if constexpr (std::is_same_v<T, std::string>) {
      fill_strings_from_content(proto.tensor_content(), result.mutable_data<T>());
    } else {
      fill_from_content(proto.tensor_content(), result);
    }
  });
  return result;
}

std::string encode_tensor(const Tensor& tensor) {
  tensorflow::TensorProto proto;
  to_proto(tensor, &proto);
  return encode_message(proto, str("a tensor of ", tensor.dtype(), tensor.shape()),
                        "split it into smaller ones");
}

Tensor decode_tensor(std::string_view bytes) {
  tensorflow::TensorProto proto;
  parse_message(bytes, "the TensorProto", proto);
  return tensor_from_proto(proto);
}

}  // namespace thalweg
