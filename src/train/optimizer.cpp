#include "thalweg/train/optimizer.h"

#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/control.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/unary.h"
#include "train/number_checks.h"
#include "train/row_gradients.h"

namespace thalweg {
namespace {

Output step_handle(Graph& graph) {
  if (const Graph::VariableRecord* record = graph.find_variable(kGlobalStep)) {
    return record->handle->output();
  }
  return Variable(graph, Tensor(int64_t{0}), {.name = std::string(kGlobalStep), .trainable = false})
      .handle();
}

// Where the rule counts its own steps: "Adam/iterations" for the first step that is made by it in
// the graph, "Adam_1/iterations" for the next. Outside every scope, as slots are.
std::string counter_name(const std::string& rule, int number) {
  return number == 0 ? str(rule, "/iterations") : str(rule, "_", number, "/iterations");
}

Output make_counter(Graph& graph, const std::string& rule) {
  const RootScope root(graph);
  int number = 0;
  while (graph.find_variable(counter_name(rule, number)) != nullptr) ++number;
  return Variable(graph, Tensor(int64_t{0}),
                  {.name = counter_name(rule, number), .trainable = false})
      .handle();
}

// That of the newest step; none before there is one.
const Graph::VariableRecord* find_counter(const Graph& graph, const std::string& rule) {
  const Graph::VariableRecord* newest = nullptr;
  for (int number = 0;; ++number) {
    const auto* record = graph.find_variable(counter_name(rule, number));
    if (record == nullptr) return newest;
    newest = record;
  }
}

Node& add_one(Output counter) {
  return assign_add_variable(counter, constant(counter.graph(), Tensor(int64_t{1})));
}

Output squared_norm(Output x) { return reduce_sum(square(x)); }

// x scaled so that its norm is at most `bound`; untouched when it is smaller, also when it is 0.
Output bounded(Output x, Output norm, double bound) { return x * (bound / maximum(norm, bound)); }

// No weight changes once the loss is no number: the weights that led there can be looked at.
Node* checked(Output loss) { return check_numerics(loss, "the loss is not finite").node(); }

// One step: these updates, those that layers collected, and the count.
Node& train_step(Graph& graph, std::vector<Node*> nodes, Output global_step) {
  for (Node* update : graph.collected("updates")) nodes.push_back(update);
  nodes.push_back(&add_one(global_step));
  return group(nodes, {.name = "train_step"});
}

void check_clip(const Clip& clip) {
  train::check_not_negative("clipping bounds", "value", clip.value);
  train::check_not_negative("clipping bounds", "norm", clip.norm);
  train::check_not_negative("clipping bounds", "global_norm", clip.global_norm);
}

}  // namespace

Output global_step(Graph& graph) { return read_variable(step_handle(graph), kInt64); }

std::vector<GradientAndVariable> clip_gradients(std::vector<GradientAndVariable> gradients,
                                                const Clip& clip) {
  check_clip(clip);
  if (clip.value > 0) {
    for (GradientAndVariable& pair : gradients) {
      pair.gradient = maximum(minimum(pair.gradient, clip.value), -clip.value);
    }
  }
  if (clip.norm > 0) {
    for (GradientAndVariable& pair : gradients) {
      pair.gradient = bounded(pair.gradient, sqrt(squared_norm(pair.gradient)), clip.norm);
    }
  }
  if (clip.global_norm > 0 && !gradients.empty()) {
    std::vector<Output> squares;
    for (const GradientAndVariable& pair : gradients)
      squares.push_back(squared_norm(pair.gradient));
    const Output norm = sqrt(add_n(squares));
    for (GradientAndVariable& pair : gradients) {
      pair.gradient = bounded(pair.gradient, norm, clip.global_norm);
    }
  }
  return gradients;
}

Node& Optimizer::Rule::update_rows(Output, const RowGradient&, Output) const {
  throw unimplemented(name(), " keeps rows without a gradient, but does not update single rows");
}

Optimizer::Optimizer(std::shared_ptr<const Rule> rule, Schedule rate, Clip clip)
    : rule_(std::move(rule)), rate_(std::move(rate)), clip_(clip) {
  if (rule_ == nullptr) throw invalid_argument("an optimizer needs a rule, but there is none");
  check_clip(clip_);
}

std::vector<GradientAndVariable> Optimizer::compute_gradients(Output loss,
                                                              std::vector<Output> variables) const {
  const bool all = variables.empty();
  if (all) {
    for (const Graph::VariableRecord& record : loss.graph().variables()) {
      if (record.trainable) variables.push_back(record.handle->output());
    }
  }
  const std::vector<Output> slopes = gradients({loss}, variables);
  std::vector<GradientAndVariable> result;
  for (size_t i = 0; i < variables.size(); ++i) {
    const Node& node = *variables[i].node();
    const Output handle = node.type() == "ReadVariableOp" ? node.input(0) : variables[i];
    if (slopes[i]) {
      result.push_back({slopes[i], handle});
    } else if (!all) {
      throw invalid_argument("the loss ", loss.name(), " does not depend on variable `",
                             variable_key(*handle.node()), "`");
    }
  }
  if (result.empty()) {
    throw invalid_argument("the loss ", loss.name(), " depends on no trainable variable; ",
                           "is the network called before minimize()?");
  }
  return result;
}

Node& Optimizer::apply_gradients(std::vector<GradientAndVariable> gradients) const {
  return apply_after(nullptr, std::move(gradients));
}

// Clipped updates of the gradients' variables, and the count of them.
void Optimizer::add_updates(Node* check, std::vector<GradientAndVariable> gradients,
                            std::vector<Node*>& nodes) const {
  if (gradients.empty()) throw invalid_argument(rule_->name(), ": there are no gradients to apply");
  Graph& graph = gradients[0].variable.graph();
  const Output counter = make_counter(graph, rule_->name());
  {
    const NameScope scope(graph, rule_->name());
    const Output step = read_variable(counter, kInt64);
    const Output step_number = cast(step, kFloat32);
    Output rate = rate_.at(step);
    const bool constant_rate = rate.node()->type() == "Const";
    // Every update reads the rate, so all of them wait for the check.
    if (check != nullptr)
      rate = graph.add("Identity", {rate}, {}, {.control_inputs = {check}}).output();
    std::vector<Output> rows(gradients.size());  // where only these have a gradient
    for (size_t i = 0; i < gradients.size(); ++i) {
      auto& [gradient, variable] = gradients[i];
      if (!rule_->keeps_rows_without_gradient(variable, constant_rate)) continue;
      if (const auto found = train::row_gradient(gradient, variable)) {
        rows[i] = found->rows;
        gradient = found->gradient;
      }
    }
    const std::vector<GradientAndVariable> clipped = clip_gradients(std::move(gradients), clip_);
    for (size_t i = 0; i < clipped.size(); ++i) {
      const auto& [gradient, variable] = clipped[i];
      nodes.push_back(rows[i] ? &rule_->update_rows(variable, {rows[i], gradient}, rate)
                              : &rule_->update(variable, gradient, rate, step_number));
    }
  }
  nodes.push_back(&add_one(counter));
}

Node& Optimizer::apply_after(Node* check, std::vector<GradientAndVariable> gradients) const {
  if (gradients.empty()) throw invalid_argument(rule_->name(), ": there are no gradients to apply");
  Graph& graph = gradients[0].variable.graph();
  const Output global = step_handle(graph);
  std::vector<Node*> nodes;
  add_updates(check, std::move(gradients), nodes);
  return train_step(graph, std::move(nodes), global);
}

Node& Optimizer::minimize(Output loss, std::vector<Output> variables) const {
  std::vector<GradientAndVariable> gradients = compute_gradients(loss, std::move(variables));
  return apply_after(checked(loss), std::move(gradients));
}

Node& apply_gradients(Output loss, std::vector<OptimizerPart> parts) {
  if (parts.empty()) throw invalid_argument("there are no optimizers whose gradients to apply");
  const Output global = step_handle(loss.graph());
  Node* const check = checked(loss);
  std::vector<Node*> nodes;
  for (OptimizerPart& part : parts) {
    part.optimizer.add_updates(check, std::move(part.gradients), nodes);
  }
  return train_step(loss.graph(), std::move(nodes), global);
}

Output Optimizer::learning_rate(Graph& graph) const {
  const Graph::VariableRecord* counter = find_counter(graph, rule_->name());
  if (counter == nullptr) return rate_.at(global_step(graph));
  return rate_.at(read_variable(counter->handle->output(), kInt64));
}

std::string Optimizer::to_string() const {
  std::string text = str(rule_->name(), "(learning_rate=", rate_.to_string());
  const std::string options = rule_->options();
  if (!options.empty()) append(text, str(", ", options));
  const auto add_bound = [&](std::string_view name, double bound) {
    if (bound > 0) append(text, str(", clip.", name, "=", bound));
  };
  add_bound("value", clip_.value);
  add_bound("norm", clip_.norm);
  add_bound("global_norm", clip_.global_norm);
  return text + ")";
}

}  // namespace thalweg
