#include "thalweg/passes/rewriter.h"

#include <algorithm>

namespace thalweg {
namespace {

// What stands for a node must look like it, as far as its shapes are known.
void check_replacement(const Node& node, const std::vector<Output>& outputs) {
  const size_t count = std::min(outputs.size(), static_cast<size_t>(node.num_outputs()));
  for (size_t i = 0; i < count; ++i) {
    if (!outputs[i]) continue;
    const Output old = node.output(static_cast<int>(i));
    if (outputs[i].dtype() != old.dtype() || !outputs[i].shape().is_compatible_with(old.shape())) {
      throw internal_error(node, " output ", i, " is ", old.dtype(), old.shape(),
                           ", but the pass puts ", outputs[i].name(), " in its place, which is ",
                           outputs[i].dtype(), outputs[i].shape());
    }
  }
}

}  // namespace

Rewriter::Rewriter(const PlanGraph& source) : source_(source) {
  const auto count = static_cast<size_t>(source.graph->num_nodes());
  map_.resize(count);
  node_map_.resize(count, nullptr);
  pinned_.resize(count, false);
  for (size_t id = 0; id < count; ++id) {
    const Node& node = source.graph->node(static_cast<int>(id));
    consumers_.emplace_back(static_cast<size_t>(node.num_outputs()));
    fetched_.emplace_back(static_cast<size_t>(node.num_outputs()), false);
    for (const Output& input : node.inputs()) {
      consumers_[static_cast<size_t>(input.node()->id())][static_cast<size_t>(input.index())]
          .push_back(&node);
    }
    for (const Node* control : node.control_inputs())
      pinned_[static_cast<size_t>(control->id())] = true;
  }
  for (const Output& fetch : source.fetches) {
    fetched_[static_cast<size_t>(fetch.node()->id())][static_cast<size_t>(fetch.index())] = true;
  }
  for (const Node* target : source.targets) pinned_[static_cast<size_t>(target->id())] = true;
  result_.graph =
      std::make_unique<Graph>(source.graph->registry(), source.graph->shared_functions());
  result_.graph->set_seed(source.graph->seed());
}

PlanGraph Rewriter::run() {
  for (int id = 0; id < source_.graph->num_nodes(); ++id) {
    const Node& node = source_.graph->node(id);
    std::vector<Output> inputs;
    inputs.reserve(static_cast<size_t>(node.num_inputs()));
    for (const Output& input : node.inputs()) {
      const auto& outputs = map_[static_cast<size_t>(input.node()->id())];
      // The producer was dropped or swallowed by a fused node to come: only a node that is dropped
      // as well may miss it.
      inputs.push_back(outputs.empty() ? Output() : outputs[static_cast<size_t>(input.index())]);
    }
    const auto slot = static_cast<size_t>(id);
    const int before = target().num_nodes();
    map_[slot] = rewrite(node, inputs);
    check_replacement(node, map_[slot]);
    if (node_map_[slot] == nullptr) {
      // Control edges wait for the node that stands for this one.
      if (!map_[slot].empty() && map_[slot][0]) {
        node_map_[slot] = map_[slot][0].node();
      } else if (target().num_nodes() > before) {
        node_map_[slot] = &target().node(target().num_nodes() - 1);
      }
    }
  }
  for (const Output& feed : source_.feeds) result_.feeds.push_back(mapped(feed));
  for (const Output& fetch : source_.fetches) result_.fetches.push_back(mapped(fetch));
  for (const Node* node : source_.targets) {
    Node* target_node = node_map_[static_cast<size_t>(node->id())];
    THALWEG_CHECK(target_node != nullptr, "target ", *node, " was dropped");
    result_.targets.push_back(target_node);
  }
  return std::move(result_);
}

std::vector<Output> Rewriter::rewrite(const Node& node, const std::vector<Output>& inputs) {
  return copy(node, inputs);
}

std::vector<Output> Rewriter::copy(const Node& node, const std::vector<Output>& inputs) {
  Node& result = target().add(
      node.type(), inputs, node.attrs(),
      {.name = node.name(), .device = node.device(), .control_inputs = mapped_controls(node)});
  node_map_[static_cast<size_t>(node.id())] = &result;
  std::vector<Output> outputs;
  for (int i = 0; i < result.num_outputs(); ++i) outputs.push_back(result.output(i));
  return outputs;
}

Node& Rewriter::replace(const Node& node, std::string_view op, std::vector<Output> inputs,
                        AttrMap attrs, std::string_view name) {
  Node& result =
      target().add(op, std::move(inputs), std::move(attrs),
                   {.name = std::string(name.empty() ? std::string_view(node.name()) : name),
                    .device = node.device(),
                    .control_inputs = mapped_controls(node)});
  node_map_[static_cast<size_t>(node.id())] = &result;
  return result;
}

Node& Rewriter::replace_all(const std::vector<const Node*>& nodes, std::string_view op,
                            std::vector<Output> inputs, AttrMap attrs) {
  const Node& last = *nodes.back();
  std::vector<Node*> controls;
  for (const Node* node : nodes) {
    const std::vector<Node*> more = mapped_controls(*node);
    controls.insert(controls.end(), more.begin(), more.end());
  }
  Node& result = target().add(
      op, std::move(inputs), std::move(attrs),
      {.name = last.name(), .device = last.device(), .control_inputs = std::move(controls)});
  for (const Node* node : nodes) node_map_[static_cast<size_t>(node->id())] = &result;
  return result;
}

Output Rewriter::constant(const Node& near, Tensor value) {
  const DType dtype = value.dtype();
  return target()
      .add("Const", {}, {{"dtype", dtype}, {"value", std::move(value)}}, {.name = near.name()})
      .output();
}

std::vector<Node*> Rewriter::mapped_controls(const Node& node) const {
  std::vector<Node*> controls;
  for (const Node* control : node.control_inputs()) {
    if (Node* there = node_map_[static_cast<size_t>(control->id())]) controls.push_back(there);
  }
  return controls;
}

Output Rewriter::mapped(const Output& old) const {
  const auto& outputs = map_[static_cast<size_t>(old.node()->id())];
  THALWEG_CHECK(!outputs.empty() && outputs[static_cast<size_t>(old.index())], old.name(),
                " is gone but still in use");
  return outputs[static_cast<size_t>(old.index())];
}

const std::vector<const Node*>& Rewriter::consumers(const Output& old) const {
  return consumers_[static_cast<size_t>(old.node()->id())][static_cast<size_t>(old.index())];
}

bool Rewriter::is_fetched(const Output& old) const {
  return fetched_[static_cast<size_t>(old.node()->id())][static_cast<size_t>(old.index())];
}

bool Rewriter::is_pinned(const Node& node) const { return pinned_[static_cast<size_t>(node.id())]; }

bool Rewriter::has_single_use(const Node& node) const {
  if (is_pinned(node)) return false;
  size_t uses = 0;
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (is_fetched(node.output(i))) return false;
    uses += consumers(node.output(i)).size();
  }
  return uses == 1;
}

const Tensor* constant_value(const Output& output) {
  if (!output || output.node()->type() != "Const") return nullptr;
  return &output.node()->attr<Tensor>("value");
}

}  // namespace thalweg
