#include "formats/saver_nodes.h"

#include <string>
#include <unordered_set>
#include <vector>

#include "formats/freeze.h"
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
  explicit SaverBuilder(tensorflow::MetaGraphDef& meta)
      : meta_(meta), def_(*meta.mutable_graph_def()) {
    for (auto& node : *def_.mutable_node()) {
      names_.insert(node.name());
      if (node.op() != "VarHandleOp") continue;
      const std::string name = variable_of(node);
      (*node.mutable_attr())["shared_name"].set_s(name);
      variables_.push_back({node.name(), name, node.attr().at("dtype").type()});
    }
  }

  void build() {
    add_constant("save/filename", Tensor(std::string("model")));
    auto& prefix = add("PlaceholderWithDefault", "save/Const", {"save/filename"});
    set_type(prefix, "dtype", tensorflow::DT_STRING);
    (*prefix.mutable_attr())["shape"].mutable_shape();
    std::vector<std::string> reads;
    for (const Variable& variable : variables_) reads.push_back(read_of(variable));
    save(reads);
    restore(reads);
    auto& saver = *meta_.mutable_saver_def();
    saver.set_filename_tensor_name("save/Const:0");
    saver.set_save_tensor_name("save/control_dependency:0");
    saver.set_restore_op_name("save/restore_all");
    saver.set_version(tensorflow::SaverDef::V2);
    saver.set_max_to_keep(5);
  }

 private:
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

  // TensorFlow looks for the read under this name.
  std::string read_of(const Variable& variable) {
    const std::string name = variable.node + "/Read/ReadVariableOp";
    if (names_.insert(name).second) {
      set_type(add("ReadVariableOp", name, {variable.node}), "dtype", variable.dtype);
    }
    return name;
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
    add_lists("save/SaveV2");
    std::vector<std::string> inputs = {"save/Const", "save/SaveV2/tensor_names",
                                       "save/SaveV2/shape_and_slices"};
    inputs.insert(inputs.end(), reads.begin(), reads.end());
    set_dtypes(add("SaveV2", "save/SaveV2", inputs));
    set_type(add("Identity", "save/control_dependency", {"save/Const", "^save/SaveV2"}), "T",
             tensorflow::DT_STRING);
  }

  void restore(const std::vector<std::string>& reads) {
    add_lists("save/RestoreV2");
    set_dtypes(
        add("RestoreV2", "save/RestoreV2",
            {"save/Const", "save/RestoreV2/tensor_names", "save/RestoreV2/shape_and_slices"}));
    std::vector<std::string> assigns;
    for (size_t i = 0; i < variables_.size(); ++i) {
      const std::string number = i == 0 ? std::string() : "_" + std::to_string(i);
      const std::string value = "save/RestoreV2" + (i == 0 ? number : ":" + std::to_string(i));
      const std::string name = "save/AssignVariableOp" + number;
      set_type(add("AssignVariableOp", name, {variables_[i].node, value}), "dtype",
               variables_[i].dtype);
      assigns.push_back("^" + name);
      collect(variables_[i], name, reads[i]);
    }
    add("NoOp", "save/restore_all", assigns);
  }

  // The checkpoint is what a variable starts from: its restore is its initializer.
  void collect(const Variable& variable, const std::string& assign, const std::string& read) {
    tensorflow::VariableDef definition;
    definition.set_variable_name(variable.node + ":0");
    definition.set_initializer_name(assign);
    definition.set_snapshot_name(read + ":0");
    definition.set_is_resource(true);
    definition.set_trainable(true);
    for (const char* collection : {"variables", "trainable_variables"}) {
      (*meta_.mutable_collection_def())[collection].mutable_bytes_list()->add_value(
          definition.SerializeAsString());
    }
  }

  tensorflow::MetaGraphDef& meta_;
  tensorflow::GraphDef& def_;
  std::vector<Variable> variables_;
  std::unordered_set<std::string> names_;
};

}  // namespace

void add_saver(tensorflow::MetaGraphDef& meta) { SaverBuilder(meta).build(); }

}  // namespace thalweg
