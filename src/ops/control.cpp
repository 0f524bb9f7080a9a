// Ops that order, check and report.
#include "thalweg/ops/control.h"

#include <algorithm>

#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

void check_gradient(GradientContext& context) {
  const std::string message = str("in the gradient of ", context.input(0).name(), ": ",
                                  context.attr<std::string>("message"));
  context.set(0, check_numerics(context.grad(), message));
}

constexpr OpDef kControlOps[] = {
    {.name = "NoOp",
     .inputs = {},
     .outputs = {},
     .attrs = {},
     .doc = "Does nothing; orders other nodes by its control edges.",
     .shape = shape_functions::none,
     .no_gradient = "it has no outputs"},
    {.name = "ControlTrigger",
     .inputs = {},
     .outputs = {},
     .attrs = {},
     .doc = "NoOp under the name that gradients of TensorFlow 1's loops have for it.",
     .shape = shape_functions::none,
     .no_gradient = "it has no outputs"},
    {.name = "Assert",
     .inputs = {"condition: bool | What must be true, a scalar.",
                "data: T | What the message shows otherwise."},
     .outputs = {},
     .attrs = {"T: list(type) >= 1 | Types of `data`.",
               "summarize: int = 3 | Elements shown of each; -1: all."},
     .doc = "Fails the run when a condition is false.",
     .shape = [](ShapeContext& c) { c.with_rank(0, 0); },
     .no_gradient = "it has no outputs",
     .effect = Effect::kOrdered},
    {.name = "CheckNumerics",
     .inputs = {"tensor: T | A tensor."},
     .outputs = {"output: T | The same."},
     .attrs = {"T: {bfloat16, half, float, double} | Element type.",
               "message: string | Starts the error's text."},
     .doc = "Its input; fails the run when that holds a NaN or an infinity. So does its gradient.",
     .shape = shape_functions::same_as_input,
     .gradient = check_gradient},
    {.name = "Print",
     .inputs = {"input: T | A tensor.", "data: U | What to write."},
     .outputs = {"output: T | `input`."},
     .attrs = {"T: type | Element type.", "U: list(type) >= 0 | Types of `data`.",
               "message: string = '' | Written in front.",
               "first_n: int = -1 | How often it writes, counted from when the run was prepared; "
               "-1: always.",
               "summarize: int = 3 | Elements shown of each; -1: all."},
     .doc = "Its input; writes a message and other tensors as it passes.",
     .shape = shape_functions::same_as_input,
     .gradient = [](GradientContext& c) { c.set(0, c.grad()); },
     .effect = Effect::kOrdered},
};

}  // namespace

std::span<const OpDef> control_ops() { return kControlOps; }

Node& no_op(Graph& graph, std::vector<Node*> control_inputs, const ControlOptions& options) {
  return graph.add("NoOp", {}, {},
                   {.name = options.name, .control_inputs = std::move(control_inputs)});
}

Node& group(const std::vector<Node*>& nodes, const ControlOptions& options) {
  if (nodes.empty()) throw invalid_argument("group needs at least one node");
  if (std::find(nodes.begin(), nodes.end(), nullptr) != nodes.end())
    throw invalid_argument("group was given a node that is nothing");
  return no_op(nodes[0]->graph(), nodes, options);
}

Node& assert_that(const Output& condition, const std::vector<Output>& data,
                  const AssertOptions& options) {
  std::vector<Output> inputs = {condition};
  inputs.insert(inputs.end(), data.begin(), data.end());
  if (data.empty()) inputs.push_back(condition);
  return condition.graph().add("Assert", std::move(inputs), {{"summarize", options.summarize}},
                               {.name = options.name});
}

Output check_numerics(const Output& x, std::string message, const ControlOptions& options) {
  return x.graph()
      .add("CheckNumerics", {x}, {{"message", std::move(message)}}, {.name = options.name})
      .output();
}

Output print(const Output& x, std::string message, const PrintOptions& options) {
  std::vector<Output> inputs = {x};
  inputs.insert(inputs.end(), options.data.begin(), options.data.end());
  if (options.data.empty()) inputs.push_back(x);
  return x.graph()
      .add("Print", std::move(inputs),
           {{"message", std::move(message)},
            {"first_n", options.first_n},
            {"summarize", options.summarize}},
           {.name = options.name})
      .output();
}

}  // namespace thalweg
