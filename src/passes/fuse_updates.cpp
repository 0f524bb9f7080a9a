// fuse_updates: all updates of one optimizer become one pass over all its variables.
#include <algorithm>
#include <map>
#include <set>

#include "passes/pass_list.h"
#include "thalweg/graph/function.h"
#include "thalweg/graph/resource_key.h"
#include "thalweg/passes/rewriter.h"

namespace thalweg {
namespace {

bool is_update(const Node& node) {
  return node.effect() == Effect::kWrites && node.num_outputs() == 0 &&
         (node.type().starts_with("ResourceApply") || node.type().starts_with("_ResourceApply"));
}

// What the updates of one group share: op, element type, and attributes that change the formula.
std::string group_key(const Node& node) {
  std::string key = str(node.type(), ' ', node.attr<DType>("T"), ' ', node.device());
  for (std::string_view attr : {"use_nesterov", "update_slots", "multiply_linear_by_lr"}) {
    if (const AttrValue* value = node.find_attr(attr))
      append(key, str(' ', std::get<bool>(*value)));
  }
  return key;
}

class FuseUpdates : public Rewriter {
 public:
  explicit FuseUpdates(const PlanGraph& source) : Rewriter(source) {
    const Graph& graph = *source.graph;
    std::map<std::string, std::vector<const Node*>> groups;
    for (int id = 0; id < graph.num_nodes(); ++id) {
      if (is_update(graph.node(id))) groups[group_key(graph.node(id))].push_back(&graph.node(id));
    }
    for (auto& [key, nodes] : groups) {
      if (nodes.size() < 2 || !may_move_to_last(graph, nodes)) continue;
      for (const Node* node : nodes) group_of_[node] = nodes;
    }
  }

 protected:
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    const auto it = group_of_.find(&node);
    if (it == group_of_.end()) return copy(node, inputs);
    const std::vector<const Node*>& group = it->second;
    if (&node != group.back()) return {};
    std::vector<Output> args;
    std::vector<DType> types;
    for (const Node* member : group) {
      for (const Output& input : member->inputs()) {
        args.push_back(mapped(input));
        types.push_back(input.dtype());
      }
    }
    AttrMap attrs = {{"op", std::string(node.type())},
                     {"num_updates", static_cast<int64_t>(group.size())},
                     {"Targs", std::move(types)}};
    for (std::string_view attr : {"use_nesterov", "update_slots", "multiply_linear_by_lr"}) {
      if (const AttrValue* value = node.find_attr(attr)) attrs.emplace(std::string(attr), *value);
    }
    replace_all(group, "_FusedResourceApply", std::move(args), std::move(attrs));
    return {};
  }

 private:
  using Keys = std::set<std::string>;

  // The updates run together, and side by side, where the last stood: none may share a variable or
  // a slot with another, and nothing in between may touch these or wait for an update. Handles are
  // told apart by what they stand for, since several nodes may name one variable.
  static bool may_move_to_last(const Graph& graph, const std::vector<const Node*>& group) {
    const auto in_group = [&](const Node* node) {
      return std::find(group.begin(), group.end(), node) != group.end();
    };
    Keys changed;
    for (const Node* member : group) {
      for (const Output& input : member->inputs()) {
        if (input.dtype() != kResource) continue;
        std::string key = resource_key(*handle_origin(input));
        if (key.empty() || !changed.insert(std::move(key)).second) return false;
      }
    }
    for (int id = group.front()->id(); id <= group.back()->id(); ++id) {
      const Node& node = graph.node(id);
      const auto& controls = node.control_inputs();
      if (std::any_of(controls.begin(), controls.end(), in_group)) return false;
      if (!in_group(&node) && touches(node, changed)) return false;
    }
    return true;
  }

  // Whether the node may read or write one of these resources, itself or in a function that it
  // calls.
  static bool touches(const Node& node, const Keys& resources) {
    const auto is_one = [&](const Node& handle) {
      const std::string key = resource_key(handle);
      return key.empty() || resources.contains(key);
    };
    for (const Output& input : node.inputs()) {
      if (input.dtype() == kResource && is_one(*handle_origin(input))) return true;
    }
    if (function_calls(node).empty()) return false;
    for (const auto& [handle, use] : effects_of(node).handles) {
      if ((use.is_read || use.is_written) && is_one(*handle)) return true;
    }
    return false;
  }

  std::map<const Node*, std::vector<const Node*>> group_of_;
};

}  // namespace

PlanGraph fuse_updates(const PlanGraph& source, const PassContext&) {
  return FuseUpdates(source).run();
}

}  // namespace thalweg
