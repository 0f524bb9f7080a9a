// The dataflow graph: nodes are ops, edges carry tensors, control edges order.
//
// Nodes are only ever added, and a node's inputs exist before it, so the order of ids is a
// topological order and the program order of side effects. Shapes are inferred as a node is added:
// a wrong shape is an error at that line.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "thalweg/graph/attr.h"
#include "thalweg/graph/op_registry.h"

namespace thalweg {

class FunctionLibrary;
class Graph;
class Node;

/// One output of a node: a cheap handle. A default-constructed one is "nothing" and tests false.
class Output {
 public:
  Output() = default;
  Output(Node* node, int index) : node_(node), index_(index) {}

  explicit operator bool() const { return node_ != nullptr; }
  Node* node() const { return node_; }
  int index() const { return index_; }
  Graph& graph() const;
  DType dtype() const;
  const Shape& shape() const;
  /// "fc1/MatMul:0".
  std::string name() const;

  friend bool operator==(const Output& a, const Output& b) {
    return a.node_ == b.node_ && a.index_ == b.index_;
  }
  friend bool operator<(const Output& a, const Output& b);

 private:
  Node* node_ = nullptr;
  int index_ = 0;
};

/// One operation. Owned by its graph; immutable once added.
class Node {
 public:
  int id() const { return id_; }
  const std::string& name() const { return name_; }
  const OpSchema& op() const { return *op_; }
  std::string_view type() const { return op_->name; }
  Effect effect() const { return op_->def->effect; }
  const std::string& device() const { return device_; }
  Graph& graph() const { return *graph_; }

  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  const Output& input(int i) const { return inputs_[static_cast<size_t>(i)]; }
  std::span<const Output> inputs() const { return inputs_; }
  std::span<Node* const> control_inputs() const { return control_inputs_; }
  int num_outputs() const { return static_cast<int>(output_dtypes_.size()); }
  /// Throws out_of_range.
  Output output(int i = 0) const;
  DType output_dtype(int i) const { return output_dtypes_[static_cast<size_t>(i)]; }
  const Shape& output_shape(int i) const { return output_shapes_[static_cast<size_t>(i)]; }

  const AttrMap& attrs() const { return attrs_; }
  /// Null when absent.
  const AttrValue* find_attr(std::string_view name) const;
  /// Throws internal_error when absent or of another kind.
  template <class T>
  const T& attr(std::string_view name) const {
    const AttrValue* value = find_attr(name);
    if (value == nullptr || !std::holds_alternative<T>(*value)) bad_attr(name);
    return std::get<T>(*value);
  }
  /// [begin, end) of the flat inputs that belong to the named argument.
  std::pair<int, int> input_range(std::string_view argument) const;

  /// "MatMul node `fc1/MatMul`".
  std::string to_string() const;

 private:
  friend class Graph;
  [[noreturn]] void bad_attr(std::string_view name) const;

  int id_ = 0;
  Graph* graph_ = nullptr;
  std::string name_;
  const OpSchema* op_ = nullptr;
  std::string device_;
  AttrMap attrs_;
  std::vector<Output> inputs_;
  std::vector<Node*> control_inputs_;
  std::vector<DType> output_dtypes_;
  std::vector<Shape> output_shapes_;
};

/// What a new node may be given besides op, inputs and attributes.
struct NodeOptions {
  std::string name =
      {};  // base name; made unique, put under the current scope. Empty: the op's name
  std::string device = {};  // TensorFlow device string. Empty: the current device scope's
  std::vector<Node*> control_inputs = {};
  bool full_name = false;  // `name` came from unique_name(), scope included: it is taken as it is
};

/// A dataflow graph. Built by one thread; once no more nodes are added, all const use is
/// thread-safe.
class Graph {
 public:
  /// `registry` must outlive the graph. Without `functions` the graph makes a library of its own.
  /// See standard_ops() in thalweg/ops/standard_ops.h.
  explicit Graph(const OpRegistry& registry, std::shared_ptr<FunctionLibrary> functions = nullptr);
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  /// Adds a node. List arguments are given flat; counts and types that inputs tell need not be in
  /// `attrs`. Missing attributes take their defaults. Throws invalid_argument naming node, argument
  /// and what was expected: wrong number of inputs, types that disagree, attributes unknown,
  /// missing or not allowed, shapes that cannot be right. On an error the graph is as before.
  Node& add(std::string_view op, std::vector<Output> inputs, AttrMap attrs = {},
            NodeOptions options = {});

  const OpRegistry& registry() const { return *registry_; }
  /// The functions that nodes may call by name; shared with the bodies of those functions.
  FunctionLibrary& functions() const { return *functions_; }
  const std::shared_ptr<FunctionLibrary>& shared_functions() const { return functions_; }
  /// A number that no other graph of the process has or gets: for those who remember things by
  /// graph.
  uint64_t id() const { return id_; }
  int num_nodes() const { return static_cast<int>(nodes_.size()); }
  Node& node(int id) const { return *nodes_[static_cast<size_t>(id)]; }
  /// Null when there is none.
  Node* find(std::string_view name) const;
  /// "fc1/MatMul:0", or "fc1/MatMul" for output 0. Throws not_found with the nearest name.
  Output output(std::string_view name) const;

  /// A name not yet in use: `base`, `base_1`, ... Throws invalid_argument when `base` is no legal
  /// node name.
  std::string unique_name(std::string_view base);
  /// The current scope, "" or "a/b/".
  const std::string& scope() const { return scope_; }

  /// The seed that ops without a seed of their own derive theirs from; 0 unless set. Set it before
  /// adding ops.
  uint64_t seed() const { return seed_; }
  void set_seed(uint64_t seed) { seed_ = seed; }

  /// The graph that add() puts nodes into: the body of a function while one is being traced (see
  /// BodyScope), else this.
  Graph& innermost() { return body_ == nullptr ? *this : body_->innermost(); }

  /// A listing for people: one line a node with inputs, attributes and shapes.
  std::string to_string() const;

 private:
  friend class BodyScope;
  friend class NameScope;
  friend class RootScope;
  friend class DeviceScope;
  friend class ControlScope;

  const OpRegistry* registry_;
  std::shared_ptr<FunctionLibrary> functions_;
  uint64_t id_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::unordered_map<std::string, Node*> by_name_;
  std::unordered_map<std::string, int> name_counts_;
  std::string scope_;
  std::string device_;
  std::vector<Node*> control_;
  uint64_t seed_ = 0;
  Graph* body_ = nullptr;                         // a function's body that is being traced
  std::function<Output(const Output&)> capture_;  // of a body: what stands for outer tensors
  std::vector<Node*> outer_controls_;             // of a body: outer nodes it must run after

 public:
  /// A variable made by the builder: its handle, and the op that gives it its first value.
  struct VariableRecord {
    std::string name;  // key in the session's state and in checkpoints
    Node* handle = nullptr;
    Node* initializer = nullptr;
    bool trainable = false;
    DType dtype = DType::kInvalid;
    Shape shape;
  };
  /// In the order of creation.
  const std::vector<VariableRecord>& variables() const { return variables_; }
  /// Throws failed_precondition while the body of a function is traced.
  void add_variable(VariableRecord record);
  const VariableRecord* find_variable(std::string_view name) const;

  /// Named lists that layers leave for whoever trains: "regularization_losses" (nodes whose output
  /// 0 is a scalar), "updates" (nodes to run with each training step). TensorFlow's graph
  /// collections. Nodes of a function's body are not kept: what they do is done with each call.
  void collect(std::string_view collection, Node& node) {
    if (&node.graph() == this) collections_[std::string(collection)].push_back(&node);
  }
  /// Empty when nothing was collected under the name.
  std::vector<Node*> collected(std::string_view collection) const;

 private:
  std::vector<VariableRecord> variables_;
  std::unordered_map<std::string, std::vector<Node*>> collections_;
};

/// While it lives, nodes added to `outer` go into `body` instead, so that code that only knows the
/// outer graph and its tensors builds a function's body. Tensors from outside that these nodes take
/// become what `capture` gives for them: an argument of the body.
class BodyScope {
 public:
  BodyScope(Graph& outer, Graph& body, std::function<Output(const Output& outside)> capture);
  ~BodyScope();
  BodyScope(const BodyScope&) = delete;
  BodyScope& operator=(const BodyScope&) = delete;
  /// Nodes outside that nodes of the body were told to run after: so must whoever calls it.
  const std::vector<Node*>& outer_controls() const { return body_.outer_controls_; }

 private:
  Graph& outer_;
  Graph& body_;
};

/// Puts nodes added while it lives under `name/` (made unique, as TensorFlow does). A name that
/// ends in `/` is the path of an earlier scope, which is entered again.
class NameScope {
 public:
  NameScope(Graph& graph, std::string_view name);
  ~NameScope();
  NameScope(const NameScope&) = delete;
  NameScope& operator=(const NameScope&) = delete;
  /// "a/b/".
  const std::string& path() const { return graph_.scope(); }

 private:
  Graph& graph_;
  std::string previous_;
};

/// Sets scopes aside: nodes added while it lives take their names as they are and wait for nothing.
class RootScope {
 public:
  explicit RootScope(Graph& graph);
  ~RootScope();
  RootScope(const RootScope&) = delete;
  RootScope& operator=(const RootScope&) = delete;

 private:
  Graph& graph_;
  std::string previous_;
  std::vector<Node*> previous_control_;
};

/// Gives nodes added while it lives this device string.
class DeviceScope {
 public:
  DeviceScope(Graph& graph, std::string device);
  ~DeviceScope();
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Graph& graph_;
  std::string previous_;
};

/// Makes nodes added while it lives run after `nodes`.
class ControlScope {
 public:
  ControlScope(Graph& graph, std::vector<Node*> nodes);
  ~ControlScope();
  ControlScope(const ControlScope&) = delete;
  ControlScope& operator=(const ControlScope&) = delete;

 private:
  Graph& graph_;
  size_t previous_;
};

}  // namespace thalweg
