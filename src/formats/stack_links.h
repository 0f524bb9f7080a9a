// The stacks with which TensorFlow 1 remembers what a loop computed until its gradient asks for it:
// what is pushed on one comes out of its pops, handles of other stacks and of arrays included.
#pragma once

#include <functional>
#include <map>
#include <vector>

#include "formats/wire_graph.h"

namespace thalweg {

/// Which pops take from the stack on which a push puts. A stack in a loop in a loop lies on another
/// stack between the turns: it is told by the StackV2 that made it.
class StackLinks {
 public:
  explicit StackLinks(const WireGraph& graph);

  /// The StackV2 behind the handle that a push, a pop or a close takes; -1 when there is none.
  int stack_of(int user) const;
  /// The pops from the stack made by `stack`, and the pushes on it.
  const std::vector<int>& pops(int stack) const { return pops_.at(stack); }
  const std::vector<int>& pushes(int stack) const { return pushes_.at(stack); }
  /// The StackV2 nodes.
  const std::vector<int>& stacks() const { return stacks_; }

 private:
  const WireGraph& graph_;
  std::vector<int> stacks_;
  std::map<Edge, int> handles_;
  std::map<int, std::vector<int>> pops_;
  std::map<int, std::vector<int>> pushes_;
};

/// follow(), and further from a push on a stack to what its pops give. The source of such an edge
/// is the pop's; `origin` tells for each source the one of `sources` that it stands for.
struct Followed {
  std::map<Edge, Edge> edges;
  std::map<Edge, Edge> origin;
};
Followed follow_through_stacks(const WireGraph& graph, const std::vector<Edge>& sources,
                               const std::function<bool(const WireNode&)>& passes,
                               const StackLinks& links);

}  // namespace thalweg
