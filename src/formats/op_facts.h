// What the rewrites of TensorFlow 1 graphs must know of an op: the names and types of its outputs,
// and whether it does more than compute them.
#pragma once

#include <string>
#include <unordered_map>

#include "formats/wire_graph.h"
#include "thalweg/graph/op_registry.h"

namespace thalweg {

/// Answers from the table of ops and from the functions of the graph. Both must outlive it; the
/// library may only grow meanwhile. Thread-compatible, const use included.
class OpFacts {
 public:
  OpFacts(const OpRegistry& ops, const tensorflow::FunctionDefLibrary& library)
      : ops_(ops), library_(library) {}

  /// How a function's body names output `k` of a node: "output:0". An op that is not known is taken
  /// to have one argument "output"; importing the graph names it anyway.
  std::string output_name(const WireNode& node, int k) const;
  /// DT_INVALID when it cannot be told.
  tensorflow::DataType output_type(const WireNode& node, int k) const;
  /// Changes a variable, a table, a file ...: must run once, no matter who reads its outputs.
  bool has_effect(const WireNode& node) const;
  /// Has an effect, or depends on more than its inputs: reads a variable, draws numbers.
  bool is_stateful(const WireNode& node) const;

  /// Null when there is none.
  const tensorflow::FunctionDef* find_function(const std::string& name) const;

 private:
  const OpRegistry& ops_;
  const tensorflow::FunctionDefLibrary& library_;
  mutable std::unordered_map<std::string, int> index_;  // of the first `indexed_` functions
  mutable int indexed_ = 0;
};

}  // namespace thalweg
