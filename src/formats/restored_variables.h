// Which variable of a graph takes which tensor of its checkpoint, read off the nodes that would
// restore it: so a model can be restored without running them.
#pragma once

#include <map>
#include <string>

#include "proto/graph.pb.h"
#include "thalweg/formats/saved_model.h"

namespace thalweg {

/// By the node of the variable (a VariableV2) or of its handle (a VarHandleOp).
std::map<std::string, MetaGraph::Restored> restored_variables(const tensorflow::GraphDef& def);

}  // namespace thalweg
