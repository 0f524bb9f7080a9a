// Variables: named values that live in a session between runs.
//
// In the graph a variable is a resource handle (VarHandleOp) that other ops read, assign and
// update. The graph orders these ops as the program wrote them. State is keyed by name: two handles
// of one name are one variable.
#pragma once

#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct VariableOptions {
  /// Base name, "Variable" when empty; made unique, put under the current scope.
  std::string name = {};
  /// Whether optimizers take it.
  bool trainable = true;
};

/// A variable of a graph: a cheap handle to copy. Stands wherever an Output is wanted, and is then
/// read there: each conversion adds a ReadVariableOp, which sees what was assigned before it in the
/// program.
class Variable {
 public:
  /// Starts as `initial`.
  Variable(Graph& graph, Tensor initial, VariableOptions options = {});
  /// Starts as what `initial_value` gives when the session initialises its variables. Its shape may
  /// be unknown in part.
  Variable(Graph& graph, Output initial_value, VariableOptions options = {});

  /// The resource itself, for ops that work on it in place; gradients may be taken with respect to
  /// it.
  Output handle() const { return handle_; }
  Graph& graph() const { return handle_.graph(); }
  /// The key in the session's state and in checkpoints.
  const std::string& name() const;
  DType dtype() const;
  const Shape& shape() const;
  /// The op that gives the first value.
  Node& initializer() const { return *initializer_; }

  Output read() const;
  operator Output() const { return read(); }  // NOLINT: a variable stands where a value is wanted

  /// These add an op that changes the variable when it runs: as a target of a run, or before ops
  /// that come later.
  Node& assign(Output value) const;
  Node& assign_add(Output value) const;
  Node& assign_sub(Output value) const;

 private:
  void init(Graph& graph, Output initial_value, const VariableOptions& options,
            const std::string& name);
  Output handle_;
  Node* initializer_ = nullptr;
};

/// The key of the variable behind a VarHandleOp node: its `shared_name`, or the node's name when
/// that is empty.
const std::string& variable_key(const Node& handle);

struct StateOptions {
  std::string name = {};
};
struct VarHandleOptions {
  std::string container = {};
  std::string shared_name = {};
  std::string name = {};
};
/// The handle of a variable of this dtype and shape. TensorFlow's VarHandleOp. Variable is the
/// comfortable way.
Output var_handle(Graph& graph, DType dtype, const Shape& shape, VarHandleOptions options = {});
/// The variable's value. TensorFlow's ReadVariableOp.
Output read_variable(Output resource, DType dtype, StateOptions options = {});
/// TensorFlow's AssignVariableOp, AssignAddVariableOp and AssignSubVariableOp.
Node& assign_variable(Output resource, Output value, StateOptions options = {});
Node& assign_add_variable(Output resource, Output value, StateOptions options = {});
Node& assign_sub_variable(Output resource, Output value, StateOptions options = {});
/// A bool scalar. TensorFlow's VarIsInitializedOp.
Output var_is_initialized(Output resource, StateOptions options = {});
/// Rows `indices` `[...]` of the variable `[rows, ...]`: `[..., ...]`. An index outside [0, rows)
/// is an invalid_argument error when it runs. TensorFlow's ResourceGather.
Output resource_gather(Output resource, Output indices, DType dtype, StateOptions options = {});
/// Adds `updates` to the rows `indices` of the variable; repeated rows add up. TensorFlow's
/// ResourceScatterAdd.
Node& resource_scatter_add(Output resource, Output indices, Output updates,
                           StateOptions options = {});

}  // namespace thalweg
