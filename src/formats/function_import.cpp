#include "formats/function_import.h"

#include <algorithm>
#include <utility>

#include "formats/attr_proto.h"
#include "formats/node_names.h"
#include "formats/tensor_proto.h"
#include "thalweg/graph/body_graph.h"
#include "thalweg/graph/function.h"

namespace thalweg {
namespace {

std::vector<std::string> called_functions(const tensorflow::NodeDef& node) {
  std::vector<std::string> names;
  for (const auto& [name, value] : node.attr()) {
    if (value.has_func()) names.push_back(value.func().name());
    for (const auto& function : value.list().func()) names.push_back(function.name());
  }
  return names;
}

class FunctionImporter {
 public:
  FunctionImporter(Graph& graph, AttrImporter& attrs, ImportProblems& problems)
      : graph_(graph), attrs_(attrs), problems_(problems) {}

  void add_all(const tensorflow::FunctionDefLibrary& library) {
    for (const auto& function : library.function()) {
      if (!open_.emplace(function.signature().name(), &function).second) {
        throw invalid_argument("the graph's library has two functions `",
                               function.signature().name(), "`");
      }
    }
    while (!open_.empty()) add_after_callees(open_.begin()->first);
  }

  std::set<std::string> broken;

 private:
  // Without recursion, since files decide how deep calls go.
  void add_after_callees(const std::string& first) {
    std::vector<std::pair<const tensorflow::FunctionDef*, bool>> stack;
    const auto push = [&](const std::string& name) {
      const auto it = open_.find(name);
      if (it == open_.end()) return;
      stack.emplace_back(it->second, false);
      open_.erase(it);  // one that calls itself is not waited for
    };
    push(first);
    while (!stack.empty()) {
      auto [function, callees_done] = stack.back();
      if (callees_done) {
        stack.pop_back();
        add(*function);
        continue;
      }
      stack.back().second = true;
      for (const auto& node : function->node_def()) {
        for (const std::string& name : called_functions(node)) push(name);
      }
    }
  }

  void add(const tensorflow::FunctionDef& def) {
    const std::string& name = def.signature().name();
    const size_t before = problems_.total();
    try {
      Function function = read(def);
      if (problems_.total() == before) {
        graph_.functions().add(std::move(function));
        return;
      }
    } catch (const Error& error) {
      problems_.node(str("function `", name, "`: ", error.message()));
    }
    broken.insert(name);
  }

  Function read(const tensorflow::FunctionDef& def) {
    Function function;
    function.name = def.signature().name();
    function.body = body_graph(graph_);
    NodeImporter nodes(*function.body, attrs_, problems_, broken,
                       str(" in function `", function.name, "`"));
    read_arguments(def, nodes, function);
    nodes.add_all(def.node_def());
    read_results(def, nodes, function);
    for (const auto& [name, value] : def.attr()) keep_attr(name, value, function.attrs);
    return function;
  }

  void read_arguments(const tensorflow::FunctionDef& def, NodeImporter& nodes, Function& function) {
    if (graph_.registry().find("_Arg") == nullptr) throw internal_error("there is no op `_Arg`");
    for (int i = 0; i < def.signature().input_arg_size(); ++i) {
      const auto& argument = def.signature().input_arg(i);
      AttrMap attrs;
      if (const auto it = def.arg_attr().find(static_cast<uint32_t>(i));
          it != def.arg_attr().end()) {
        for (const auto& [name, value] : it->second.attr()) {
          if (name.starts_with('_')) keep_attr(name, value, attrs);
        }
      }
      annotate_handle(argument, attrs);
      attrs["T"] = type_from_proto(argument.type());
      attrs["index"] = int64_t{i};
      Node& node = function.body->add("_Arg", {}, std::move(attrs),
                                      {.name = legal_node_name(argument.name())});
      function.arguments.push_back(node.output());
      function.argument_names.push_back(argument.name());
      nodes.add_argument(argument.name(), node.output());
    }
  }

  // What the argument's handle stands for, in the form that nodes have it.
  static void annotate_handle(const tensorflow::OpDef::ArgDef& argument, AttrMap& attrs) {
    if (argument.handle_data_size() == 0) return;
    std::vector<DType> types;
    std::vector<Shape> shapes;
    try {
      for (const auto& part : argument.handle_data()) {
        types.push_back(type_from_proto(part.dtype()));
        shapes.push_back(shape_from_proto(part.shape()));
      }
    } catch (const Error&) {
      return;  // only a hint
    }
    attrs["_handle_dtypes"] = std::move(types);
    attrs["_handle_shapes"] = std::move(shapes);
  }

  void read_results(const tensorflow::FunctionDef& def, const NodeImporter& nodes,
                    Function& function) {
    for (const auto& result : def.signature().output_arg()) {
      const auto it = def.ret().find(result.name());
      if (it == def.ret().end()) {
        throw invalid_argument("nothing gives its result `", result.name(), "`");
      }
      function.results.push_back(nodes.find(it->second));
      function.result_names.push_back(result.name());
    }
    std::set<int> effects;
    for (const auto& [name, target] : def.control_ret()) {
      if (const Node* node = nodes.find_node(target)) effects.insert(node->id());
    }
    // Functions of TensorFlow 1 do not say which nodes are run for what they do.
    if (def.control_ret().empty()) {
      for (int id = 0; id < function.body->num_nodes(); ++id) {
        if (has_side_effects(function.body->node(id))) effects.insert(id);
      }
    }
    for (int id : effects) function.side_effects.push_back(&function.body->node(id));
  }

  Graph& graph_;
  AttrImporter& attrs_;
  ImportProblems& problems_;
  std::map<std::string, const tensorflow::FunctionDef*> open_;
};

}  // namespace

std::set<std::string> import_functions(const tensorflow::FunctionDefLibrary& library, Graph& graph,
                                       AttrImporter& attrs, ImportProblems& problems) {
  FunctionImporter importer(graph, attrs, problems);
  importer.add_all(library);
  return std::move(importer.broken);
}

bool calls_any(const tensorflow::NodeDef& node, const std::set<std::string>& functions) {
  if (functions.empty()) return false;
  const std::vector<std::string> called = called_functions(node);
  return std::any_of(called.begin(), called.end(),
                     [&](const std::string& name) { return functions.contains(name); });
}

}  // namespace thalweg
