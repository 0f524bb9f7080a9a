#include "formats/node_export.h"

#include <algorithm>
#include <map>
#include <set>

#include "formats/attr_proto.h"
#include "formats/tensor_proto.h"

namespace thalweg {
namespace {

bool is_default(const Node& node, std::string_view name, const AttrValue& value) {
  const AttrSchema* schema = node.op().find_attr(name);
  return schema != nullptr && schema->default_value && same_attr(*schema->default_value, value);
}

void encode_attrs(const Node& node, const GraphDefOptions& options, tensorflow::NodeDef& out) {
  auto& attrs = *out.mutable_attr();
  tensorflow::AttrValue too_large;
  for (const auto& [name, value] : node.attrs()) {
    if (!options.default_attrs && is_default(node, name, value)) continue;
    if (name == kNodeFields) {
      out.GetReflection()->MutableUnknownFields(&out)->ParseFromString(
          std::get<std::string>(value));
      continue;
    }
    google::protobuf::Map<std::string, tensorflow::AttrValue> encoded;
    write_attr(name, value, encoded);
    auto& [written, attr] = *encoded.begin();
    if (options.largest_attr > 0 &&
        attr.ByteSizeLong() > static_cast<size_t>(options.largest_attr)) {
      too_large.mutable_list()->add_s(written);
      continue;
    }
    attrs[written] = std::move(attr);
  }
  if (too_large.has_list()) attrs["_too_large_attrs"] = std::move(too_large);
  if (options.output_shapes && node.num_outputs() > 0) {
    auto* list = attrs["_output_shapes"].mutable_list();
    list->Clear();
    for (int i = 0; i < node.num_outputs(); ++i) to_proto(node.output_shape(i), list->add_shape());
  }
}

std::string input_name(const Output& input) {
  const std::string& node = input.node()->name();
  return input.index() == 0 ? node : str(node, ":", input.index());
}

// "node:product:0": how bodies of functions name a tensor.
std::string body_name(const Output& input) {
  const Node& node = *input.node();
  int begin = 0;
  for (const ArgSchema& arg : node.op().outputs) {
    int count = 1;
    if (!arg.number_attr.empty()) {
      count = static_cast<int>(node.attr<int64_t>(arg.number_attr));
    } else if (!arg.type_list_attr.empty()) {
      count = static_cast<int>(node.attr<std::vector<DType>>(arg.type_list_attr).size());
    }
    if (input.index() < begin + count) {
      return str(node.name(), ":", arg.name, ":", input.index() - begin);
    }
    begin += count;
  }
  throw internal_error(input.name(), " belongs to no output argument of its op");
}

// TensorFlow's rule for arguments, [a-z][a-z0-9_]*, and no name twice.
std::string argument_name(std::string_view wanted, std::set<std::string>& taken) {
  std::string name;
  for (char c : wanted) {
    const auto byte = static_cast<unsigned char>(c);
    name += std::isalnum(byte) != 0 ? static_cast<char>(std::tolower(byte)) : '_';
  }
  if (name.empty() || std::isalpha(static_cast<unsigned char>(name[0])) == 0) name = "a" + name;
  const std::string stem = name;
  for (int i = 1; !taken.insert(name).second; ++i) name = str(stem, "_", i);
  return name;
}

class FunctionEncoder {
 public:
  FunctionEncoder(const Function& function, const GraphDefOptions& options,
                  tensorflow::FunctionDef& out)
      : function_(function), options_(options), out_(out), signature_(*out.mutable_signature()) {}

  void encode() {
    signature_.set_name(function_.name);
    for (int id = 0; id < function_.body->num_nodes(); ++id) {
      const Node& node = function_.body->node(id);
      if (node.type() != "_Arg") taken_.insert(node.name());
      if (node.effect() != Effect::kNone && node.type() != "_Arg") signature_.set_is_stateful(true);
    }
    for (size_t i = 0; i < function_.arguments.size(); ++i) encode_argument(i);
    for (int id = 0; id < function_.body->num_nodes(); ++id) {
      const Node& node = function_.body->node(id);
      if (!arguments_.contains(Output(const_cast<Node*>(&node), 0))) encode_body_node(node);
    }
    std::set<std::string> results;
    for (size_t i = 0; i < function_.results.size(); ++i) encode_result(i, results);
    for (const Node* node : function_.side_effects) {
      (*out_.mutable_control_ret())[node->name()] = node->name();
      signature_.add_control_output(node->name());
    }
    for (const auto& [name, value] : function_.attrs) {
      write_attr(name, value, *out_.mutable_attr());
    }
  }

 private:
  void encode_argument(size_t i) {
    const Output& argument = function_.arguments[i];
    const bool named = i < function_.argument_names.size();
    const std::string name =
        argument_name(named ? function_.argument_names[i] : argument.node()->name(), taken_);
    arguments_[argument] = name;
    auto& arg = *signature_.add_input_arg();
    arg.set_name(name);
    arg.set_type(to_proto(argument.dtype()));
    tensorflow::FunctionDef::ArgAttrs attrs;
    for (const auto& [attr, value] : argument.node()->attrs()) {
      if (attr.starts_with('_')) write_attr(attr, value, *attrs.mutable_attr());
    }
    if (!attrs.attr().empty()) (*out_.mutable_arg_attr())[static_cast<uint32_t>(i)] = attrs;
  }

  std::string tensor_name(const Output& tensor) const {
    const auto it = arguments_.find(tensor);
    return it == arguments_.end() ? body_name(tensor) : it->second;
  }

  void encode_body_node(const Node& node) {
    tensorflow::NodeDef& out = *out_.add_node_def();
    for (const Output& input : node.inputs()) out.add_input(tensor_name(input));
    encode_node(node, options_, out);
  }

  void encode_result(size_t i, std::set<std::string>& results) {
    const bool named = i < function_.result_names.size();
    const std::string name =
        argument_name(named ? function_.result_names[i] : str("output_", i), results);
    auto& arg = *signature_.add_output_arg();
    arg.set_name(name);
    arg.set_type(to_proto(function_.results[i].dtype()));
    (*out_.mutable_ret())[name] = tensor_name(function_.results[i]);
  }

  const Function& function_;
  const GraphDefOptions& options_;
  tensorflow::FunctionDef& out_;
  tensorflow::OpDef& signature_;
  std::set<std::string> taken_;
  std::map<Output, std::string> arguments_;
};

}  // namespace

void encode_node(const Node& node, const GraphDefOptions& options, tensorflow::NodeDef& out) {
  out.set_name(node.name());
  out.set_op(std::string(node.type()));
  out.set_device(node.device());
  for (const Node* control : node.control_inputs()) {
    // An argument is there before its function begins.
    if (control->type() != "_Arg") out.add_input("^" + control->name());
  }
  encode_attrs(node, options, out);
}

void encode_function(const Function& function, const GraphDefOptions& options,
                     tensorflow::FunctionDef& out) {
  FunctionEncoder(function, options, out).encode();
}

void encode_graph(const Graph& graph, const GraphDefOptions& options, tensorflow::GraphDef& out) {
  out.mutable_versions()->set_producer(kGraphProducer);
  for (int id = 0; id < graph.num_nodes(); ++id) {
    const Node& node = graph.node(id);
    tensorflow::NodeDef& def = *out.add_node();
    for (const Output& input : node.inputs()) def.add_input(input_name(input));
    encode_node(node, options, def);
  }
  for (const std::string& name : graph.functions().names()) {
    encode_function(graph.functions().at(name), options, *out.mutable_library()->add_function());
  }
  // TensorFlow's readers before this version do not know functions with control outputs.
  if (out.library().function_size() > 0) out.mutable_versions()->set_min_consumer(12);
}

}  // namespace thalweg
