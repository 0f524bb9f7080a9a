// Rewriting by copying: the one way in which passes change a graph.
//
// A graph only grows, so a pass makes a new one: it walks the old nodes in order and, for each,
// either copies it or puts something else in its place. Ids stay a topological order and program
// order, shapes are inferred afresh (often more precisely), and nothing that the pass leaves out
// survives.
#pragma once

#include <vector>

#include "thalweg/passes/plan_graph.h"

namespace thalweg {

/// One pass over one graph. Derive, override rewrite(), call run() once.
class Rewriter {
 public:
  explicit Rewriter(const PlanGraph& source);
  virtual ~Rewriter() = default;

  PlanGraph run();

 protected:
  /// What stands in the new graph for `node`, one Output an output; `inputs` are its inputs there.
  /// An empty vector drops the node (nobody may use its outputs then). The default copies.
  virtual std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs);

  /// The node again, under its old name, with these inputs.
  std::vector<Output> copy(const Node& node, const std::vector<Output>& inputs);
  /// A new node in place of `node`: takes over its device, and its control inputs.
  Node& replace(const Node& node, std::string_view op, std::vector<Output> inputs, AttrMap attrs,
                std::string_view name = {});
  /// One new node in place of several: takes over the control inputs of all, and stands for each of
  /// them.
  Node& replace_all(const std::vector<const Node*>& nodes, std::string_view op,
                    std::vector<Output> inputs, AttrMap attrs);
  /// A constant in the new graph.
  Output constant(const Node& near, Tensor value);

  /// Control edges that wait for `node` will wait for `there`.
  void stand_for(const Node& node, Node& there) {
    node_map_[static_cast<size_t>(node.id())] = &there;
  }
  /// A node of the new graph that must run.
  void add_target(Node& node) { result_.targets.push_back(&node); }
  /// What the node waits for, in the new graph.
  std::vector<Node*> mapped_controls(const Node& node) const;

  const PlanGraph& source() const { return source_; }
  Graph& target() { return *result_.graph; }
  /// Where an old output went. Only for outputs already rewritten.
  Output mapped(const Output& old) const;
  /// Consumers of an old output in the old graph (each once per use), not counting fetches.
  const std::vector<const Node*>& consumers(const Output& old) const;
  bool is_fetched(const Output& old) const;
  /// Whether exactly one input edge, and no fetch, uses any output of the node, and no control edge
  /// leaves it.
  bool has_single_use(const Node& node) const;
  /// Whether the node must stay: a target, or something a control edge waits for.
  bool is_pinned(const Node& node) const;

 private:
  const PlanGraph& source_;
  PlanGraph result_;
  std::vector<std::vector<Output>> map_;  // by old node id
  std::vector<Node*> node_map_;           // by old node id: what control edges wait for
  std::vector<std::vector<std::vector<const Node*>>> consumers_;  // by old node id and output
  std::vector<std::vector<bool>> fetched_;
  std::vector<bool> pinned_;
};

/// The values of Const nodes; null for others.
const Tensor* constant_value(const Output& output);

}  // namespace thalweg
