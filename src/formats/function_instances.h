// Calls of functions brought to one form before a graph is built: a node whose op is a function's
// name becomes a PartitionedCall, and a function with attributes of its own ("T") becomes one
// function for each choice of them.
#pragma once

#include "formats/import_problems.h"
#include "proto/graph.pb.h"

namespace thalweg {

/// What cannot be brought there is added to `problems`.
void instantiate_functions(tensorflow::GraphDef& def, ImportProblems& problems);

}  // namespace thalweg
