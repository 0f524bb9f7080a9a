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

}  // namespace

void to_proto(const AttrValue& value, tensorflow::AttrValue* out) {
  std::visit(Writer{out}, value);
}

}  // namespace thalweg
