#include "formats/handle_flow.h"

#include <array>

namespace thalweg {

std::string_view passing_op(std::string_view op) {
  static constexpr std::array<std::string_view, 6> kOps = {"Enter", "Exit",          "Switch",
                                                           "Merge", "NextIteration", "Identity"};
  if (op.starts_with("Ref")) op.remove_prefix(3);
  for (std::string_view known : kOps) {
    if (op == known) return known;
  }
  return {};
}

int passed_outputs(const WireNode& node) { return passing_op(node.op()) == "Switch" ? 2 : 1; }

bool passes_input(const WireNode& node, size_t input) {
  return passing_op(node.op()) == "Merge" || input == 0;
}

std::map<Edge, Edge> follow(const WireGraph& graph, const std::vector<Edge>& sources,
                            const std::function<bool(const WireNode&)>& passes) {
  const auto consumers = graph.consumers();
  std::map<Edge, Edge> found;
  std::vector<Edge> open;
  for (const Edge& source : sources) {
    found.emplace(source, source);
    open.push_back(source);
  }
  while (!open.empty()) {
    const Edge edge = open.back();
    open.pop_back();
    for (int id : consumers[static_cast<size_t>(edge.node)]) {
      const WireNode& node = graph[id];
      if (!passes(node)) continue;
      bool carries = false;
      for (size_t i = 0; i < node.inputs.size(); ++i) {
        carries = carries || (node.inputs[i] == edge && passes_input(node, i));
      }
      if (!carries) continue;
      for (int output = 0; output < passed_outputs(node); ++output) {
        if (found.emplace(Edge{id, output}, found.at(edge)).second) open.push_back({id, output});
      }
    }
  }
  return found;
}

}  // namespace thalweg
