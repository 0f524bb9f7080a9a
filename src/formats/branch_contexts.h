// The branches of a TensorFlow 1 graph without loops: under which outcomes of which predicates each
// node runs.
#pragma once

#include <compare>
#include <map>
#include <set>
#include <vector>

#include "formats/wire_graph.h"

namespace thalweg {

/// One outcome of one predicate.
struct Side {
  Edge predicate;
  bool taken = false;
  friend auto operator<=>(const Side&, const Side&) = default;
};

/// All that must be so for a node to run; empty: it always runs.
using Context = std::set<Side>;

/// What a Merge chooses by.
struct MergeChoice {
  Edge predicate;
  int true_input = 1;  // which of its two inputs comes when the predicate is true
};

class BranchContexts {
 public:
  /// Throws invalid_argument naming a node: one of a cycle, one that needs both outcomes of a
  /// predicate at once, a Merge that is not of exactly two opposite branches.
  explicit BranchContexts(const WireGraph& graph);

  const Context& of(int node) const { return *nodes_[static_cast<size_t>(node)]; }
  bool holds(int node, const Side& side) const { return of(node).count(side) != 0; }
  /// A node that was added, or runs elsewhere now.
  void set(int node, const Context& context);

  /// The predicate of a Switch, seen through Identities.
  Edge predicate(const WireNode& node) const;
  /// Merges with what they choose by, inputs first.
  const std::vector<std::pair<int, MergeChoice>>& merges() const { return merges_; }

 private:
  void compute(int id);
  const Context& of(const Edge& edge);
  const Context* merge_context(int id);
  const Context* unite(const Context* a, const Context* b);
  void refuse_contradiction(int id) const;

  const WireGraph& graph_;
  std::set<Context> pool_;  // nodes share their contexts
  std::vector<const Context*> nodes_;
  std::vector<std::pair<int, MergeChoice>> merges_;
};

}  // namespace thalweg
