#include "model/frozen_graph.h"

#include "thalweg/graph/function.h"
#include "thalweg/passes/passes.h"
#include "thalweg/passes/rewriter.h"

namespace thalweg {
namespace {

using Values = std::map<std::string, Tensor, std::less<>>;

class Freeze : public Rewriter {
 public:
  Freeze(const PlanGraph& source, const Values& values) : Rewriter(source), values_(values) {}

 protected:
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    if (node.type() == "ReadVariableOp") {
      const Tensor* value = value_of(node.input(0));
      if (value == nullptr) return copy(node, inputs);
      const Output constant = this->constant(node, *value);
      if (node.control_inputs().empty()) return {constant};
      // Those who wait for the read go on waiting for what it waited for.
      return {replace(node, "Identity", {constant}, {}).output()};
    }
    if (node.type() == "ResourceGather") {
      const Tensor* value = value_of(node.input(0));
      if (value == nullptr) return copy(node, inputs);
      const Output table = constant(node, *value);
      // The rows gathered lie behind the batch dimensions.
      const auto batch_dims = node.attr<int64_t>("batch_dims");
      const Output axis = constant(node, Tensor(batch_dims));
      return {replace(node, "GatherV2", {table, inputs[1], axis}, {{"batch_dims", batch_dims}})
                  .output()};
    }
    return copy(node, inputs);
  }

 private:
  const Tensor* value_of(const Output& handle) const {
    const Node* origin = handle_origin(handle);
    if (origin->type() != "VarHandleOp") return nullptr;
    const auto it = values_.find(variable_name(*origin));
    return it == values_.end() ? nullptr : &it->second;
  }

  const Values& values_;
};

}  // namespace

std::string variable_name(const Node& handle) {
  const std::string& shared = handle.attr<std::string>("shared_name");
  return shared.empty() ? handle.name() : shared;
}

std::set<std::string, std::less<>> written_variables(const Graph& graph,
                                                     const std::vector<Output>& fetches) {
  std::vector<bool> needed(static_cast<size_t>(graph.num_nodes()), false);
  for (const Output& fetch : fetches) needed[static_cast<size_t>(fetch.node()->id())] = true;
  std::set<std::string, std::less<>> names;
  for (int id = graph.num_nodes() - 1; id >= 0; --id) {
    if (!needed[static_cast<size_t>(id)]) continue;
    const Node& node = graph.node(id);
    for (const Output& input : node.inputs())
      needed[static_cast<size_t>(input.node()->id())] = true;
    for (const Node* before : node.control_inputs())
      needed[static_cast<size_t>(before->id())] = true;
    const FunctionEffects effects = effects_of(node);
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (!effects.arguments[static_cast<size_t>(i)].is_written) continue;
      const Node* origin = handle_origin(node.input(i));
      if (origin->type() == "VarHandleOp") names.insert(variable_name(*origin));
    }
    for (const auto& [handle, use] : effects.handles) {
      if (use.is_written && handle->type() == "VarHandleOp") names.insert(variable_name(*handle));
    }
  }
  return names;
}

PlanGraph frozen_graph(const Graph& graph, const std::vector<Output>& feeds,
                       const std::vector<Output>& fetches, const Values& values,
                       const SessionOptions& options) {
  std::vector<FeedSpec> specs;
  for (const Output& feed : feeds) specs.push_back({feed, feed.dtype(), feed.shape()});
  // Of all passes only the one that lets handles be followed: the others come when shapes are
  // known.
  std::vector<std::string> disabled = options.disabled_passes;
  for (const Pass& pass : standard_passes()) {
    if (pass.name != "inline") disabled.emplace_back(pass.name);
  }
  const KernelRegistry& kernels =
      options.kernels == nullptr ? standard_kernels() : *options.kernels;
  const PlanGraph expanded =
      run_passes(specialize(graph, specs, fetches, {}), {kernels}, {.disabled = disabled});
  return Freeze(expanded, values).run();
}

}  // namespace thalweg
