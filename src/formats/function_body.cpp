#include "formats/function_body.h"

#include <algorithm>
#include <cctype>

namespace thalweg {

namespace {

// Drops control edges from which no state follows, of the nodes that `chosen` is true for.
template <class Chosen>
std::vector<int> drop_idle_controls(WireGraph& graph, const OpFacts& facts, Chosen&& chosen) {
  std::vector<int> order = graph.topological_order();
  std::vector<char> stateful(static_cast<size_t>(graph.size()), 0);
  const auto is_marked = [&](int node) { return stateful[static_cast<size_t>(node)] != 0; };
  for (int id : order) {
    WireNode& node = graph[id];
    const bool before = std::any_of(node.controls.begin(), node.controls.end(), is_marked) ||
                        std::any_of(node.inputs.begin(), node.inputs.end(),
                                    [&](const Edge& edge) { return is_marked(edge.node); });
    stateful[static_cast<size_t>(id)] = before || facts.is_stateful(node);
    if (!chosen(node)) continue;
    std::erase_if(node.controls, [&](int control) { return !is_marked(control); });
  }
  return order;
}

}  // namespace

void free_constants(WireGraph& graph, const OpFacts& facts) {
  drop_idle_controls(graph, facts, [](const WireNode& node) { return node.op() == "Const"; });
}

void simplify(FunctionBody& body, const OpFacts& facts) {
  WireGraph& graph = body.graph;
  const std::vector<int> order =
      drop_idle_controls(graph, facts, [](const WireNode&) { return true; });

  std::vector<char> needed(static_cast<size_t>(graph.size()), 0);
  const auto need = [&](int node) { needed[static_cast<size_t>(node)] = 1; };
  for (const Edge& result : body.results) need(result.node);
  for (int effect : body.effects) need(effect);
  for (auto id = order.rbegin(); id != order.rend(); ++id) {
    WireNode& node = graph[*id];
    if (needed[static_cast<size_t>(*id)] == 0) {
      node.removed = true;
      continue;
    }
    for (const Edge& edge : node.inputs) need(edge.node);
    for (int control : node.controls) need(control);
  }
  for (int& argument : body.arguments) {
    if (argument >= 0 && graph[argument].removed) argument = -1;
  }
}

void set_argument_types(FunctionBody& body, const std::vector<tensorflow::DataType>& types) {
  for (size_t i = 0; i < body.arguments.size(); ++i) {
    if (body.arguments[i] >= 0) body.graph[body.arguments[i]].set_type("T", types[i]);
  }
}

std::vector<Edge> drop_unused_arguments(FunctionBody& first, FunctionBody& second, size_t keep,
                                        const std::vector<Edge>& captured) {
  first.arguments.resize(captured.size(), -1);
  second.arguments.resize(captured.size(), -1);
  std::vector<Edge> left;
  for (size_t i = 0; i < captured.size(); ++i) {
    if (i >= keep && first.arguments[i] < 0 && second.arguments[i] < 0) continue;
    first.arguments[left.size()] = first.arguments[i];
    second.arguments[left.size()] = second.arguments[i];
    left.push_back(captured[i]);
  }
  first.arguments.resize(left.size());
  second.arguments.resize(left.size());
  return left;
}

bool is_stateful(const FunctionBody& body, const OpFacts& facts) {
  for (int id = 0; id < body.graph.size(); ++id) {
    if (!body.graph[id].removed && facts.is_stateful(body.graph[id])) return true;
  }
  return false;
}

std::string FunctionWriter::unique_name(const std::string& base) {
  std::string legal;
  for (char c : base) legal += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (legal.empty() || std::isalpha(static_cast<unsigned char>(legal[0])) == 0) legal = "f" + legal;
  std::string name = legal;
  int& number = numbers_[legal];
  while (facts_.find_function(name) != nullptr) name = str(legal, "_", ++number);
  return name;
}

std::string FunctionWriter::add(FunctionBody body, const std::string& base,
                                const std::vector<tensorflow::DataType>& arguments,
                                const std::vector<tensorflow::DataType>& results) {
  WireGraph& graph = body.graph;
  tensorflow::FunctionDef function;
  auto& signature = *function.mutable_signature();
  signature.set_name(unique_name(base));
  signature.set_is_stateful(is_stateful(body, facts_));

  body.arguments.resize(arguments.size(), -1);
  for (size_t i = 0; i < arguments.size(); ++i) {
    int& node = body.arguments[i];
    if (node < 0) node = graph.add("_Arg", str("arg", i), {});
    auto& arg = *signature.add_input_arg();
    arg.set_name(graph[node].name());
    arg.set_type(arguments[i]);
  }
  const auto tensor_name = [&](const Edge& edge) {
    const WireNode& node = graph[edge.node];
    if (node.op() == "_Arg") return node.name();
    return str(node.name(), ":", facts_.output_name(node, edge.output));
  };
  for (size_t i = 0; i < results.size(); ++i) {
    auto& result = *signature.add_output_arg();
    result.set_name(str("result", i));
    result.set_type(results[i]);
    (*function.mutable_ret())[result.name()] = tensor_name(body.results[i]);
  }
  for (size_t i = 0; i < body.effects.size(); ++i) {
    const std::string name = str("effect", i);
    signature.add_control_output(name);
    (*function.mutable_control_ret())[name] = graph[body.effects[i]].name();
  }
  for (int id = 0; id < graph.size(); ++id) {
    const WireNode& node = graph[id];
    if (node.removed || node.op() == "_Arg") continue;
    tensorflow::NodeDef& def = *function.add_node_def();
    def = node.def;
    for (const Edge& edge : node.inputs) def.add_input(tensor_name(edge));
    for (int control : node.controls) def.add_input("^" + graph[control].name());
  }
  const std::string name = signature.name();
  *library_.add_function() = std::move(function);
  return name;
}

}  // namespace thalweg
