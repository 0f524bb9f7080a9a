// The graph that becomes a plan: a private copy, pruned to what one run needs and specialised to
// its shapes.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// Built by specialize(), handed from pass to pass; each pass returns a new one.
struct PlanGraph {
  std::unique_ptr<Graph> graph;
  std::vector<Output> feeds;    // Placeholder outputs of known shape, in the caller's order
  std::vector<Output> fetches;  // in the caller's order
  std::vector<Node*> targets;   // nodes that must run beside the fetches
};

/// The value of one tensor, given in place of what its node would compute: dtype and known shape of
/// the feed.
struct FeedSpec {
  Output tensor;
  DType dtype = DType::kInvalid;
  Shape shape;
  Shape item_shape = Shape::unknown();  // of a list of tensors: that of each item
};

/// What a handle that a function takes as an argument stands for: the op that makes it.
struct HandleSpec {
  Output tensor;
  std::string type = {};
  AttrMap attrs = {};
  std::string name = {};
};

/// A copy of what `fetches` and `targets` need once `feeds` are given, with the feeds' shapes
/// carried through, and the ops that make them in place of `handles`. A node that has been extended
/// for its gradient is replaced by its extension when that is needed. Throws invalid_argument
/// naming the tensor when a feed does not fit, or a placeholder that is needed is not fed, and when
/// a fetch or a target is nothing, or of another graph.
PlanGraph specialize(const Graph& graph, const std::vector<FeedSpec>& feeds,
                     const std::vector<Output>& fetches, const std::vector<Node*>& targets,
                     const std::vector<HandleSpec>& handles = {});

/// Throws internal_error when the graph is not legal: edges that point forward or out, outputs
/// whose shapes a fresh inference contradicts, feeds or fetches from elsewhere. Run after every
/// pass.
void verify(const PlanGraph& plan, std::string_view after);

}  // namespace thalweg
