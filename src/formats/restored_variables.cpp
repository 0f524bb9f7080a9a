#include "formats/restored_variables.h"

#include <algorithm>
#include <unordered_map>

#include "formats/node_order.h"
#include "formats/tensor_proto.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

constexpr int kMostCalls = 16;    // within each other
constexpr int kMostPassed = 100;  // nodes that pass a tensor on, one after another

using Library = std::unordered_map<std::string, const tensorflow::FunctionDef*>;
// What arguments of a function are: nodes of the main graph.
using Arguments = std::unordered_map<std::string, std::string>;

bool is_passing(const std::string& op) {
  return op == "Identity" || op == "IdentityN" || op == "Cast" || op == "RefIdentity";
}

std::string attr_text(const tensorflow::NodeDef& node, const char* name) {
  const auto it = node.attr().find(name);
  return it == node.attr().end() ? std::string() : it->second.func().name();
}

// The nodes of a graph or a body, with the places that nodes assign restored values to.
class Scope {
 public:
  Scope(const NodeDefs& nodes, const Arguments* arguments) : nodes_(nodes), arguments_(arguments) {
    for (const auto& node : nodes) index_.emplace(node.name(), &node);
  }

  // The node of the main graph that a handle comes from; empty when it cannot be told.
  std::string variable(std::string_view input) const {
    const InputName source = origin(input);
    const std::string name(source.node);
    if (find(name) != nullptr) return arguments_ == nullptr ? name : std::string();
    if (arguments_ == nullptr) return {};
    const auto it = arguments_->find(name);
    return it == arguments_->end() ? std::string() : it->second;
  }

  // The RestoreV2 that gives a value, and which of its outputs; null when it is another node.
  const tensorflow::NodeDef* restore(std::string_view input, int& index) const {
    const InputName source = origin(input);
    const auto* node = find(std::string(source.node));
    if (node == nullptr) return nullptr;
    index = source.index;
    const bool restores =
        node->op() == "RestoreV2" || node->op() == "Restore" || node->op() == "RestoreSlice";
    return restores ? node : nullptr;
  }

  // One string of a constant; empty when it is none.
  std::string text(std::string_view input, int index) const {
    const auto* node = find(std::string(parse_input_name(input).node));
    if (node == nullptr || node->op() != "Const") return {};
    const auto value = node->attr().find("value");
    if (value == node->attr().end()) return {};
    const tensorflow::TensorProto& proto = value->second.tensor();
    if (proto.dtype() != tensorflow::DT_STRING) return {};
    // A list of names is read by each variable: as it stands, without decoding all of it each time.
    if (const int given = proto.string_val_size(); given > 0) {
      return proto.string_val(std::min(index, given - 1));  // a short list repeats its last value
    }
    if (proto.tensor_content().empty()) return {};
    const Tensor& tensor = decoded(*node, proto);
    if (!tensor.is_valid() || index >= tensor.num_elements()) return {};
    return tensor.data<std::string>()[static_cast<size_t>(index)];
  }

  const NodeDefs& nodes() const { return nodes_; }

 private:
  // Where a tensor comes from, behind nodes that pass it on. In a circle of these, some of them.
  InputName origin(std::string_view input) const {
    InputName name = parse_input_name(input);
    for (int steps = 0; steps < kMostPassed; ++steps) {
      const auto* node = find(std::string(name.node));
      if (node == nullptr || !is_passing(node->op()) || node->input_size() <= name.index) break;
      name = parse_input_name(node->input(name.index));
    }
    return name;
  }

  // Holds nothing where it cannot be decoded.
  const Tensor& decoded(const tensorflow::NodeDef& node,
                        const tensorflow::TensorProto& proto) const {
    const auto [it, is_new] = decoded_.try_emplace(&node);
    if (is_new) {
      try {
        it->second = tensor_from_proto(proto);
      } catch (const Error&) {
        // Then nothing is known of what it names; building the graph says what is wrong.
      }
    }
    return it->second;
  }

  const tensorflow::NodeDef* find(const std::string& name) const {
    const auto it = index_.find(name);
    return it == index_.end() ? nullptr : it->second;
  }

  const NodeDefs& nodes_;
  const Arguments* arguments_;
  std::unordered_map<std::string, const tensorflow::NodeDef*> index_;
  mutable std::unordered_map<const tensorflow::NodeDef*, Tensor> decoded_;
};

class Walker {
 public:
  explicit Walker(const tensorflow::GraphDef& def) {
    for (const auto& function : def.library().function()) {
      library_.emplace(function.signature().name(), &function);
    }
    walk(Scope(def.node(), nullptr), 0);
  }

  std::map<std::string, MetaGraph::Restored> found;

 private:
  void walk(const Scope& scope, int depth) {
    for (const auto& node : scope.nodes()) {
      if ((node.op() == "Assign" || node.op() == "AssignVariableOp") && node.input_size() >= 2) {
        note(scope, node);
      } else if (depth < kMostCalls) {
        const auto called =
            library_.find(library_.contains(node.op()) ? node.op() : attr_text(node, "f"));
        if (called != library_.end()) enter(scope, node, *called->second, depth);
      }
    }
  }

  void note(const Scope& scope, const tensorflow::NodeDef& assign) {
    int index = 0;
    const auto* restore = scope.restore(assign.input(1), index);
    if (restore == nullptr || restore->input_size() < 2) return;
    const std::string variable = scope.variable(assign.input(0));
    const std::string key = scope.text(restore->input(1), index);
    if (variable.empty() || key.empty()) return;
    const std::string slice =
        restore->input_size() > 2 ? scope.text(restore->input(2), index) : std::string();
    found.try_emplace(variable, MetaGraph::Restored{key, slice});
  }

  void enter(const Scope& outer, const tensorflow::NodeDef& call,
             const tensorflow::FunctionDef& function, int depth) {
    bool restores = false;
    for (const auto& node : function.node_def()) {
      restores = restores || node.op() == "RestoreV2" || !attr_text(node, "f").empty();
    }
    if (!restores || ++calls_ > kMostWalks) return;
    Arguments arguments;
    for (int i = 0; i < function.signature().input_arg_size() && i < call.input_size(); ++i) {
      arguments[function.signature().input_arg(i).name()] = outer.variable(call.input(i));
    }
    walk(Scope(function.node_def(), &arguments), depth + 1);
  }

  static constexpr int kMostWalks = 10000;
  Library library_;
  int calls_ = 0;
};

}  // namespace

std::map<std::string, MetaGraph::Restored> restored_variables(const tensorflow::GraphDef& def) {
  return std::move(Walker(def).found);
}

}  // namespace thalweg
