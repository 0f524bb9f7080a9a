// A signature's graph made ready to be served: calls expanded, weights constants, so that passes
// can compute with them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "thalweg/passes/plan_graph.h"
#include "thalweg/runtime/session.h"

namespace thalweg {

/// The key of a VarHandleOp's state: its shared name, or its own.
std::string variable_name(const Node& handle);

/// The variables that a run for these tensors may write, itself or in functions that it calls.
std::set<std::string, std::less<>> written_variables(const Graph& graph,
                                                     const std::vector<Output>& fetches);

/// What `fetches` need of `graph`, with the functions that it calls in place of the calls and each
/// read of a variable in `values` replaced by a constant that shares the value's memory. Feeds keep
/// the shapes that the graph knows. A handle that goes into a loop or branch stays a variable.
PlanGraph frozen_graph(const Graph& graph, const std::vector<Output>& feeds,
                       const std::vector<Output>& fetches,
                       const std::map<std::string, Tensor, std::less<>>& values,
                       const SessionOptions& options);

}  // namespace thalweg
