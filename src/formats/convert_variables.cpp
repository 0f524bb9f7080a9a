#include <map>
#include <optional>

#include "formats/handle_flow.h"
#include "formats/reference_ops.h"
#include "formats/rewrites.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

// A reference is read when the op that takes its value runs, so a read must wait for whatever that
// op waits for. Each node that gave a reference becomes the read of its value under its old name
// (who fetches `w` or `w/Assign` gets it), and the handle comes from a new node beside it:
//
//   w: VariableV2          -> w/handle: VarHandleOp           w: ReadVariableOp
//   w/Assign: Assign       -> w/Assign/AssignVariableOp ...   w/Assign: ReadVariableOp after that
//   w/read: Identity       -> w/read: ReadVariableOp
class VariableRewrite {
 public:
  explicit VariableRewrite(WireGraph& graph) : graph_(graph) {}

  void run() {
    std::vector<Edge> variables;
    for (int id = 0; id < graph_.size(); ++id) {
      const std::string& op = graph_[id].op();
      if (op == "Variable" || op == "VariableV2") variables.push_back({id, 0});
      if (op == "TemporaryVariable") {
        throw unimplemented("node `", graph_[id].name(), "` is a TemporaryVariable");
      }
    }
    if (variables.empty()) return;
    references_ = follow(graph_, variables, [](const WireNode& node) {
      const ReferenceOp* op = find_reference_op(node.op());
      return is_reference_passing(node) || (op != nullptr && op->gives_reference);
    });
    find_what_follows_writes();
    split_nodes();
    const int count = graph_.size();
    for (int id = 0; id < count; ++id) {
      if (graph_[id].op() != "ReadVariableOp" || reads_.count(id) == 0) connect(id);
    }
    for (const auto& [id, reference] : reads_) connect_read(id, reference);
  }

 private:
  static bool is_reference_passing(const WireNode& node) {
    return node.op().starts_with("Ref") && !passing_op(node.op()).empty();
  }

  WireNode& node(int id) { return graph_[id]; }

  void find_what_follows_writes() {
    follows_write_.assign(static_cast<size_t>(graph_.size()), 0);
    const auto consumers = graph_.consumers();
    std::vector<int> open;
    for (int id = 0; id < graph_.size(); ++id) {
      const ReferenceOp* op = find_reference_op(node(id).op());
      if (op != nullptr && op->gives_reference) open.push_back(id);
    }
    while (!open.empty()) {
      const int id = open.back();
      open.pop_back();
      char& mark = follows_write_[static_cast<size_t>(id)];
      if (mark != 0) continue;
      mark = 1;
      for (int next : consumers[static_cast<size_t>(id)]) open.push_back(next);
    }
  }

  bool follows_write(int id) const {
    return static_cast<size_t>(id) < follows_write_.size() &&
           follows_write_[static_cast<size_t>(id)] != 0;
  }

  // Gives every node that takes or passes a reference its resource form. Inputs still are what
  // they were.
  void split_nodes() {
    const int count = graph_.size();
    for (int id = 0; id < count; ++id) {
      const ReferenceOp* op = find_reference_op(node(id).op());
      if (op != nullptr) {
        split_reference_op(id, *op);
      } else if (references_.count({id, 0}) != 0) {
        is_reference_passing(node(id)) ? split_passing(id) : split_variable(id);
      }
    }
  }

  void split_variable(int id) {
    const tensorflow::DataType type = node(id).type_attr("dtype");
    const int handle = graph_.add("VarHandleOp", node(id).name() + "/handle", {});
    node(handle).def.set_device(node(id).def.device());
    auto& attrs = *node(handle).def.mutable_attr();
    for (const char* kept : {"dtype", "shape", "container", "shared_name"}) {
      const auto found = node(id).def.attr().find(kept);
      if (found != node(id).def.attr().end()) attrs[kept] = found->second;
    }
    // The oldest files say "no dimensions" where they mean that the shape is not known.
    if (node(id).op() == "Variable" && attrs["shape"].shape().dim_size() == 0) {
      attrs["shape"].mutable_shape()->set_unknown_rank(true);
    }
    if (attrs["shared_name"].s().empty()) attrs["shared_name"].set_s(node(id).name());
    handles_[{id, 0}] = {handle, 0};
    become_read(id, type);
  }

  void split_passing(int id) {
    const std::string op(passing_op(node(id).op()));
    const tensorflow::DataType type = node(id).type_attr("T");
    int carrier = id;
    // What may be fetched keeps its name for the value; these never are.
    if (op != "Enter" && op != "Switch" && op != "NextIteration") {
      carrier = graph_.add(op, node(id).name() + "/handle", node(id).inputs);
      node(carrier).controls = node(id).controls;
      node(carrier).def.set_device(node(id).def.device());
      *node(carrier).def.mutable_attr() = node(id).def.attr();
      reads_[id] = {id, 0};
      become_read(id, type);
    }
    node(carrier).def.set_op(op);
    node(carrier).set_type("T", tensorflow::DT_RESOURCE);
    for (int output = 0; output < passed_outputs(node(carrier)); ++output) {
      handles_[{id, output}] = {carrier, output};
      types_[{id, output}] = type;
    }
    if (op == "Merge") other_outputs_[{id, 1}] = {carrier, 1};
    takes_references_[carrier] = op == "Merge" ? static_cast<int>(node(carrier).inputs.size()) : 1;
    passes_.insert(carrier);
  }

  void split_reference_op(int id, const ReferenceOp& op) {
    if (node(id).inputs.size() < static_cast<size_t>(op.references)) {
      throw invalid_argument("node `", node(id).name(), "` (", node(id).op(), ") has ",
                             node(id).inputs.size(), " inputs, expected at least ", op.references);
    }
    for (int i = 0; i < op.references; ++i) {
      if (references_.count(node(id).inputs[static_cast<size_t>(i)]) != 0) continue;
      throw invalid_argument("node `", node(id).name(), "` (", node(id).op(), ") takes `",
                             node(node(id).inputs[static_cast<size_t>(i)].node).name(),
                             "`, which is no variable, by reference");
    }
    const tensorflow::DataType type = node(id).type_attr("T");
    int target = id;
    if (op.gives_reference) {
      target = graph_.add(op.resource_op, node(id).name() + "/" + op.resource_op, node(id).inputs);
      node(target).controls = node(id).controls;
      node(target).def.set_device(node(id).def.device());
      *node(target).def.mutable_attr() = node(id).def.attr();
      reads_[id] = node(id).inputs[0];
      writes_[{id, 0}] = target;
      written_[{id, 0}] = node(id).inputs[0];
      become_read(id, type);
      node(id).controls = {target};
    }
    node(target).def.set_op(op.resource_op);
    auto& attrs = *node(target).def.mutable_attr();
    for (const char* dropped : {"use_locking", "validate_shape", "_class", "_output_shapes"}) {
      attrs.erase(dropped);
    }
    if (op.type_attr != "T") attrs.erase("T");
    if (op.type_attr.empty()) attrs.erase("dtype");
    if (op.type_attr == "dtype") node(target).set_type("dtype", type);
    takes_references_[target] = op.references;
  }

  void become_read(int id, tensorflow::DataType type) {
    node(id).become("ReadVariableOp");
    node(id).set_type("dtype", type);
    types_[{id, 0}] = type;
    if (handles_.count({id, 0}) != 0) node(id).inputs = {handles_.at({id, 0})};
  }

  struct Handle {
    Edge edge;
    int write = -1;  // it shows what that gave
  };

  Handle handle_of(Edge reference) {
    Handle handle;
    for (int steps = 0; writes_.count(reference) != 0; ++steps) {
      if (handle.write < 0) handle.write = writes_.at(reference);
      if (steps > graph_.size()) {
        throw invalid_argument("node `", node(reference.node).name(), "` changes itself");
      }
      reference = written_.at(reference);
    }
    handle.edge = handles_.at(reference);
    return handle;
  }

  // Nodes that pass handles on cannot wait themselves: a dead Merge would never come.
  Edge ordered_handle(Edge reference) {
    const Handle handle = handle_of(reference);
    if (handle.write < 0) return handle.edge;
    const auto [place, is_new] = ordered_.try_emplace(reference);
    if (is_new) {
      const int id = graph_.add("Identity", node(reference.node).name() + "/handle", {handle.edge});
      node(id).set_type("T", tensorflow::DT_RESOURCE);
      node(id).add_control(handle.write);
      place->second = {id, 0};
    }
    return place->second;
  }

  void connect_read(int id, Edge reference) {
    if (reference.node == id) {
      node(id).inputs = {handles_.at(reference)};
    } else {
      node(id).inputs = {handle_of(reference).edge};
    }
  }

  void connect(int id) {
    const auto found = takes_references_.find(id);
    const int references = found == takes_references_.end() ? 0 : found->second;
    std::map<Edge, Edge> values;
    for (size_t i = 0; i < node(id).inputs.size(); ++i) {
      const Edge edge = node(id).inputs[i];
      const auto other = other_outputs_.find(edge);
      if (other != other_outputs_.end()) node(id).inputs[i] = other->second;
      if (references_.count(edge) == 0) continue;
      if (static_cast<int>(i) < references) {
        node(id).inputs[i] = take(id, edge);
      } else if (node(id).op() == "Identity") {
        const tensorflow::DataType type = node(id).type_attr("T");
        node(id).inputs[0] = take(id, edge);
        node(id).become("ReadVariableOp");
        node(id).set_type("dtype", type);
      } else {
        const auto [place, is_new] = values.try_emplace(edge);
        if (is_new) place->second = value_for(id, edge);
      }
    }
    for (Edge& edge : node(id).inputs) {
      const auto value = values.find(edge);
      if (value != values.end()) edge = value->second;
    }
  }

  Edge take(int id, Edge reference) {
    if (passes_.count(id) != 0) return ordered_handle(reference);
    const Handle handle = handle_of(reference);
    if (handle.write >= 0) node(id).add_control(handle.write);
    return handle.edge;
  }

  // The value that a reference has when node `id` runs.
  Edge value_for(int id, Edge reference) {
    const bool named = node(reference.node).op() == "ReadVariableOp";
    std::vector<int> waits;
    if (passing_op(node(id).op()).empty()) {
      for (const Edge& edge : node(id).inputs) {
        if (edge.node != reference.node && follows_write(edge.node)) waits.push_back(edge.node);
      }
      for (int control : node(id).controls) {
        if (control != reference.node && follows_write(control)) waits.push_back(control);
      }
    }
    if (named && waits.empty()) return reference;
    const Handle handle = handle_of(reference);
    const int read =
        graph_.add("ReadVariableOp", node(id).name() + "/ReadVariableOp", {handle.edge});
    node(read).set_type("dtype", types_.at(reference));
    node(read).controls = node(id).controls;
    if (handle.write >= 0) node(read).add_control(handle.write);
    for (int wait : waits) node(read).add_control(wait);
    return {read, 0};
  }

  WireGraph& graph_;
  std::map<Edge, Edge> references_;  // with the variable behind
  std::vector<char> follows_write_;
  std::map<Edge, Edge> handles_;  // of references that are no results of writes
  std::map<Edge, int> writes_;    // the resource op behind a reference, and ...
  std::map<Edge, Edge> written_;  // ... the reference that it changes
  std::map<Edge, tensorflow::DataType> types_;
  std::map<Edge, Edge> other_outputs_;  // value_index
  std::map<Edge, Edge> ordered_;
  std::map<int, Edge> reads_;  // nodes that read the reference that they gave
  std::map<int, int> takes_references_;
  std::set<int> passes_;
};

}  // namespace

void convert_variables(WireGraph& graph) { VariableRewrite(graph).run(); }

}  // namespace thalweg
