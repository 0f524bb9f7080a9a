// Follows a tensor through the nodes that only pass it on: into loops, through branches.
#pragma once

#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "formats/wire_graph.h"

namespace thalweg {

/// "Enter", "Switch", "Identity" ... for these and for their Ref forms; "" for any other op.
std::string_view passing_op(std::string_view op);

/// How many of a passing node's outputs carry its input: 2 of a Switch, else 1.
int passed_outputs(const WireNode& node);
/// Whether an input of a passing node is passed on: all but the predicate of a Switch.
bool passes_input(const WireNode& node, size_t input);

/// Every edge that carries what an edge of `sources` carries, with that source. `passes` says which
/// nodes pass it on.
std::map<Edge, Edge> follow(const WireGraph& graph, const std::vector<Edge>& sources,
                            const std::function<bool(const WireNode&)>& passes);

}  // namespace thalweg
