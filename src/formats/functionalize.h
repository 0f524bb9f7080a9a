// TensorFlow 1 graphs brought to the form that thalweg runs: loops and branches as functions,
// variables, tables and queues as resources, TensorArrays as lists.
//
// What replaces what is said in rewrites.h. Graphs of TensorFlow 2 come out as they went in.
#pragma once

#include <string>
#include <vector>

#include "proto/graph.pb.h"
#include "thalweg/graph/op_registry.h"

namespace thalweg {

/// Rewrites the graph and adds the functions made to its library. `ops` tells the names and types
/// of outputs. Nodes keep their names, but for those that now are inside functions; of `outputs`
/// ("node", "node:1") none may be there. Throws invalid_argument where the graph is no legal one
/// and unimplemented where it cannot be brought along, naming the node. On an error the graph is
/// as before.
void functionalize(tensorflow::GraphDef& graph, const OpRegistry& ops,
                   const std::vector<std::string>& outputs = {});

}  // namespace thalweg
