// Copying the part of a graph that some results need: for a plan, and for a function's body that is
// put in the place of its call.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "thalweg/graph/extension.h"
#include "thalweg/graph/graph.h"

namespace thalweg {

/// One copy of one graph. Nodes are handed on in program order, but an extension in the place of
/// the node that it extends.
class SubgraphCopy {
 public:
  /// What stands for a node: its outputs, and the node that control edges wait for (may be null).
  struct Copied {
    std::vector<Output> outputs = {};
    Node* node = nullptr;
  };
  using Add = std::function<Copied(const Node& node, std::vector<Output> inputs,
                                   std::vector<Node*> controls)>;

  /// `given`: what stands for tensors of `source` that need not be computed.
  SubgraphCopy(const Graph& source, std::map<Output, Output> given);

  /// Calls `add` for each node that the outputs and nodes need.
  void run(const std::vector<Output>& outputs, const std::vector<Node*>& nodes, const Add& add);

  Output output(const Output& old) const;
  /// Null when nothing stands for it.
  Node* node(const Node& old) const;

 private:
  Output resolve(Output old) const;
  Node* given_node(const Node& node) const;
  void find_needed(const std::vector<Output>& outputs, const std::vector<Node*>& nodes);
  void find_extensions();
  void emit(const Node& node, const Add& add);

  const Graph& source_;
  std::map<Output, Output> given_;
  std::vector<bool> needed_;            // by id
  std::vector<const Node*> extension_;  // by id: what stands for the node; null: itself
  std::vector<bool> done_;              // by id
  std::vector<Copied> copies_;          // by id
};

}  // namespace thalweg
