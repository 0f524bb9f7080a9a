#include <map>

#include "passes/subgraph_copy.h"
#include "thalweg/passes/plan_graph.h"

namespace thalweg {
namespace {

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
                     const std::vector<Output>& fetches, const std::vector<Node*>& targets,
                     const std::vector<HandleSpec>& handles) {
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
  for (const Node* target : targets) {
    if (target == nullptr) throw invalid_argument("a target names no node");
    if (&target->graph() != &graph)
      throw invalid_argument("target `", target->name(), "` belongs to another graph");
  }
  for (const FeedSpec& feed : feeds) {
    const Node& node = *feed.tensor.node();
    std::string name =
        feed.tensor.index() == 0 ? node.name() : str(node.name(), "_", feed.tensor.index());
    if (node.type() != "Placeholder") name += "_fed";
    AttrMap attrs = {{"dtype", feed.dtype}, {"shape", feed.shape}};
    if (feed.item_shape.has_rank()) attrs["_item_shape"] = feed.item_shape;
    plan.feeds.push_back(
        plan.graph->add("Placeholder", {}, std::move(attrs), {.name = name}).output());
  }

  std::map<Output, Output> given;
  for (size_t i = 0; i < feeds.size(); ++i) given[feeds[i].tensor] = plan.feeds[i];
  for (const HandleSpec& handle : handles) {
    AttrMap attrs = handle.attrs;
    if (const auto name = attrs.find("shared_name");
        name != attrs.end() && std::get<std::string>(name->second).empty()) {
      name->second = handle.name;
    }
    given[handle.tensor] =
        plan.graph->add(handle.type, {}, std::move(attrs), {.name = handle.name}).output();
  }
  SubgraphCopy copy(graph, std::move(given));
  copy.run(
      fetches, targets,
      [&](const Node& node, std::vector<Output> inputs, std::vector<Node*> controls) {
        if (node.type() == "Placeholder") {
          throw invalid_argument("placeholder `", node.name(), "` (", node.output_dtype(0),
                                 node.output_shape(0), ") is needed but not fed");
        }
        AttrMap attrs = node.attrs();
        if (is_unnamed_handle(node)) {
          // The key of its state, whatever passes do to names.
          attrs["shared_name"] = node.name();
        }
        attrs.erase(std::string(kExtends));
        Node& result = plan.graph->add(
            node.type(), std::move(inputs), std::move(attrs),
            {.name = node.name(), .device = node.device(), .control_inputs = std::move(controls)});
        SubgraphCopy::Copied copied{.node = &result};
        for (int i = 0; i < result.num_outputs(); ++i) copied.outputs.push_back(result.output(i));
        return copied;
      });
  for (const Output& fetch : fetches) plan.fetches.push_back(copy.output(fetch));
  for (const Node* target : targets) plan.targets.push_back(copy.node(*target));
  return plan;
}

}  // namespace thalweg
