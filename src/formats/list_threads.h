// The lists behind the handles of stacks and of arrays of gradients while thread_lists() goes
// through a body: each op takes a list as the op before it left it, also across the borders of
// branches.
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "formats/branch_contexts.h"

namespace thalweg {

/// Whether it is a While or a StatelessWhile.
bool is_while(const WireNode& node);

/// One thread for each handle that the body makes, has as an argument or pops from a stack.
class ListThreads {
 public:
  /// Throws as BranchContexts does.
  explicit ListThreads(WireGraph& graph);

  /// The edge that input `i` of a node comes from, seen through what passes a handle on.
  Edge origin(int id, size_t i) const;
  bool has(Edge handle) const { return threads_.count(handle) != 0; }

  /// The list behind a handle, so far. Throws unimplemented naming the node when it is none.
  Edge list(Edge handle) const;
  /// Calls `change` with the list, in the branches in which node `id` runs; it gives the list
  /// after.
  void thread(int id, Edge handle, const std::function<Edge(Edge list)>& change);
  /// Brings the list out of all branches.
  void close(Edge handle) { close(threads_.at(handle), 0); }
  void close_all();

 private:
  struct Thread {
    Edge list;
    std::vector<std::pair<int, Side>> open;  // the branches that it is in, with the Switch into it
  };

  Edge root(Edge edge) const;
  std::vector<Edge> used_edges() const;
  void find_handles();
  std::vector<Side> sides(int id, Edge handle) const;
  size_t depth(const Side& side) const { return contexts_.of(side.predicate.node).size(); }
  void close(Thread& thread, size_t depth);

  WireGraph& graph_;
  BranchContexts contexts_;
  std::map<Edge, Thread> threads_;  // by handle
};

}  // namespace thalweg
