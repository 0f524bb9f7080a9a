#include <map>

#include "thalweg/passes/plan_graph.h"

namespace thalweg {
namespace {

// Nodes that the fetches and targets need, not looking behind what is fed.
std::vector<bool> needed_nodes(const Graph& graph, const std::map<Output, size_t>& fed,
                               const std::vector<Output>& fetches,
                               const std::vector<Node*>& targets) {
  std::vector<bool> needed(static_cast<size_t>(graph.num_nodes()), false);
  const auto need = [&](const Output& output) {
    if (!fed.contains(output)) needed[static_cast<size_t>(output.node()->id())] = true;
  };
  for (const Output& fetch : fetches) need(fetch);
  for (const Node* target : targets) needed[static_cast<size_t>(target->id())] = true;
  for (int id = graph.num_nodes() - 1; id >= 0; --id) {
    if (!needed[static_cast<size_t>(id)]) continue;
    const Node& node = graph.node(id);
    for (const Output& input : node.inputs()) need(input);
    for (const Node* control : node.control_inputs())
      needed[static_cast<size_t>(control->id())] = true;
  }
  return needed;
}

void check_feed(const Graph& graph, const FeedSpec& feed) {
  if (!feed.tensor) throw invalid_argument("a feed names no tensor");
  if (&feed.tensor.graph() != &graph)
    throw invalid_argument("feed ", feed.tensor.name(), " belongs to another graph");
  if (feed.dtype != feed.tensor.dtype()) {
    throw invalid_argument("feed ", feed.tensor.name(), ": the graph wants ", feed.tensor.dtype(),
                           ", got ", feed.dtype);
  }
  if (!feed.shape.is_compatible_with(feed.tensor.shape())) {
    throw invalid_argument("feed ", feed.tensor.name(), ": the graph wants shape ",
                           feed.tensor.shape(), ", got ", feed.shape);
  }
}

// A handle without a name of its own goes by its node's.
bool is_unnamed_handle(const Node& node) {
  const AttrValue* name = node.find_attr("shared_name");
  return node.num_outputs() > 0 && node.output_dtype(0) == kResource && name != nullptr &&
         std::get<std::string>(*name).empty();
}

}  // namespace

PlanGraph specialize(const Graph& graph, const std::vector<FeedSpec>& feeds,
                     const std::vector<Output>& fetches, const std::vector<Node*>& targets) {
  PlanGraph plan;
  plan.graph = std::make_unique<Graph>(graph.registry(), graph.shared_functions());
  plan.graph->set_seed(graph.seed());
  std::map<Output, size_t> fed;
  for (size_t i = 0; i < feeds.size(); ++i) {
    check_feed(graph, feeds[i]);
    if (!fed.emplace(feeds[i].tensor, i).second) {
      throw invalid_argument("feed ", feeds[i].tensor.name(), " is given twice");
    }
  }
  for (const Output& fetch : fetches) {
    if (!fetch) throw invalid_argument("a fetch names no tensor");
    if (&fetch.graph() != &graph)
      throw invalid_argument("fetch ", fetch.name(), " belongs to another graph");
  }
  for (const FeedSpec& feed : feeds) {
    const Node& node = *feed.tensor.node();
    std::string name =
        feed.tensor.index() == 0 ? node.name() : str(node.name(), "_", feed.tensor.index());
    if (node.type() != "Placeholder") name += "_fed";
    plan.feeds.push_back(
        plan.graph
            ->add("Placeholder", {}, {{"dtype", feed.dtype}, {"shape", feed.shape}}, {.name = name})
            .output());
  }

  const std::vector<bool> needed = needed_nodes(graph, fed, fetches, targets);
  std::vector<Node*> copies(static_cast<size_t>(graph.num_nodes()), nullptr);
  const auto map = [&](const Output& old) {
    if (const auto it = fed.find(old); it != fed.end()) return plan.feeds[it->second];
    return copies[static_cast<size_t>(old.node()->id())]->output(old.index());
  };
  for (int id = 0; id < graph.num_nodes(); ++id) {
    if (!needed[static_cast<size_t>(id)]) continue;
    const Node& node = graph.node(id);
    if (node.type() == "Placeholder") {
      throw invalid_argument("placeholder `", node.name(), "` (", node.output_dtype(0),
                             node.output_shape(0), ") is needed but not fed");
    }
    std::vector<Output> inputs;
    for (const Output& input : node.inputs()) inputs.push_back(map(input));
    std::vector<Node*> controls;
    for (const Node* control : node.control_inputs())
      controls.push_back(copies[static_cast<size_t>(control->id())]);
    AttrMap attrs = node.attrs();
    if (is_unnamed_handle(node)) {
      attrs["shared_name"] = node.name();  // the key of its state, whatever passes do to names
    }
    copies[static_cast<size_t>(id)] = &plan.graph->add(
        node.type(), std::move(inputs), std::move(attrs),
        {.name = node.name(), .device = node.device(), .control_inputs = std::move(controls)});
  }
  for (const Output& fetch : fetches) plan.fetches.push_back(map(fetch));
  for (const Node* target : targets)
    plan.targets.push_back(copies[static_cast<size_t>(target->id())]);
  return plan;
}

}  // namespace thalweg
