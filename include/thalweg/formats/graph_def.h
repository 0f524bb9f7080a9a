// Graphs as TensorFlow's GraphDef: what TensorBoard draws and other programs load.
#pragma once

#include <cstdint>
#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// The graph version that files claim: TensorFlow 1.14's, so that readers of all ages accept them.
inline constexpr int kGraphProducer = 149;

struct GraphDefOptions {
  bool default_attrs = false;  // also write attributes that equal the op's default
  bool output_shapes = false;  // add `_output_shapes`, which TensorBoard puts on the edges
  /// Attributes of more bytes are left out and named in `_too_large_attrs`; 0: no limit. For
  /// drawings: such a graph cannot be run.
  int64_t largest_attr = 0;
};

/// The bytes of a GraphDef, the same for the same graph. Nodes in the order of the graph; inputs
/// `node` and `node:k`, then control inputs `^node`. Throws invalid_argument when it passes
/// protobuf's limit of 2 GiB.
std::string encode_graph(const Graph& graph, const GraphDefOptions& options = {});

}  // namespace thalweg
