// One node after another from its message into a graph: the main one, or a function's body.
#pragma once

#include <set>
#include <string>
#include <unordered_map>

#include "formats/attr_import.h"
#include "formats/node_order.h"
#include "thalweg/graph/graph.h"

namespace thalweg {

/// Adds nodes to one graph; what cannot be added is a problem, and what needs it is left out with
/// it; so is what calls one of the `broken` functions. `place` is said after the names of nodes:
/// " in function `f`".
class NodeImporter {
 public:
  NodeImporter(Graph& graph, AttrImporter& attrs, ImportProblems& problems,
               const std::set<std::string>& broken, std::string place);

  /// A tensor that inputs may name: an argument of a function.
  void add_argument(const std::string& name, Output output);
  /// Every node of `nodes`, in an order in which each finds its inputs.
  void add_all(const NodeDefs& nodes);
  /// What an input or a result names; empty for what could not be added. Throws invalid_argument
  /// when there is no such node or output.
  Output find(std::string_view name) const;
  Node* find_node(std::string_view name) const;

 private:
  void add(const tensorflow::NodeDef& def);
  void add_checked(const tensorflow::NodeDef& def, const OpSchema& op, AttrMap attrs);
  std::string where(const tensorflow::NodeDef& def) const;

  Graph& graph_;
  AttrImporter& attrs_;
  ImportProblems& problems_;
  const std::set<std::string>& broken_;
  const std::string place_;
  std::unordered_map<std::string, Output> arguments_;
  std::unordered_map<std::string, Node*> nodes_;  // null: could not be added
};

/// The outputs of `node` that belong to the output argument `name`, [begin, end).
std::pair<int, int> output_range(const Node& node, std::string_view name);

}  // namespace thalweg
