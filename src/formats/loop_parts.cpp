#include "formats/loop_parts.h"

#include <set>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

void find_variables(const WireGraph& graph, const LoopFrame& frame, LoopParts& parts) {
  const std::set<int> enters_here(frame.enters.begin(), frame.enters.end());
  for (int id : frame.nodes) {
    if (graph[id].op() != "Merge") continue;
    LoopVariable variable{.merge = id};
    int enters = 0;
    for (const Edge& input : graph[id].inputs) {
      if (graph[input.node].op() == "NextIteration") variable.next = input.node;
      if (enters_here.count(input.node) == 0) continue;
      variable.initial = only_input(graph, input.node);
      ++enters;
    }
    if (variable.next < 0 && enters == 0) continue;  // of a cond inside
    if (variable.next < 0 || enters != 1 || graph[id].inputs.size() != 2) {
      throw invalid_argument("node `", graph[id].name(), "` of the loop `", frame.name,
                             "` is a Merge whose inputs are not one Enter and one NextIteration");
    }
    parts.variable_of[id] = static_cast<int>(parts.variables.size());
    parts.variables.push_back(variable);
  }
}

void find_condition(const WireGraph& graph, const LoopFrame& frame, LoopParts& parts) {
  for (int id : frame.nodes) {
    if (graph[id].op() != "LoopCond") continue;
    if (parts.condition >= 0) {
      throw invalid_argument("nodes `", graph[parts.condition].name(), "` and `", graph[id].name(),
                             "` are both the condition of the loop `", frame.name, "`");
    }
    parts.condition = id;
    only_input(graph, id);
  }
  if (parts.condition < 0) {
    throw invalid_argument("node `", graph[frame.enters.front()].name(), "` enters the loop `",
                           frame.name, "`, which has no LoopCond");
  }
}

}  // namespace

LoopParts find_loop_parts(const WireGraph& graph, const LoopFrame& frame) {
  LoopParts parts;
  find_variables(graph, frame, parts);
  find_condition(graph, frame, parts);
  return parts;
}

Edge only_input(const WireGraph& graph, int id) {
  const WireNode& node = graph[id];
  if (node.inputs.size() != 1) {
    throw invalid_argument("node `", node.name(), "` (", node.op(), ") has ", node.inputs.size(),
                           " inputs, expected 1");
  }
  return node.inputs[0];
}

}  // namespace thalweg
