#include "thalweg/runtime/function.h"

#include <algorithm>
#include <mutex>

#include "thalweg/graph/function.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg {
namespace {

// Everything that acts beside computing its outputs runs on every call, wanted or not.
std::vector<Node*> side_effects(const Graph& graph) {
  std::vector<Node*> initializers;
  for (const Graph::VariableRecord& variable : graph.variables())
    initializers.push_back(variable.initializer);
  std::vector<Node*> result;
  for (int id = 0; id < graph.num_nodes(); ++id) {
    Node& node = graph.node(id);
    if (!has_side_effects(node)) continue;
    if (std::find(initializers.begin(), initializers.end(), &node) == initializers.end())
      result.push_back(&node);
  }
  return result;
}

struct Trace {
  std::vector<DType> dtypes;
  std::vector<Shape> shapes;
  std::unique_ptr<Graph> graph;
  std::unique_ptr<Session> session;
  Callable callable;
};

}  // namespace

struct TracedFunction::State {
  Body body;
  const OpRegistry* registry;
  std::shared_ptr<VariableStore> variables = std::make_shared<VariableStore>();
  std::mutex mutex;
  std::vector<std::unique_ptr<Trace>> traces;

  const Callable& callable_for(const std::vector<Tensor>& arguments) {
    const std::lock_guard lock(mutex);
    for (const auto& trace : traces) {
      bool fits = trace->dtypes.size() == arguments.size();
      for (size_t i = 0; fits && i < arguments.size(); ++i) {
        fits = trace->dtypes[i] == arguments[i].dtype() && trace->shapes[i] == arguments[i].shape();
      }
      if (fits) return trace->callable;
    }
    traces.push_back(make_trace(arguments));
    return traces.back()->callable;
  }

  std::unique_ptr<Trace> make_trace(const std::vector<Tensor>& arguments) {
    auto trace = std::make_unique<Trace>();
    trace->graph = std::make_unique<Graph>(*registry);
    std::vector<Output> placeholders;
    for (const Tensor& argument : arguments) {
      if (!argument.is_valid())
        throw invalid_argument("a traced function was given an empty tensor");
      trace->dtypes.push_back(argument.dtype());
      trace->shapes.push_back(argument.shape());
      placeholders.push_back(placeholder(*trace->graph, argument.dtype(), argument.shape(),
                                         {.name = str("argument_", placeholders.size())}));
    }
    std::vector<Output> results = body(*trace->graph, placeholders);
    trace->session =
        std::make_unique<Session>(*trace->graph, SessionOptions{.variables = variables});
    trace->session->initialize();
    trace->callable = trace->session->make_callable(std::move(placeholders), std::move(results),
                                                    side_effects(*trace->graph));
    return trace;
  }
};

TracedFunction::TracedFunction(Body body, const OpRegistry* registry)
    : state_(std::make_shared<State>()) {
  state_->body = std::move(body);
  state_->registry = registry == nullptr ? &standard_ops() : registry;
}

std::vector<Tensor> TracedFunction::call(const std::vector<Tensor>& arguments) const {
  return state_->callable_for(arguments)(arguments);
}

int TracedFunction::num_traces() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<int>(state_->traces.size());
}

VariableStore& TracedFunction::variables() const { return *state_->variables; }

}  // namespace thalweg
