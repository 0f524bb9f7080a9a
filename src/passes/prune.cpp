// prune: drops what no fetch, target or side effect needs. specialize() starts pruned; folding and
// fusion leave nodes behind that nobody reads any more.
#include "passes/pass_list.h"
#include "thalweg/passes/rewriter.h"

namespace thalweg {
namespace {

class Prune : public Rewriter {
 public:
  explicit Prune(const PlanGraph& source)
      : Rewriter(source), needed_(static_cast<size_t>(source.graph->num_nodes())) {
    const auto need = [&](const Node* node) { needed_[static_cast<size_t>(node->id())] = true; };
    for (const Output& feed : source.feeds) need(feed.node());
    for (const Output& fetch : source.fetches) need(fetch.node());
    for (const Node* target : source.targets) need(target);
    for (int id = source.graph->num_nodes() - 1; id >= 0; --id) {
      if (!needed_[static_cast<size_t>(id)]) continue;
      const Node& node = source.graph->node(id);
      for (const Output& input : node.inputs()) need(input.node());
      for (const Node* control : node.control_inputs()) need(control);
    }
  }

 protected:
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    return needed_[static_cast<size_t>(node.id())] ? copy(node, inputs) : std::vector<Output>();
  }

 private:
  std::vector<bool> needed_;
};

}  // namespace

PlanGraph prune(const PlanGraph& source, const PassContext&) { return Prune(source).run(); }

}  // namespace thalweg
