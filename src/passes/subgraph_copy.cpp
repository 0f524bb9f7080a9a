#include "passes/subgraph_copy.h"

#include <algorithm>

#include "thalweg/graph/function.h"

namespace thalweg {
namespace {

size_t slot(const Node& node) { return static_cast<size_t>(node.id()); }

}  // namespace

SubgraphCopy::SubgraphCopy(const Graph& source, std::map<Output, Output> given)
    : source_(source),
      given_(std::move(given)),
      needed_(static_cast<size_t>(source.num_nodes()), false),
      extension_(static_cast<size_t>(source.num_nodes()), nullptr),
      done_(static_cast<size_t>(source.num_nodes()), false),
      copies_(static_cast<size_t>(source.num_nodes())) {}

// A loop hands its handles on as they are.
Output SubgraphCopy::resolve(Output old) const {
  while (old.dtype() == kResource && !given_.contains(old) &&
         (old.node()->type() == "While" || old.node()->type() == "StatelessWhile") &&
         old.index() < old.node()->num_inputs()) {
    old = old.node()->input(old.index());
  }
  return old;
}

// What control edges wait for in the place of a placeholder or an argument whose value is given;
// null for every other node. As in TensorFlow, a computed tensor that is given leaves its node to
// run for those who wait for it.
Node* SubgraphCopy::given_node(const Node& node) const {
  if (node.type() != "Placeholder" && node.type() != "_Arg") return nullptr;
  const auto it = given_.find(node.output());
  return it == given_.end() ? nullptr : it->second.node();
}

void SubgraphCopy::find_needed(const std::vector<Output>& outputs,
                               const std::vector<Node*>& nodes) {
  std::fill(needed_.begin(), needed_.end(), false);
  const auto need = [&](const Output& output) {
    const Output source = resolve(output);
    if (!given_.contains(source)) needed_[slot(*source.node())] = true;
  };
  const auto need_node = [&](const Node& node) {
    if (given_node(node) == nullptr) needed_[slot(node)] = true;
  };
  for (const Output& output : outputs) need(output);
  for (const Node* node : nodes) need_node(*node);
  for (int id = source_.num_nodes() - 1; id >= 0; --id) {
    const Node& node = source_.node(id);
    if (!needed_[slot(node)]) continue;
    if (extension_[slot(node)] != nullptr) {
      needed_[slot(node)] = false;
      continue;
    }
    for (const Output& input : node.inputs()) need(input);
    for (const Node* control : node.control_inputs()) need_node(*control);
  }
}

void SubgraphCopy::find_extensions() {
  // An extension has an extension of its own when second derivatives are taken; the last one that
  // is needed stands for all.
  for (int id = source_.num_nodes() - 1; id >= 0; --id) {
    const Node& node = source_.node(id);
    const AttrValue* extends = node.find_attr(kExtends);
    if (extends == nullptr) continue;
    const Node* last = extension_[slot(node)];
    if (last == nullptr && needed_[slot(node)]) last = &node;
    const Node* original = source_.find(std::get<std::string>(*extends));
    if (last != nullptr && original != nullptr) extension_[slot(*original)] = last;
  }
}

void SubgraphCopy::run(const std::vector<Output>& outputs, const std::vector<Node*>& nodes,
                       const Add& add) {
  find_needed(outputs, nodes);
  find_extensions();
  // Whoever needs a node that is extended needs the extension, which is needed already.
  find_needed(outputs, nodes);
  for (int id = 0; id < source_.num_nodes(); ++id) {
    const Node& node = source_.node(id);
    if (const Node* extension = extension_[slot(node)]) {
      emit(*extension, add);
      copies_[slot(node)] = copies_[slot(*extension)];
    } else if (needed_[slot(node)]) {
      emit(node, add);
    }
  }
}

void SubgraphCopy::emit(const Node& node, const Add& add) {
  if (done_[slot(node)]) return;
  done_[slot(node)] = true;
  std::vector<Output> inputs;
  for (const Output& input : node.inputs()) {
    const Output source = resolve(input);
    // Beside what it extends, an extension reads only what depends on nothing (empty lists).
    if (!given_.contains(source) && copies_[slot(*source.node())].outputs.empty())
      emit(*source.node(), add);
    inputs.push_back(output(source));
  }
  std::vector<Node*> controls;
  for (const Node* control : node.control_inputs()) {
    if (Node* copy = this->node(*control)) controls.push_back(copy);
  }
  copies_[slot(node)] = add(node, std::move(inputs), std::move(controls));
}

Output SubgraphCopy::output(const Output& old) const {
  const Output source = resolve(old);
  if (const auto it = given_.find(source); it != given_.end()) return it->second;
  const std::vector<Output>& outputs = copies_[slot(*source.node())].outputs;
  THALWEG_CHECK(static_cast<size_t>(source.index()) < outputs.size(), source.name(),
                " is used before it is computed");
  return outputs[static_cast<size_t>(source.index())];
}

Node* SubgraphCopy::node(const Node& old) const {
  Node* const given = given_node(old);
  return given != nullptr ? given : copies_[slot(old)].node;
}

}  // namespace thalweg
