#include "formats/node_order.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

using Index = std::unordered_map<std::string_view, int>;

Index index_by_name(const NodeDefs& nodes) {
  Index index;
  for (int i = 0; i < nodes.size(); ++i) {
    if (nodes.Get(i).name().empty()) {
      throw invalid_argument("the graph's node number ", i, " (", nodes.Get(i).op(),
                             ") has no name");
    }
    if (!index.emplace(nodes.Get(i).name(), i).second) {
      throw invalid_argument("the graph has two nodes of the name `", nodes.Get(i).name(), "`");
    }
  }
  return index;
}

// The nodes of one circle among those that could not be ordered.
std::string circle(const NodeDefs& nodes, const Index& index, const std::vector<int>& waiting) {
  int node = 0;
  while (waiting[static_cast<size_t>(node)] == 0) ++node;
  std::vector<int> path;
  std::unordered_map<int, size_t> place;
  while (place.try_emplace(node, path.size()).second) {
    path.push_back(node);
    for (const std::string& input : nodes.Get(node).input()) {
      const auto it = index.find(parse_input_name(input).node);
      if (it != index.end() && waiting[static_cast<size_t>(it->second)] > 0) {
        node = it->second;
        break;
      }
    }
  }
  std::vector<std::string> names;
  for (size_t i = path.size(); i-- > place.at(node);) {
    names.push_back(str("`", nodes.Get(path[i]).name(), "` (", nodes.Get(path[i]).op(), ")"));
  }
  const size_t total = names.size();
  if (total > 8) names.resize(8);
  return str(join(names, " -> "), total > names.size() ? " -> ..." : "", " -> ", names.front());
}

void collect_functions(const tensorflow::AttrValue& value, std::vector<std::string>& out) {
  const auto visit = [&](const tensorflow::NameAttrList& function) {
    out.push_back(function.name());
    for (const auto& [name, attr] : function.attr()) collect_functions(attr, out);
  };
  if (value.has_func()) visit(value.func());
  for (const auto& function : value.list().func()) visit(function);
}

}  // namespace

InputName parse_input_name(std::string_view text) {
  InputName name;
  if (text.starts_with('^')) {
    name.is_control = true;
    text.remove_prefix(1);
  }
  const size_t colon = text.find(':');
  name.node = text.substr(0, colon);
  if (name.node.empty()) throw invalid_argument("`", text, "` is no name of a tensor");
  if (colon == std::string_view::npos) return name;
  std::string_view rest = text.substr(colon + 1);
  const size_t second = rest.find(':');
  if (second != std::string_view::npos) {
    name.output = rest.substr(0, second);
    rest.remove_prefix(second + 1);
  }
  const bool is_number =
      !rest.empty() && rest.size() < 7 &&
      std::all_of(rest.begin(), rest.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (is_number) {
    for (char c : rest) name.index = name.index * 10 + (c - '0');
  } else if (name.output.empty() && !rest.empty()) {
    name.output = rest;
  } else {
    throw invalid_argument("`", text, "` is no name of a tensor");
  }
  return name;
}

std::vector<int> topological_order(const NodeDefs& nodes) {
  const Index index = index_by_name(nodes);
  std::vector<int> waiting(static_cast<size_t>(nodes.size()), 0);
  std::vector<std::vector<int>> readers(static_cast<size_t>(nodes.size()));
  for (int i = 0; i < nodes.size(); ++i) {
    for (const std::string& input : nodes.Get(i).input()) {
      const auto it = index.find(parse_input_name(input).node);
      if (it == index.end()) continue;
      ++waiting[static_cast<size_t>(i)];
      readers[static_cast<size_t>(it->second)].push_back(i);
    }
  }
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < nodes.size(); ++i) {
    if (waiting[static_cast<size_t>(i)] == 0) ready.push(i);
  }
  std::vector<int> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (int reader : readers[static_cast<size_t>(order.back())]) {
      if (--waiting[static_cast<size_t>(reader)] == 0) ready.push(reader);
    }
  }
  if (order.size() != static_cast<size_t>(nodes.size())) {
    throw invalid_argument("the graph has a circle that is no loop of TensorFlow 1: ",
                           circle(nodes, index, waiting));
  }
  return order;
}

void keep_needed(const std::vector<std::string>& outputs, tensorflow::GraphDef& def) {
  const Index index = index_by_name(def.node());
  std::vector<bool> needed(static_cast<size_t>(def.node_size()), false);
  std::vector<int> open;
  const auto need = [&](std::string_view name) {
    const auto it = index.find(name);
    if (it == index.end()) return false;
    if (!needed[static_cast<size_t>(it->second)]) {
      needed[static_cast<size_t>(it->second)] = true;
      open.push_back(it->second);
    }
    return true;
  };
  for (const std::string& output : outputs) {
    if (need(parse_input_name(output).node)) continue;
    std::vector<std::string> names;
    for (const auto& node : def.node()) names.push_back(node.name());
    const std::string hint = nearest(parse_input_name(output).node, names);
    throw not_found("the graph has no node `", parse_input_name(output).node, "`",
                    hint.empty() ? "" : str("; did you mean `", hint, "`?"));
  }
  while (!open.empty()) {
    const auto& node = def.node(open.back());
    open.pop_back();
    for (const std::string& input : node.input()) need(parse_input_name(input).node);
  }
  NodeDefs kept;
  for (int i = 0; i < def.node_size(); ++i) {
    if (needed[static_cast<size_t>(i)]) kept.Add()->Swap(def.mutable_node(i));
  }
  def.mutable_node()->Swap(&kept);
  keep_called_functions(def);
}

void keep_called_functions(tensorflow::GraphDef& def) {
  std::unordered_map<std::string_view, const tensorflow::FunctionDef*> library;
  for (const auto& function : def.library().function()) {
    library.emplace(function.signature().name(), &function);
  }
  std::unordered_set<std::string_view> called;
  std::vector<std::string> open;
  const auto scan = [&](const NodeDefs& nodes) {
    for (const auto& node : nodes) {
      open.push_back(node.op());
      for (const auto& [name, attr] : node.attr()) collect_functions(attr, open);
    }
  };
  scan(def.node());
  while (!open.empty()) {
    const std::string name = std::move(open.back());
    open.pop_back();
    const auto it = library.find(name);
    if (it == library.end() || !called.insert(it->first).second) continue;
    scan(it->second->node_def());
  }
  google::protobuf::RepeatedPtrField<tensorflow::FunctionDef> kept;
  std::vector<bool> keep;
  for (const auto& function : def.library().function()) {
    keep.push_back(called.contains(function.signature().name()));
  }
  for (int i = 0; i < def.library().function_size(); ++i) {
    if (keep[static_cast<size_t>(i)]) kept.Add()->Swap(def.mutable_library()->mutable_function(i));
  }
  def.mutable_library()->mutable_function()->Swap(&kept);
}

}  // namespace thalweg
