// Graphs for the bodies of functions.
#pragma once

#include <memory>

#include "thalweg/graph/function.h"
#include "thalweg/graph/graph.h"

namespace thalweg {

/// An empty graph for a function of `caller`'s library. It does not own the library, which will own
/// it: each would keep the other for ever.
inline std::unique_ptr<Graph> body_graph(const Graph& caller) {
  return std::make_unique<Graph>(
      caller.registry(),
      std::shared_ptr<FunctionLibrary>(std::shared_ptr<FunctionLibrary>(), &caller.functions()));
}

}  // namespace thalweg
