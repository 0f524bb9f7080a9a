#include "thalweg/autodiff/gradients.h"

#include <map>
#include <set>

#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"

namespace thalweg {
namespace {

// A variable is differentiated through its handle: every read of it counts.
Output canonical(Output x) {
  while (x.node()->type() == "ReadVariableOp") x = x.node()->input(0);
  return x;
}

std::vector<Output> back_propagate(const std::vector<Output>& ys, const std::vector<Output>& xs,
                                   const std::vector<Output>& grad_ys);

class BackPropagation {
 public:
  BackPropagation(Graph& graph, const std::vector<Output>& xs, const GradientOptions& options)
      : graph_(graph),
        sources_(xs.begin(), xs.end()),
        stops_(options.stop_at.begin(), options.stop_at.end()) {
    mark_dependents();
  }

  void seed(Output y, Output gradient) { pending_[y].push_back(gradient); }

  // Nodes are visited from the newest to the oldest: all consumers of a node come before it.
  void run(int newest) {
    for (int id = newest; id >= 0; --id) {
      if (depends_[static_cast<size_t>(id)]) visit(graph_.node(id));
    }
  }

  Output total(Output x) {
    const auto it = pending_.find(x);
    if (it == pending_.end()) return {};
    std::vector<Output>& parts = it->second;
    if (parts.size() > 1) parts = {add_n(parts)};
    return parts[0];
  }

 private:
  // Marks each node that a source feeds, directly or not.
  void mark_dependents() {
    depends_.assign(static_cast<size_t>(graph_.num_nodes()), false);
    for (int id = 0; id < graph_.num_nodes(); ++id) {
      for (const Output& input : graph_.node(id).inputs()) {
        // A stop that is a source as well takes its gradient, and hands none on.
        const bool passes =
            !stops_.contains(input) && depends_[static_cast<size_t>(input.node()->id())];
        if (sources_.contains(input) || passes) {
          depends_[static_cast<size_t>(id)] = true;
          break;
        }
      }
    }
  }

  void visit(Node& node) {
    std::vector<Output> output_gradients;
    bool any = false;
    for (int i = 0; i < node.num_outputs(); ++i) {
      const Output output = node.output(i);
      output_gradients.push_back(stops_.contains(output) ? Output() : total(output));
      any = any || output_gradients.back();
    }
    if (!any) return;
    const OpDef& def = *node.op().def;
    if (def.gradient == nullptr) {
      throw unimplemented(
          node, " has no gradient: ", def.no_gradient.empty() ? "none is defined" : def.no_gradient,
          "; put stop_gradient before it if its input counts as constant");
    }
    try {
      GradientContext context(node, std::move(output_gradients), back_propagate);
      def.gradient(context);
      for (int i = 0; i < node.num_inputs(); ++i) {
        const Output gradient = context.input_gradients()[static_cast<size_t>(i)];
        if (!gradient) continue;
        check(node, i, gradient);
        pending_[node.input(i)].push_back(gradient);
      }
    } catch (Error& error) {
      error.add_context(str("gradient of ", node));
      throw;
    }
  }

  static void check(const Node& node, int i, Output gradient) {
    const Output input = node.input(i);
    if (input.dtype() == kResource) return;  // of the variable's dtype and shape
    if (gradient.dtype() != input.dtype() || !gradient.shape().is_compatible_with(input.shape())) {
      throw internal_error("the gradient of input ", i, " is ", gradient.dtype(), gradient.shape(),
                           ", the input is ", input.dtype(), input.shape());
    }
  }

  Graph& graph_;
  std::set<Output> sources_;
  std::set<Output> stops_;
  std::vector<bool> depends_;
  std::map<Output, std::vector<Output>> pending_;
};

// Inside the body of a function, where lists of tensors have gradients as well.
std::vector<Output> back_propagate(const std::vector<Output>& ys, const std::vector<Output>& xs,
                                   const std::vector<Output>& grad_ys) {
  BackPropagation propagation(ys[0].graph(), xs, {});
  int newest = 0;
  for (size_t i = 0; i < ys.size(); ++i) {
    propagation.seed(ys[i], grad_ys[i]);
    newest = std::max(newest, ys[i].node()->id());
  }
  propagation.run(newest);
  std::vector<Output> result;
  for (const Output& x : xs) result.push_back(propagation.total(x));
  return result;
}

}  // namespace

namespace {

void check_member(const Graph& graph, const Output& output, std::string_view list, size_t i) {
  if (!output) throw invalid_argument("gradients: ", list, "[", i, "] is an empty Output");
  if (&output.graph() != &graph) {
    throw invalid_argument("gradients: ", list, "[", i, "], ", output.name(),
                           ", belongs to another graph than ys[0]");
  }
}

void check_incoming(const Output& y, const Output& gradient, size_t i) {
  if (gradient.dtype() == y.dtype() && gradient.shape().is_compatible_with(y.shape())) return;
  throw invalid_argument("gradients: grad_ys[", i, "], ", gradient.name(), ", is ",
                         gradient.dtype(), gradient.shape(), ", but ys[", i, "], ", y.name(),
                         ", is ", y.dtype(), y.shape(), "; both must be alike");
}

}  // namespace

std::vector<Output> gradients(const std::vector<Output>& ys, const std::vector<Output>& xs,
                              const GradientOptions& options) {
  if (ys.empty()) throw invalid_argument("gradients: no targets given");
  if (!ys[0]) throw invalid_argument("gradients: ys[0] is an empty Output");
  if (!options.grad_ys.empty() && options.grad_ys.size() != ys.size()) {
    throw invalid_argument("gradients: ", ys.size(), " targets, but ", options.grad_ys.size(),
                           " incoming gradients");
  }
  Graph& graph = ys[0].graph();
  for (size_t i = 0; i < ys.size(); ++i) check_member(graph, ys[i], "ys", i);
  for (size_t i = 0; i < xs.size(); ++i) check_member(graph, xs[i], "xs", i);
  for (size_t i = 0; i < options.stop_at.size(); ++i)
    check_member(graph, options.stop_at[i], "stop_at", i);
  for (size_t i = 0; i < options.grad_ys.size(); ++i) {
    if (!options.grad_ys[i]) continue;  // ones
    // The gradient of tensors outside a body that is being traced may begin inside.
    if (&options.grad_ys[i].graph() != &graph.innermost())
      check_member(graph, options.grad_ys[i], "grad_ys", i);
    check_incoming(ys[i], options.grad_ys[i], i);
  }
  std::vector<Output> sources;
  for (Output x : xs) sources.push_back(canonical(x));

  NameScope scope(graph, options.name);
  BackPropagation propagation(graph, sources, options);
  int newest = 0;
  for (size_t i = 0; i < ys.size(); ++i) {
    const bool weighted = !options.grad_ys.empty() && options.grad_ys[i];
    if (!is_floating(ys[i].dtype()) && !(weighted && is_complex(ys[i].dtype()))) {
      throw invalid_argument("gradients: ", ys[i].name(), " is ", ys[i].dtype(),
                             "; only floating point can be differentiated, and complex numbers "
                             "where grad_ys says what flows in");
    }
    newest = std::max(newest, ys[i].node()->id());
    const Output incoming = options.grad_ys.empty() ? Output() : options.grad_ys[i];
    propagation.seed(ys[i], incoming ? incoming : ones_like(ys[i]));
  }
  propagation.run(newest);

  std::vector<Output> result;
  for (Output x : sources) result.push_back(propagation.total(x));
  return result;
}

Output gradient(Output y, Output x) {
  const Output result = gradients({y}, {x})[0];
  if (!result) throw invalid_argument(y.name(), " does not depend on ", x.name());
  return result;
}

}  // namespace thalweg
