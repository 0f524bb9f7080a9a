#include "formats/attr_proto.h"

#include "formats/tensor_proto.h"

namespace thalweg {
namespace {

// One overload for each kind that an attribute can hold. An empty list is a present, empty
// ListValue.
struct Writer {
  tensorflow::AttrValue* out;

  void operator()(int64_t value) const { out->set_i(value); }
  void operator()(float value) const { out->set_f(value); }
  void operator()(bool value) const { out->set_b(value); }
  void operator()(const std::string& value) const { out->set_s(value); }
  void operator()(DType value) const { out->set_type(to_proto(value)); }
  void operator()(const Shape& value) const { to_proto(value, out->mutable_shape()); }
  void operator()(const Tensor& value) const { to_proto(value, out->mutable_tensor()); }

  void operator()(const std::vector<int64_t>& values) const {
    out->mutable_list()->mutable_i()->Add(values.begin(), values.end());
  }
  void operator()(const std::vector<float>& values) const {
    out->mutable_list()->mutable_f()->Add(values.begin(), values.end());
  }
  void operator()(const std::vector<bool>& values) const {
    auto* list = out->mutable_list();
    for (bool value : values) list->add_b(value);
  }
  void operator()(const std::vector<std::string>& values) const {
    auto* list = out->mutable_list();
    for (const std::string& value : values) list->add_s(value);
  }
  void operator()(const std::vector<DType>& values) const {
    auto* list = out->mutable_list();
    for (DType value : values) list->add_type(to_proto(value));
  }
  void operator()(const FunctionName& value) const { out->mutable_func()->set_name(value.name); }
  void operator()(const std::vector<FunctionName>& values) const {
    auto* list = out->mutable_list();
    for (const FunctionName& value : values) list->add_func()->set_name(value.name);
  }
  void operator()(const std::vector<Shape>& values) const {
    auto* list = out->mutable_list();
    for (const Shape& value : values) to_proto(value, list->add_shape());
  }
};

std::string_view kind_of(const tensorflow::AttrValue& value) {
  using tensorflow::AttrValue;
  switch (value.value_case()) {
    case AttrValue::kI: return "int";
    case AttrValue::kF: return "float";
    case AttrValue::kB: return "bool";
    case AttrValue::kS: return "string";
    case AttrValue::kType: return "type";
    case AttrValue::kShape: return "shape";
    case AttrValue::kTensor: return "tensor";
    case AttrValue::kFunc: return "func";
    case AttrValue::kPlaceholder: return "placeholder";
    case AttrValue::kList: return "list";
    default: return "nothing";
  }
}

template <class T, class Items, class Convert>
std::vector<T> converted(const Items& items, Convert convert) {
  std::vector<T> result;
  for (const auto& item : items) result.push_back(convert(item));
  return result;
}

// What a list holds; empty for an empty one.
std::string_view kind_of(const tensorflow::AttrValue::ListValue& list) {
  if (list.i_size() > 0) return "list(int)";
  if (list.f_size() > 0) return "list(float)";
  if (list.b_size() > 0) return "list(bool)";
  if (list.s_size() > 0) return "list(string)";
  if (list.type_size() > 0) return "list(type)";
  if (list.shape_size() > 0) return "list(shape)";
  if (list.func_size() > 0) return "list(func)";
  if (list.tensor_size() > 0) return "list(tensor)";
  return {};
}

std::optional<AttrValue> list_from_proto(const tensorflow::AttrValue::ListValue& list,
                                         std::string_view kind) {
  const std::string_view found = kind_of(list);
  if (!kind.empty() && (found.empty() ? !kind.starts_with("list(") : kind != found)) {
    throw invalid_argument("it must be of kind ", kind, ", got ", found.empty() ? "list" : found);
  }
  if (kind.empty()) kind = found;
  const auto same = [](const auto& item) { return item; };
  if (kind == "list(int)") return converted<int64_t>(list.i(), same);
  if (kind == "list(float)") return converted<float>(list.f(), same);
  if (kind == "list(bool)") return converted<bool>(list.b(), same);
  if (kind == "list(string)") return converted<std::string>(list.s(), same);
  if (kind == "list(type)") return converted<DType>(list.type(), type_from_proto);
  if (kind == "list(shape)") return converted<Shape>(list.shape(), shape_from_proto);
  if (kind == "list(func)") {
    for (const auto& function : list.func()) {
      if (!function.attr().empty()) return std::nullopt;
    }
    return converted<FunctionName>(
        list.func(), [](const auto& function) { return FunctionName{function.name()}; });
  }
  return std::nullopt;
}

}  // namespace

void to_proto(const AttrValue& value, tensorflow::AttrValue* out) {
  std::visit(Writer{out}, value);
}

DType type_from_proto(int type) {
  constexpr int kReference = 100;
  if (type > kReference) type -= kReference;
  const auto dtype = static_cast<DType>(type);
  if (dtype == kResource || dtype == kVariant || type == 0) return dtype;
  return dtype_from_proto(type);
}

std::optional<AttrValue> attr_from_proto(const tensorflow::AttrValue& value,
                                         std::string_view kind) {
  using tensorflow::AttrValue;
  if (value.value_case() == AttrValue::kList) return list_from_proto(value.list(), kind);
  const std::string_view found = kind_of(value);
  if (!kind.empty() && found != kind) {
    throw invalid_argument("it must be of kind ", kind, ", got ", found);
  }
  switch (value.value_case()) {
    case AttrValue::kI: return value.i();
    case AttrValue::kF: return value.f();
    case AttrValue::kB: return value.b();
    case AttrValue::kS: return value.s();
    case AttrValue::kType: return type_from_proto(value.type());
    case AttrValue::kShape: return shape_from_proto(value.shape());
    case AttrValue::kTensor: return tensor_from_proto(value.tensor());
    case AttrValue::kFunc:
      if (!value.func().attr().empty()) return std::nullopt;
      return FunctionName{value.func().name()};
    default: return std::nullopt;
  }
}

void keep_attr(const std::string& name, const tensorflow::AttrValue& value, AttrMap& attrs) {
  std::optional<AttrValue> known;
  try {
    // Nobody reads such a tensor, which may claim far more memory than its bytes.
    if (!value.has_tensor()) known = attr_from_proto(value, {});
  } catch (const Error&) {
    // A dtype or a shape that thalweg does not have: the bytes keep it.
  }
  const bool is_private = name.starts_with('_');
  if (!known) {
    attrs[str(kKeptBytes, name)] = value.SerializeAsString();
  } else {
    attrs[is_private ? name : str(kKeptAttr, name)] = std::move(*known);
  }
}

void write_attr(const std::string& name, const AttrValue& value,
                google::protobuf::Map<std::string, tensorflow::AttrValue>& out) {
  if (name.starts_with(kKeptBytes)) {
    out[name.substr(kKeptBytes.size())].ParseFromString(std::get<std::string>(value));
  } else if (name.starts_with(kKeptAttr)) {
    to_proto(value, &out[name.substr(kKeptAttr.size())]);
  } else {
    to_proto(value, &out[name]);
  }
}

}  // namespace thalweg
