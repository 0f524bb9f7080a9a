#include "formats/functionalize.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "formats/gradient_wiring.h"
#include "formats/rewrites.h"
#include "formats/thread_lists.h"
#include "thalweg/base/error.h"

namespace thalweg {
namespace {

// Ops of which at least one stands in any graph that needs a rewrite.
bool is_old(std::string_view op) {
  static constexpr std::array<std::string_view, 11> kOps = {
      "Switch",   "Merge",    "Enter",      "RefSwitch",         "RefMerge",
      "RefEnter", "Variable", "VariableV2", "TemporaryVariable", "TensorArrayV3",
      "StackV2"};
  return makes_old_handle(op) || std::find(kOps.begin(), kOps.end(), op) != kOps.end();
}

}  // namespace

void functionalize(tensorflow::GraphDef& graph, const OpRegistry& ops,
                   const std::vector<std::string>& outputs) {
  if (std::none_of(graph.node().begin(), graph.node().end(),
                   [](const auto& node) { return is_old(node.op()); })) {
    return;
  }
  tensorflow::FunctionDefLibrary library = graph.library();
  const OpFacts facts(ops, library);
  FunctionWriter functions(library, facts);
  FunctionBody body{.graph = WireGraph(graph.node())};
  std::vector<std::string> wanted;
  for (const std::string& output : outputs) {
    std::string name(parse_input_name(output).node);
    if (body.graph.has(name)) wanted.push_back(std::move(name));
  }

  convert_tables(body.graph);
  convert_variables(body.graph);
  drop_gradient_wiring(body.graph);
  convert_tensor_arrays(body.graph);
  functionalize_loops(body.graph, functions, facts);
  thread_lists(body);
  functionalize_conds(body, functions, facts);
  free_constants(body.graph, facts);

  NodeDefs nodes = body.graph.take_nodes();
  for (const std::string& name : wanted) {
    if (std::any_of(nodes.begin(), nodes.end(),
                    [&](const auto& node) { return node.name() == name; })) {
      continue;
    }
    throw unimplemented("node `", name,
                        "` is wanted as an output, but runs inside a loop, or in one branch of a "
                        "condition only: ask for the Exit or the Merge that brings its value out");
  }
  drop_lost_colocations(nodes);
  for (auto& function : *library.mutable_function())
    drop_lost_colocations(*function.mutable_node_def());
  graph.mutable_node()->Swap(&nodes);
  if (library.function_size() > 0) graph.mutable_library()->Swap(&library);
}

}  // namespace thalweg
