// The rewrites that bring a TensorFlow 1 graph into functional form, in the order in which
// functionalize() applies them. Each leaves a legal graph; each throws invalid_argument or
// unimplemented naming the node that it cannot bring along.
#pragma once

#include <string_view>

#include "formats/function_body.h"

namespace thalweg {

/// Tables, queues and readers whose handles are references to strings become those whose handles
/// are resources: HashTable -> HashTableV2, FIFOQueue -> FIFOQueueV2 ...
void convert_tables(WireGraph& graph);
/// Whether `op` makes such a handle.
bool makes_old_handle(std::string_view op);

/// Reference variables become resource variables: VariableV2 -> VarHandleOp, Assign ->
/// AssignVariableOp, ApplyAdam -> ResourceApplyAdam ...; values are read where TensorFlow reads
/// them. What a node's name gave as a value it still gives.
void convert_variables(WireGraph& graph);

/// TensorArrays become lists: the flow, which ordered reads and writes, is the list itself.
void convert_tensor_arrays(WireGraph& graph);

/// Enter, Merge, Switch, NextIteration and Exit become While. An Exit keeps its name.
void functionalize_loops(WireGraph& graph, FunctionWriter& functions, const OpFacts& facts);

/// The Switches and Merges that are left become If. A Merge keeps its name.
void functionalize_conds(FunctionBody& body, FunctionWriter& functions, const OpFacts& facts);

}  // namespace thalweg
