// From the messages of a graph to a Graph; for the files of this room that hold graphs.
#pragma once

#include <memory>

#include "proto/graph.pb.h"
#include "thalweg/formats/graph_def.h"

namespace thalweg {

/// Takes `def` apart. Throws as parse_graph.
std::unique_ptr<Graph> build_graph(tensorflow::GraphDef def, const OpRegistry& registry,
                                   const GraphImportOptions& options);
/// Of a graph that may be broken.
GraphSummary summarize(tensorflow::GraphDef def, const OpRegistry& registry);

/// Throws failed_precondition when the file says that this reader is too old for it.
void check_versions(const tensorflow::GraphDef& def);

}  // namespace thalweg
