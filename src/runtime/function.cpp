#include "thalweg/runtime/function.h"

#include <algorithm>
#include <list>
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

// Traces of one function that are kept; the one left alone longest gives way to a new one.
constexpr size_t kMaxTraces = 32;
// How deep a callable that calls its own function, with other shapes each time, may get.
constexpr size_t kMaxNested = 32;

struct Signature {
  std::vector<DType> dtypes;
  std::vector<Shape> shapes;

  bool fits(const std::vector<Tensor>& arguments) const {
    bool same = dtypes.size() == arguments.size();
    for (size_t i = 0; same && i < arguments.size(); ++i)
      same = dtypes[i] == arguments[i].dtype() && shapes[i] == arguments[i].shape();
    return same;
  }
};

struct Trace {
  Signature signature;
  std::unique_ptr<Graph> graph;
  std::unique_ptr<Session> session;
  Callable callable;
};

Signature signature_of(const std::vector<Tensor>& arguments) {
  Signature signature;
  for (const Tensor& argument : arguments) {
    if (!argument.is_valid()) throw invalid_argument("a traced function was given an empty tensor");
    signature.dtypes.push_back(argument.dtype());
    signature.shapes.push_back(argument.shape());
  }
  return signature;
}

}  // namespace

struct TracedFunction::State {
  Body body;
  const OpRegistry* registry;
  std::shared_ptr<VariableStore> variables = std::make_shared<VariableStore>();
  // Held while the callable is traced, which may call this function again.
  std::recursive_mutex mutex;
  std::list<std::shared_ptr<const Trace>> traces;  // the last used first
  std::vector<Signature> under_way;                // being traced now, the outermost first
  int num_traces = 0;

  std::shared_ptr<const Trace> trace_for(const std::vector<Tensor>& arguments) {
    const std::lock_guard lock(mutex);
    for (auto it = traces.begin(); it != traces.end(); ++it) {
      if (!(*it)->signature.fits(arguments)) continue;
      if (it != traces.begin()) traces.splice(traces.begin(), traces, it);
      return traces.front();
    }
    std::shared_ptr<const Trace> trace = make_trace(arguments);
    ++num_traces;
    traces.push_front(trace);
    if (traces.size() > kMaxTraces) traces.pop_back();
    return trace;
  }

  std::shared_ptr<const Trace> make_trace(const std::vector<Tensor>& arguments) {
    auto trace = std::make_shared<Trace>();
    trace->signature = signature_of(arguments);
    refuse_endless_recursion(arguments);
    trace->graph = std::make_unique<Graph>(*registry);
    std::vector<Output> placeholders;
    for (const Tensor& argument : arguments) {
      placeholders.push_back(placeholder(*trace->graph, argument.dtype(), argument.shape(),
                                         {.name = str("argument_", placeholders.size())}));
    }
    std::vector<Output> results = run_body(*trace, placeholders);
    trace->session =
        std::make_unique<Session>(*trace->graph, SessionOptions{.variables = variables});
    trace->session->initialize();
    trace->callable = trace->session->make_callable(std::move(placeholders), std::move(results),
                                                    side_effects(*trace->graph));
    return trace;
  }

  void refuse_endless_recursion(const std::vector<Tensor>& arguments) const {
    const bool again =
        std::any_of(under_way.begin(), under_way.end(),
                    [&](const Signature& signature) { return signature.fits(arguments); });
    if (again || under_way.size() >= kMaxNested) {
      throw failed_precondition(
          "a traced function calls itself while it is traced",
          again ? " for the same dtypes and shapes" : str(", ", kMaxNested, " deep"),
          ", which would never end; use while_loop() for what is repeated as long as values tell");
    }
  }

  std::vector<Output> run_body(const Trace& trace, const std::vector<Output>& placeholders) {
    under_way.push_back(trace.signature);
    struct Done {
      ~Done() { list.pop_back(); }
      std::vector<Signature>& list;
    } done{under_way};
    try {
      return body(*trace.graph, placeholders);
    } catch (const std::bad_function_call&) {
      throw invalid_argument("the callable of a traced function is empty, a std::function that ",
                             "holds nothing; or it calls such a one");
    }
  }
};

TracedFunction::TracedFunction(Body body, const OpRegistry* registry)
    : state_(std::make_shared<State>()) {
  state_->body = std::move(body);
  state_->registry = registry == nullptr ? &standard_ops() : registry;
}

std::vector<Tensor> TracedFunction::call(const std::vector<Tensor>& arguments) const {
  // The trace is kept for the time of the call, however many others come meanwhile.
  const auto trace = state_->trace_for(arguments);
  return trace->callable(arguments);
}

int TracedFunction::num_traces() const {
  const std::lock_guard lock(state_->mutex);
  return state_->num_traces;
}

VariableStore& TracedFunction::variables() const { return *state_->variables; }

}  // namespace thalweg
