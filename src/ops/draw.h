// The step that builder functions of random ops share.
#pragma once

#include "thalweg/ops/random.h"

namespace thalweg {

/// Adds a node that draws, with seeds as RandomOptions tells, and returns it. Without a seed, one
/// that stays the same from run to run of the program is derived from the graph's seed and the
/// name, and differs from node to node.
Node& draw(Graph& graph, std::string_view op, std::vector<Output> inputs, AttrMap attrs,
           const RandomOptions& options);

}  // namespace thalweg
