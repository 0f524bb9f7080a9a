#include "formats/saver_nodes.h"

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/freeze.h"
#include "formats/node_names.h"
#include "formats/node_order.h"
#include "formats/tensor_proto.h"

namespace thalweg {
namespace {

struct Variable {
  std::string node;  // of the handle
  std::string name;
  tensorflow::DataType dtype = tensorflow::DT_INVALID;
};

class SaverBuilder {
 public:
  SaverBuilder(const std::set<std::string>& fixed, tensorflow::MetaGraphDef& meta)
      : fixed_(fixed), meta_(meta), def_(*meta.mutable_graph_def()), names_(def_) {
    merge_handles();
    for (auto& node : *def_.mutable_node()) {
      if (node.op() == "ReadVariableOp") reads_.emplace(node.name(), node);
      if (node.op() != "VarHandleOp") continue;
      const std::string name = variable_of(node);
      (*node.mutable_attr())["shared_name"].set_s(name);
      variables_.push_back({node.name(), name, node.attr().at("dtype").type()});
    }
    scope_ = names_.free_scope("save");
  }

  void build() {
    add_constant(in_scope("filename"), Tensor(std::string("model")));
    auto& prefix = add("PlaceholderWithDefault", in_scope("Const"), {in_scope("filename")});
    set_type(prefix, "dtype", tensorflow::DT_STRING);
    (*prefix.mutable_attr())["shape"].mutable_shape();
    std::vector<std::string> reads;
    for (const Variable& variable : variables_) reads.push_back(read_of(variable));
    save(reads);
    restore(reads);
    auto& saver = *meta_.mutable_saver_def();
    saver.set_filename_tensor_name(in_scope("Const:0"));
    saver.set_save_tensor_name(in_scope("control_dependency:0"));
    saver.set_restore_op_name(in_scope("restore_all"));
    saver.set_version(tensorflow::SaverDef::V2);
    saver.set_max_to_keep(5);
  }

 private:
  // TensorFlow 2 makes a variable of its own for each handle, and knows but one by name: several
  // handles of one variable become one.
  void merge_handles() {
    std::unordered_map<std::string, std::string> first;
    RenamedNodes merged;
    NodeDefs kept;
    for (auto& node : *def_.mutable_node()) {
      if (node.op() == "VarHandleOp") {
        const auto [it, is_first] = first.emplace(variable_of(node), node.name());
        if (!is_first) {
          merged.emplace(node.name(), it->second);
          continue;
        }
      }
      kept.Add()->Swap(&node);
    }
    def_.mutable_node()->Swap(&kept);
    if (!merged.empty()) rename_inputs(merged, def_);
  }

  std::string in_scope(const std::string& name) const { return scope_ + "/" + name; }

  tensorflow::NodeDef& add(const std::string& op, const std::string& name,
                           const std::vector<std::string>& inputs) {
    tensorflow::NodeDef& node = *def_.add_node();
    node.set_op(op);
    node.set_name(name);
    for (const std::string& input : inputs) node.add_input(input);
    return node;
  }

  static void set_type(tensorflow::NodeDef& node, const char* attr, tensorflow::DataType type) {
    (*node.mutable_attr())[attr].set_type(type);
  }

  void add_constant(const std::string& name, const Tensor& value) {
    auto& node = add("Const", name, {});
    set_type(node, "dtype", to_proto(value.dtype()));
    to_proto(value, (*node.mutable_attr())["value"].mutable_tensor());
  }

  // TensorFlow gives the read this name.
  std::string read_of(const Variable& variable) {
    const std::string usual = variable.node + "/Read/ReadVariableOp";
    if (const auto it = reads_.find(usual); it != reads_.end() && reads(it->second, variable)) {
      return usual;
    }
    const std::string name = names_.take(usual);
    set_type(add("ReadVariableOp", name, {variable.node}), "dtype", variable.dtype);
    return name;
  }

  // And nothing else, so that saving runs nothing else.
  static bool reads(const tensorflow::NodeDef& node, const Variable& variable) {
    return node.input_size() == 1 && parse_input_name(node.input(0)).node == variable.node;
  }

  void add_lists(const std::string& stem) {
    const auto count = static_cast<int64_t>(variables_.size());
    Tensor names(kString, Shape{count}), slices(kString, Shape{count});
    for (size_t i = 0; i < variables_.size(); ++i) {
      names.mutable_data<std::string>()[i] = variables_[i].name;
    }
    add_constant(stem + "/tensor_names", names);
    add_constant(stem + "/shape_and_slices", slices);
  }

  void set_dtypes(tensorflow::NodeDef& node) const {
    auto& list = *(*node.mutable_attr())["dtypes"].mutable_list();
    for (const Variable& variable : variables_) list.add_type(variable.dtype);
  }

  void save(const std::vector<std::string>& reads) {
    const std::string name = in_scope("SaveV2");
    add_lists(name);
    std::vector<std::string> inputs = {in_scope("Const"), name + "/tensor_names",
                                       name + "/shape_and_slices"};
    inputs.insert(inputs.end(), reads.begin(), reads.end());
    set_dtypes(add("SaveV2", name, inputs));
    set_type(add("Identity", in_scope("control_dependency"), {in_scope("Const"), "^" + name}), "T",
             tensorflow::DT_STRING);
  }

  void restore(const std::vector<std::string>& reads) {
    const std::string restore = in_scope("RestoreV2");
    add_lists(restore);
    set_dtypes(add("RestoreV2", restore,
                   {in_scope("Const"), restore + "/tensor_names", restore + "/shape_and_slices"}));
    std::vector<std::string> assigns;
    for (size_t i = 0; i < variables_.size(); ++i) {
      const std::string number = i == 0 ? std::string() : "_" + std::to_string(i);
      const std::string value = i == 0 ? restore : restore + ":" + std::to_string(i);
      const std::string name = in_scope("AssignVariableOp" + number);
      set_type(add("AssignVariableOp", name, {variables_[i].node, value}), "dtype",
               variables_[i].dtype);
      assigns.push_back("^" + name);
      collect(variables_[i], name, reads[i]);
    }
    add("NoOp", in_scope("restore_all"), assigns);
  }

  // The checkpoint is what a variable starts from: its restore is its initializer.
  void collect(const Variable& variable, const std::string& assign, const std::string& read) {
    tensorflow::VariableDef definition;
    definition.set_variable_name(variable.node + ":0");
    definition.set_initializer_name(assign);
    definition.set_snapshot_name(read + ":0");
    definition.set_is_resource(true);
    const bool trainable = !fixed_.contains(variable.name);
    definition.set_trainable(trainable);
    for (const char* collection : {"variables", "trainable_variables"}) {
      if (collection == std::string_view("trainable_variables") && !trainable) continue;
      (*meta_.mutable_collection_def())[collection].mutable_bytes_list()->add_value(
          definition.SerializeAsString());
    }
  }

  const std::set<std::string>& fixed_;
  tensorflow::MetaGraphDef& meta_;
  tensorflow::GraphDef& def_;
  NodeNames names_;
  std::string scope_;
  std::unordered_map<std::string, tensorflow::NodeDef> reads_;  // those of the model itself
  std::vector<Variable> variables_;
};

}  // namespace

void add_saver(const std::set<std::string>& fixed, tensorflow::MetaGraphDef& meta) {
  SaverBuilder(fixed, meta).build();
}

}  // namespace thalweg
