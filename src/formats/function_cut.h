// Cuts the part of a graph that some tensors need out into the body of a function.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "formats/function_body.h"

namespace thalweg {

/// The tensors that functions take from the graph around them, in the order of the arguments. The
/// functions of one node (both branches, condition and body) share a list.
class Captures {
 public:
  /// The argument that stands for an edge, a new one if need be.
  int index(Edge edge);
  const std::vector<Edge>& edges() const { return edges_; }

 private:
  std::vector<Edge> edges_;
  std::map<Edge, int> places_;
};

/// Where the function begins.
struct Boundary {
  struct Origin {
    Edge edge;
    bool captured = false;  // an argument; else the node is copied into the function
  };
  /// What stands behind an edge that a node inside reads.
  std::function<Origin(Edge)> origin;
  /// Whether a node that one inside waits for is copied too; else the edge is dropped.
  std::function<bool(int)> is_inside;
};

/// Copies what `results` and `effects` need. Small constants are copied instead of captured, so
/// that shapes computed from them can be told. `copied` gets the nodes copied.
FunctionBody cut_function(const WireGraph& graph, const std::vector<Edge>& results,
                          const std::vector<int>& effects, const Boundary& boundary,
                          Captures& captures, std::set<int>& copied);

}  // namespace thalweg
