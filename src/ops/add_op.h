// The step that nearly every builder function is: one node, its first output.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// Output 0 of a new node in the graph of its first input.
inline Output add_op(std::string_view op, std::vector<Output> inputs, AttrMap attrs = {},
                     std::string name = {}) {
  if (inputs.empty() || !inputs[0])
    throw invalid_argument(op, ": its first input is an Output of no graph");
  Graph& graph = inputs[0].graph();
  return graph.add(op, std::move(inputs), std::move(attrs), {.name = std::move(name)}).output();
}

}  // namespace thalweg
