#include "formats/branch_contexts.h"

#include <algorithm>

#include "thalweg/base/error.h"

namespace thalweg {

BranchContexts::BranchContexts(const WireGraph& graph) : graph_(graph) {
  nodes_.assign(static_cast<size_t>(graph.size()), &*pool_.insert(Context()).first);
  for (int id : graph.topological_order()) compute(id);
}

void BranchContexts::set(int node, const Context& context) {
  const auto place = static_cast<size_t>(node);
  if (nodes_.size() <= place) nodes_.resize(place + 1, &*pool_.insert(Context()).first);
  nodes_[place] = &*pool_.insert(context).first;
}

Edge BranchContexts::predicate(const WireNode& node) const {
  Edge edge = node.inputs.at(1);
  while (graph_[edge.node].op() == "Identity" && graph_[edge.node].inputs.size() == 1) {
    edge = graph_[edge.node].inputs[0];
  }
  return edge;
}

const Context* BranchContexts::unite(const Context* a, const Context* b) {
  if (a == b || std::includes(a->begin(), a->end(), b->begin(), b->end())) return a;
  Context both = *a;
  both.insert(b->begin(), b->end());
  return &*pool_.insert(std::move(both)).first;
}

const Context& BranchContexts::of(const Edge& edge) {
  const WireNode& node = graph_[edge.node];
  if (node.op() != "Switch") return of(edge.node);
  Context context = of(edge.node);
  context.insert({predicate(node), edge.output == 1});
  return *pool_.insert(std::move(context)).first;
}

void BranchContexts::compute(int id) {
  const WireNode& node = graph_[id];
  if (node.op() == "Switch" && node.inputs.size() != 2) {
    throw invalid_argument("node `", node.name(), "` is a Switch with ", node.inputs.size(),
                           " inputs, expected 2");
  }
  if (node.op() == "Merge") {
    nodes_[static_cast<size_t>(id)] = merge_context(id);
    return;
  }
  const Context* context = nodes_[static_cast<size_t>(id)];
  for (const Edge& edge : node.inputs) context = unite(context, &of(edge));
  for (int control : node.controls) context = unite(context, &of(control));
  nodes_[static_cast<size_t>(id)] = context;
  refuse_contradiction(id);
}

void BranchContexts::refuse_contradiction(int id) const {
  const Context& context = of(id);
  for (auto side = context.begin(); side != context.end(); ++side) {
    const auto next = std::next(side);
    if (next == context.end() || next->predicate != side->predicate) continue;
    throw invalid_argument("node `", graph_[id].name(), "` needs both branches of the predicate `",
                           graph_[side->predicate.node].name(), "` at once and can never run");
  }
}

const Context* BranchContexts::merge_context(int id) {
  const WireNode& node = graph_[id];
  if (node.inputs.size() != 2) {
    throw unimplemented("node `", node.name(), "` is a Merge of ", node.inputs.size(),
                        " inputs; only those of the two branches of a predicate are supported");
  }
  const Context& first = of(node.inputs[0]);
  const Context& second = of(node.inputs[1]);
  for (const Side& side : second) {
    const Side opposite{side.predicate, !side.taken};
    if (first.count(opposite) == 0) continue;
    Context common = first;
    common.erase(opposite);
    Context other = second;
    other.erase(side);
    if (common != other) continue;
    merges_.push_back({id, {side.predicate, side.taken ? 1 : 0}});
    return &*pool_.insert(std::move(common)).first;
  }
  throw unimplemented("node `", node.name(), "` merges `", graph_[node.inputs[0].node].name(),
                      "` and `", graph_[node.inputs[1].node].name(),
                      "`, which are not the two branches of one predicate");
}

}  // namespace thalweg
