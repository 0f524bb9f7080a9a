#include "formats/wire_graph.h"

#include <algorithm>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

const tensorflow::AttrValue* find(const tensorflow::NodeDef& def, const std::string& attr) {
  const auto found = def.attr().find(attr);
  return found == def.attr().end() ? nullptr : &found->second;
}

}  // namespace

tensorflow::DataType WireNode::type_attr(const std::string& attr) const {
  const auto* value = find(def, attr);
  return value == nullptr ? tensorflow::DT_INVALID : value->type();
}

bool WireNode::bool_attr(const std::string& attr) const {
  const auto* value = find(def, attr);
  return value != nullptr && value->b();
}

const std::string& WireNode::string_attr(const std::string& attr) const {
  static const std::string none;
  const auto* value = find(def, attr);
  return value == nullptr ? none : value->s();
}

void WireNode::become(std::string_view op) {
  def.set_op(std::string(op));
  def.clear_attr();
}

void WireNode::set_type(const std::string& attr, tensorflow::DataType type) {
  (*def.mutable_attr())[attr].set_type(type);
}

void WireNode::add_control(int node) {
  if (std::find(controls.begin(), controls.end(), node) == controls.end()) {
    controls.push_back(node);
  }
}

WireGraph::WireGraph(NodeDefs nodes) {
  for (tensorflow::NodeDef& def : nodes) {
    if (!by_name_.emplace(def.name(), size()).second) {
      throw invalid_argument("two nodes are named `", def.name(), "`");
    }
    nodes_.emplace_back().def = std::move(def);
  }
  for (WireNode& node : nodes_) {
    for (const std::string& text : node.def.input()) {
      const InputName input = parse_input_name(text);
      const auto found = by_name_.find(std::string(input.node));
      if (found == by_name_.end() || !input.output.empty()) {
        throw invalid_argument("node `", node.name(), "` has the input `", text,
                               "`, but the graph has no such node");
      }
      if (input.is_control) {
        node.add_control(found->second);
      } else {
        node.inputs.push_back({found->second, input.index});
      }
    }
    node.def.clear_input();
  }
}

std::string WireGraph::unique_name(std::string_view base) {
  std::string name(base);
  if (by_name_.count(name) == 0) return name;
  int& number = numbers_[name];
  do {
    name = str(base, "_", ++number);
  } while (by_name_.count(name) != 0);
  return name;
}

int WireGraph::add(std::string_view op, std::string_view base, std::vector<Edge> inputs) {
  const int id = size();
  WireNode& node = nodes_.emplace_back();
  node.def.set_name(unique_name(base));
  node.def.set_op(std::string(op));
  node.inputs = std::move(inputs);
  by_name_.emplace(node.name(), id);
  return id;
}

int WireGraph::add_copy(const WireNode& node) {
  const int id = size();
  WireNode& copy = nodes_.emplace_back();
  copy.def = node.def;
  copy.def.set_name(unique_name(node.name()));
  by_name_.emplace(copy.name(), id);
  return id;
}

std::vector<std::vector<int>> WireGraph::consumers() const {
  std::vector<std::vector<int>> consumers(nodes_.size());
  for (int id = 0; id < size(); ++id) {
    const WireNode& node = (*this)[id];
    if (node.removed) continue;
    for (const Edge& edge : node.inputs) consumers[static_cast<size_t>(edge.node)].push_back(id);
    for (int control : node.controls) consumers[static_cast<size_t>(control)].push_back(id);
  }
  return consumers;
}

std::vector<int> WireGraph::topological_order() const {
  const auto consumers = this->consumers();
  std::vector<size_t> waiting(nodes_.size(), 0);
  std::vector<int> order;
  size_t living = 0;
  for (int id = 0; id < size(); ++id) {
    const WireNode& node = (*this)[id];
    if (node.removed) continue;
    ++living;
    waiting[static_cast<size_t>(id)] = node.inputs.size() + node.controls.size();
    if (waiting[static_cast<size_t>(id)] == 0) order.push_back(id);
  }
  for (size_t next = 0; next < order.size(); ++next) {
    for (int consumer : consumers[static_cast<size_t>(order[next])]) {
      if (--waiting[static_cast<size_t>(consumer)] == 0) order.push_back(consumer);
    }
  }
  if (order.size() < living) {
    for (int id = 0; id < size(); ++id) {
      if ((*this)[id].removed || waiting[static_cast<size_t>(id)] == 0) continue;
      throw invalid_argument("node `", (*this)[id].name(),
                             "` waits for itself: it stands in, or behind, a cycle that is no loop "
                             "of Enter, Merge, Switch and NextIteration");
    }
  }
  return order;
}

NodeDefs WireGraph::take_nodes() {
  const auto name_of = [&](const WireNode& reader, int id) -> const std::string& {
    const WireNode& node = (*this)[id];
    THALWEG_CHECK(!node.removed, "`", reader.name(), "` reads `", node.name(),
                  "`, which is no more");
    return node.name();
  };
  for (WireNode& node : nodes_) {
    if (node.removed) continue;
    for (const Edge& edge : node.inputs) {
      const std::string& name = name_of(node, edge.node);
      node.def.add_input(edge.output == 0 ? name : str(name, ":", edge.output));
    }
    for (int control : node.controls) node.def.add_input("^" + name_of(node, control));
  }
  NodeDefs result;
  for (WireNode& node : nodes_) {
    if (!node.removed) *result.Add() = std::move(node.def);
  }
  return result;
}

}  // namespace thalweg
