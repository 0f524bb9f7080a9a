#include "thalweg/graph/shape_context.h"
#include "thalweg/passes/plan_graph.h"

namespace thalweg {
namespace {

void verify_node(const Graph& graph, const Node& node) {
  for (const Output& input : node.inputs()) {
    if (!input || &input.graph() != &graph)
      throw internal_error(node, " has an input from outside the graph");
    if (input.node()->id() >= node.id())
      throw internal_error(node, " uses ", input.name(), ", which comes after it");
  }
  for (const Node* control : node.control_inputs()) {
    if (control->id() >= node.id())
      throw internal_error(node, " waits for ", *control, ", which comes after it");
  }
  if (node.op().def->shape == nullptr) return;
  std::vector<Shape> shapes(static_cast<size_t>(node.num_outputs()), Shape::unknown());
  ShapeContext context(node, shapes);
  node.op().def->shape(context);
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!(shapes[static_cast<size_t>(i)] == node.output_shape(i))) {
      throw internal_error(node, " output ", i, " has shape ", node.output_shape(i),
                           ", but inference says ", shapes[static_cast<size_t>(i)]);
    }
  }
}

}  // namespace

void verify(const PlanGraph& plan, std::string_view after) {
  try {
    const Graph& graph = *plan.graph;
    for (int id = 0; id < graph.num_nodes(); ++id) verify_node(graph, graph.node(id));
    for (const auto* list : {&plan.feeds, &plan.fetches}) {
      for (const Output& output : *list) {
        if (!output || &output.graph() != &graph)
          throw internal_error("a feed or fetch is from outside the graph");
      }
    }
    for (const Node* target : plan.targets) {
      if (target == nullptr || &target->graph() != &graph)
        throw internal_error("a target is from outside the graph");
    }
  } catch (Error& error) {
    error.add_context(str("graph after pass ", after));
    throw;
  }
}

}  // namespace thalweg
