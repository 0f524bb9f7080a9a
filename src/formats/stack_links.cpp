#include "formats/stack_links.h"

#include "formats/handle_flow.h"

namespace thalweg {
namespace {

bool passes_on(const WireNode& node) { return !passing_op(node.op()).empty(); }

}  // namespace

StackLinks::StackLinks(const WireGraph& graph) : graph_(graph) {
  std::map<int, int> held;  // the stack whose handle lies on another one, by that
  std::map<Edge, int> sources;
  for (int id = 0; id < graph.size(); ++id) {
    if (graph[id].op() != "StackV2") continue;
    stacks_.push_back(id);
    pops_[id];
    pushes_[id];
    sources[{id, 0}] = id;
  }
  if (stacks_.empty()) return;
  for (size_t known = 0; known < sources.size();) {
    known = sources.size();
    std::vector<Edge> edges;
    for (const auto& [edge, stack] : sources) edges.push_back(edge);
    for (const auto& [edge, source] : follow(graph, edges, passes_on))
      handles_[edge] = sources.at(source);
    for (int id = 0; id < graph.size(); ++id) {
      if (graph[id].op() != "StackPushV2" || graph[id].inputs.size() != 2) continue;
      const auto item = handles_.find(graph[id].inputs[1]);
      if (stack_of(id) >= 0 && item != handles_.end()) held[stack_of(id)] = item->second;
    }
    for (int id = 0; id < graph.size(); ++id) {
      if (graph[id].op() != "StackPopV2") continue;
      const auto item = held.find(stack_of(id));
      if (item != held.end()) sources[{id, 0}] = item->second;
    }
  }
  for (int id = 0; id < graph.size(); ++id) {
    const int stack = stack_of(id);
    if (stack < 0) continue;
    if (graph[id].op() == "StackPopV2") pops_[stack].push_back(id);
    if (graph[id].op() == "StackPushV2" && graph[id].inputs.size() == 2)
      pushes_[stack].push_back(id);
  }
}

int StackLinks::stack_of(int user) const {
  const WireNode& node = graph_[user];
  if (node.inputs.empty()) return -1;
  const auto found = handles_.find(node.inputs[0]);
  return found == handles_.end() ? -1 : found->second;
}

Followed follow_through_stacks(const WireGraph& graph, const std::vector<Edge>& sources,
                               const std::function<bool(const WireNode&)>& passes,
                               const StackLinks& links) {
  Followed result;
  for (const Edge& source : sources) result.origin.emplace(source, source);
  for (size_t known = 0; known < result.origin.size();) {
    known = result.origin.size();
    std::vector<Edge> from;
    for (const auto& [source, origin] : result.origin) from.push_back(source);
    result.edges = follow(graph, from, passes);
    for (int stack : links.stacks()) {
      for (int push : links.pushes(stack)) {
        const auto item = result.edges.find(graph[push].inputs[1]);
        if (item == result.edges.end()) continue;
        for (int pop : links.pops(stack))
          result.origin.emplace(Edge{pop, 0}, result.origin.at(item->second));
      }
    }
  }
  return result;
}

}  // namespace thalweg
