// Nodes and functions as TensorFlow's messages.
#pragma once

#include <functional>
#include <string>

#include "proto/graph.pb.h"
#include "thalweg/formats/graph_def.h"
#include "thalweg/graph/function.h"

namespace thalweg {

/// All of a node but its data inputs.
void encode_node(const Node& node, const GraphDefOptions& options, tensorflow::NodeDef& out);
void encode_function(const Function& function, const GraphDefOptions& options,
                     tensorflow::FunctionDef& out);
void encode_graph(const Graph& graph, const GraphDefOptions& options, tensorflow::GraphDef& out);

}  // namespace thalweg
