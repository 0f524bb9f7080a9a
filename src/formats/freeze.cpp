#include "formats/freeze.h"

#include <unordered_map>

#include "formats/node_names.h"
#include "formats/node_order.h"
#include "formats/tensor_proto.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

void set_type(tensorflow::NodeDef& node, const char* attr, tensorflow::DataType type) {
  (*node.mutable_attr())[attr].set_type(type);
}

// ReadVariableOp(handle) -> Identity(constant).
void become_identity(tensorflow::NodeDef& read, tensorflow::DataType type) {
  read.set_op("Identity");
  read.clear_attr();
  set_type(read, "T", type);
}

// ResourceGather(handle, indices) -> GatherV2(constant, indices, axis). The rows gathered lie
// behind the batch dimensions.
void become_gather(tensorflow::NodeDef& gather, tensorflow::DataType type, NodeNames& names,
                   tensorflow::GraphDef& def) {
  const std::string axis = names.take(gather.name() + "/axis");
  const auto attr = [&](const char* name) {
    const auto it = gather.attr().find(name);
    return it == gather.attr().end() ? tensorflow::AttrValue() : it->second;
  };
  const tensorflow::AttrValue indices = attr("Tindices");
  const tensorflow::AttrValue batch_dims = attr("batch_dims");
  gather.set_op("GatherV2");
  gather.clear_attr();
  set_type(gather, "Tparams", type);
  set_type(gather, "Taxis", tensorflow::DT_INT32);
  (*gather.mutable_attr())["Tindices"] = indices;
  if (batch_dims.i() != 0) (*gather.mutable_attr())["batch_dims"] = batch_dims;
  // The axis goes before control inputs.
  std::vector<std::string> inputs(gather.input().begin(), gather.input().end());
  inputs.insert(inputs.begin() + 2, axis);
  gather.clear_input();
  for (const std::string& input : inputs) gather.add_input(input);
  tensorflow::NodeDef& constant = *def.add_node();
  constant.set_name(axis);
  constant.set_op("Const");
  set_type(constant, "dtype", tensorflow::DT_INT32);
  to_proto(Tensor(static_cast<int32_t>(batch_dims.i())),
           (*constant.mutable_attr())["value"].mutable_tensor());
}

}  // namespace

std::string variable_of(const tensorflow::NodeDef& handle) {
  const auto it = handle.attr().find("shared_name");
  return it == handle.attr().end() || it->second.s().empty() ? handle.name() : it->second.s();
}

void freeze_variables(const std::map<std::string, Tensor>& values, tensorflow::GraphDef& def) {
  std::unordered_map<std::string, tensorflow::DataType> frozen;  // by node: what was a handle
  for (auto& node : *def.mutable_node()) {
    if (node.op() != "VarHandleOp") continue;
    const std::string variable = variable_of(node);
    const auto value = values.find(variable);
    if (value == values.end()) {
      throw failed_precondition("variable `", variable, "` has no value to be written");
    }
    node.set_op("Const");
    node.clear_attr();
    const tensorflow::DataType type = to_proto(value->second.dtype());
    set_type(node, "dtype", type);
    to_proto(value->second, (*node.mutable_attr())["value"].mutable_tensor());
    frozen[node.name()] = type;
  }
  NodeNames names(def);
  const int count = def.node_size();
  for (int i = 0; i < count; ++i) {  // in topological order
    tensorflow::NodeDef& node = *def.mutable_node(i);
    for (int input = 0; input < node.input_size(); ++input) {
      const InputName name = parse_input_name(node.input(input));
      const auto it = frozen.find(std::string(name.node));
      if (it == frozen.end() || name.is_control) continue;
      if (node.op() == "Identity") {
        set_type(node, "T", it->second);
        frozen[node.name()] = it->second;
      } else if (node.op() == "ReadVariableOp") {
        become_identity(node, it->second);
      } else if (node.op() == "ResourceGather") {
        become_gather(node, it->second, names, def);
      } else {
        throw unimplemented(node.op(), " node `", node.name(), "` needs `", name.node,
                            "` as a variable, not as a constant; write the model with variables");
      }
      break;
    }
  }
}

}  // namespace thalweg
