#include "formats/node_import.h"

#include <utility>

#include "formats/function_import.h"
#include "formats/node_names.h"

namespace thalweg {

std::pair<int, int> output_range(const Node& node, std::string_view name) {
  int begin = 0;
  for (const ArgSchema& arg : node.op().outputs) {
    int count = 1;
    if (!arg.number_attr.empty()) {
      count = static_cast<int>(node.attr<int64_t>(arg.number_attr));
    } else if (!arg.type_list_attr.empty()) {
      count = static_cast<int>(node.attr<std::vector<DType>>(arg.type_list_attr).size());
    }
    if (arg.name == name) return {begin, begin + count};
    begin += count;
  }
  throw invalid_argument(node, " has no output `", name, "`");
}

NodeImporter::NodeImporter(Graph& graph, AttrImporter& attrs, ImportProblems& problems,
                           const std::set<std::string>& broken, std::string place)
    : graph_(graph),
      attrs_(attrs),
      problems_(problems),
      broken_(broken),
      place_(std::move(place)) {}

void NodeImporter::add_argument(const std::string& name, Output output) {
  arguments_[name] = output;
}

std::string NodeImporter::where(const tensorflow::NodeDef& def) const {
  return str("node `", def.name(), "`", place_);
}

Node* NodeImporter::find_node(std::string_view name) const {
  const std::string key(name);
  if (const auto it = nodes_.find(key); it != nodes_.end()) return it->second;
  if (const auto it = arguments_.find(key); it != arguments_.end()) return it->second.node();
  throw invalid_argument("there is no node `", name, "`", place_);
}

Output NodeImporter::find(std::string_view text) const {
  const InputName name = parse_input_name(text);
  if (const auto it = arguments_.find(std::string(name.node)); it != arguments_.end()) {
    return it->second;
  }
  const Node* const node = find_node(name.node);
  if (node == nullptr) return {};
  int index = name.index;
  if (!name.output.empty()) {
    const auto [begin, end] = output_range(*node, name.output);
    index += begin;
    if (index >= end) {
      throw out_of_range(*node, " has ", end - begin, " tensors in its output `", name.output,
                         "`; number ", name.index, " was asked for");
    }
  }
  return node->output(index);
}

void NodeImporter::add_all(const NodeDefs& nodes) {
  for (int i : topological_order(nodes)) add(nodes.Get(i));
}

void NodeImporter::add(const tensorflow::NodeDef& def) {
  nodes_[def.name()] = nullptr;
  const OpSchema* const op = graph_.registry().find(def.op());
  if (op == nullptr) {
    problems_.unknown_op(def.op(), where(def));
    return;
  }
  const size_t before = problems_.total();
  AttrMap attrs = attrs_.read(def, *op, where(def));
  if (problems_.total() != before || calls_any(def, broken_)) return;
  try {
    add_checked(def, *op, std::move(attrs));
  } catch (const Error& error) {
    problems_.node(str(where(def), ": ", error.message()));
  }
}

void NodeImporter::add_checked(const tensorflow::NodeDef& def, const OpSchema& op, AttrMap attrs) {
  std::vector<Output> inputs;
  NodeOptions options{.name = def.name(), .device = def.device(), .full_name = true};
  for (const std::string& text : def.input()) {
    const InputName name = parse_input_name(text);
    if (name.is_control) {
      Node* const node = find_node(name.node);
      if (node == nullptr) return;
      options.control_inputs.push_back(node);
      continue;
    }
    inputs.push_back(find(text));
    if (!inputs.back()) return;
  }
  options.name = graph_.unique_name(legal_node_name(def.name()));
  nodes_[def.name()] =
      &graph_.add(op.name, std::move(inputs), std::move(attrs), std::move(options));
}

}  // namespace thalweg
