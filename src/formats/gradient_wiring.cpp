#include "formats/gradient_wiring.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "formats/thread_lists.h"

namespace thalweg {
namespace {

void drop_triggers(WireGraph& graph) {
  for (int id = 0; id < graph.size(); ++id) {
    if (graph[id].op() != "ControlTrigger") continue;
    std::vector<int> kept;
    for (int control : graph[id].controls) {
      if (!is_list_op(graph[control].op())) kept.push_back(control);
    }
    for (int other = 0; other < graph.size(); ++other) {
      if (std::erase(graph[other].controls, id) == 0) continue;
      for (int control : kept) graph[other].add_control(control);
    }
    graph[id].removed = true;
  }
}

// An edge as it is outside of the loops that it came into as a constant.
Edge outside(const WireGraph& graph, Edge edge) {
  while ((graph[edge.node].op() == "Enter" || graph[edge.node].op() == "Identity") &&
         graph[edge.node].inputs.size() == 1) {
    edge = graph[edge.node].inputs[0];
  }
  return edge;
}

// Switch(Enter(Switch(x, p):1), Enter(p)):1 is what it takes: the loop runs only where p holds.
void drop_repeated_switches(WireGraph& graph) {
  std::map<Edge, Edge> same;
  for (int id = 0; id < graph.size(); ++id) {
    const WireNode& node = graph[id];
    if (node.op() != "Switch" || node.inputs.size() != 2) continue;
    if (graph[node.inputs[0].node].op() != "Enter") continue;
    const Edge taken = outside(graph, node.inputs[0]);
    const WireNode& chooser = graph[taken.node];
    if (chooser.op() != "Switch" || chooser.inputs.size() != 2) continue;
    if (outside(graph, node.inputs[1]) == outside(graph, chooser.inputs[1]))
      same[{id, taken.output}] = node.inputs[0];
  }
  if (same.empty()) return;
  for (int id = 0; id < graph.size(); ++id) {
    for (Edge& edge : graph[id].inputs) {
      const auto found = same.find(edge);
      if (found != same.end()) edge = found->second;
    }
  }
}

}  // namespace

void drop_gradient_wiring(WireGraph& graph) {
  bool any = false;
  for (int id = 0; id < graph.size(); ++id) any = any || graph[id].op() == "StackV2";
  if (!any) return;
  drop_triggers(graph);
  drop_repeated_switches(graph);
}

void drop_lost_colocations(google::protobuf::RepeatedPtrField<tensorflow::NodeDef>& nodes) {
  std::set<std::string> names;
  for (const auto& node : nodes) names.insert("loc:@" + node.name());
  for (auto& node : nodes) {
    const auto found = node.mutable_attr()->find("_class");
    if (found == node.mutable_attr()->end()) continue;
    auto& wishes = *found->second.mutable_list()->mutable_s();
    wishes.erase(std::remove_if(wishes.begin(), wishes.end(),
                                [&](const std::string& wish) { return names.count(wish) == 0; }),
                 wishes.end());
    if (wishes.empty()) node.mutable_attr()->erase(found);
  }
}

}  // namespace thalweg
