#include "formats/lone_effects.h"

#include <map>
#include <numeric>

namespace thalweg {
namespace {

// The side whose predicate is itself computed in all the other branches.
Side innermost(const BranchContexts& contexts, const Context& context) {
  const Side* best = &*context.begin();
  for (const Side& side : context) {
    if (contexts.of(side.predicate.node).size() > contexts.of(best->predicate.node).size()) {
      best = &side;
    }
  }
  return *best;
}

}  // namespace

std::vector<LoneEffects> find_lone_effects(const WireGraph& graph, const BranchContexts& contexts,
                                           const OpFacts& facts, const std::set<int>& copied,
                                           size_t depth) {
  const auto size = static_cast<size_t>(graph.size());
  std::vector<int> group(size);  // a node of the same group, at last its smallest
  std::iota(group.begin(), group.end(), 0);
  const auto root = [&](int id) {
    while (group[static_cast<size_t>(id)] != id) id = group[static_cast<size_t>(id)];
    return id;
  };
  std::vector<char> affected(size, 0);
  std::vector<char> followed(size, 0);
  std::vector<int> found;
  for (int id : graph.topological_order()) {
    const WireNode& node = graph[id];
    if (contexts.of(id).size() != depth || copied.count(id) != 0) continue;
    if (node.op() == "Switch" || node.op() == "Merge") continue;
    bool is_affected = facts.has_effect(node);
    const auto follow = [&](int earlier) {
      if (affected[static_cast<size_t>(earlier)] == 0) return;
      is_affected = true;
      followed[static_cast<size_t>(earlier)] = 1;
      group[static_cast<size_t>(root(earlier))] = root(id);
    };
    for (const Edge& edge : node.inputs) follow(edge.node);
    for (int control : node.controls) follow(control);
    if (!is_affected) continue;
    affected[static_cast<size_t>(id)] = 1;
    found.push_back(id);
  }

  std::map<int, LoneEffects> groups;
  for (int id : found) {
    if (followed[static_cast<size_t>(id)] != 0) continue;
    LoneEffects& effects = groups[root(id)];
    if (effects.last.empty()) {
      effects.side = innermost(contexts, contexts.of(id));
      effects.context = contexts.of(id);
      effects.context.erase(effects.side);
    }
    effects.last.push_back(id);
  }
  std::vector<LoneEffects> result;
  for (auto& [id, effects] : groups) result.push_back(std::move(effects));
  return result;
}

}  // namespace thalweg
