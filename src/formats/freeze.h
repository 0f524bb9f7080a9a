// Variables of a GraphDef made constants.
#pragma once

#include <map>
#include <string>

#include "proto/graph.pb.h"
#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// The key of a VarHandleOp's state: its shared name, or its own.
std::string variable_of(const tensorflow::NodeDef& handle);

/// Each handle becomes a constant of the same name, each read of it an Identity. Throws
/// failed_precondition for a variable without a value, unimplemented for an op that needs a
/// variable (an assignment, a call that takes the handle).
void freeze_variables(const std::map<std::string, Tensor>& values, tensorflow::GraphDef& def);

}  // namespace thalweg
