// The gradient of a loop, TensorFlow's while_v2 way: the loop is extended by a counter and by lists
// onto which each iteration pushes what the way back needs; a second loop pops them.
#include <algorithm>

#include "ops/function_gradient.h"
#include "ops/handle.h"
#include "ops/split_body.h"
#include "ops/trace_body.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/tensor_list.h"

namespace thalweg {
namespace {

using Ints = std::vector<int64_t>;

// Annotations of an extended loop: how the loop back is called.
constexpr char kBackwardCond[] = "_backward_cond";
constexpr char kBackwardBody[] = "_backward_body";
constexpr char kChanged[] = "_gradient_variables";  // variables whose gradient each step changes
constexpr char kSummed[] = "_gradient_sums";        // fixed ones: gradients of all steps add up
constexpr char kFixed[] = "_saved_arguments";       // fixed ones that the way back reads

class WhileSplit {
 public:
  explicit WhileSplit(GradientContext& context)
      : node_(context.node()),
        library_(context.graph().functions()),
        body_(library_.at(context.attr<FunctionName>("body").name)),
        split_(body_, context.back_propagate(), true) {
    for (const Output& saved : split_.saved()) {
      const int argument = split_.argument_index(saved);
      if (argument >= 0 && split_.is_passed_on(static_cast<size_t>(argument))) {
        fixed_.emplace(argument, saved);
      } else if (saved.dtype() == kResource) {
        throw unimplemented("the gradient of ", node_, " needs the handle ", saved.name(),
                            ", which changes from iteration to iteration");
      } else {
        pushed_.push_back(saved);
      }
    }
    for (size_t a = 0; a < body_.arguments.size(); ++a) {
      const Output& gradient = split_.argument_gradients()[a];
      if (!split_.is_passed_on(a)) {
        if (is_differentiable(body_.arguments[a].dtype())) changed_.push_back(a);
      } else if (gradient) {
        summed_.push_back(a);
      }
    }
  }

  Node& extend() {
    Graph& graph = node_.graph();
    std::vector<Output> more = {constant(graph, Tensor(int64_t{0}))};
    for (const Output& saved : pushed_)
      more.push_back(empty_tensor_list(graph, saved.dtype(), saved.shape()));
    const Function& forward_cond = add_forward_cond();
    const Function& forward_body = add_forward_body();
    const Function& backward_cond = add_backward_cond();
    const Function& backward_body = add_backward_body();
    std::vector<Shape> shapes = node_.attr<std::vector<Shape>>("output_shapes");
    if (!shapes.empty()) shapes.insert(shapes.end(), more.size(), Shape{});
    Ints fixed;
    for (const auto& [argument, saved] : fixed_) fixed.push_back(argument);
    return add_extension(node_, std::move(more),
                         {{"cond", FunctionName{forward_cond.name}},
                          {"body", FunctionName{forward_body.name}},
                          {"output_shapes", shapes},
                          {kBackwardCond, FunctionName{backward_cond.name}},
                          {kBackwardBody, FunctionName{backward_body.name}},
                          {kChanged, Ints(changed_.begin(), changed_.end())},
                          {kSummed, Ints(summed_.begin(), summed_.end())},
                          {kFixed, fixed}});
  }

 private:
  // The condition does not look at what was added.
  const Function& add_forward_cond() {
    const Function& cond = library_.at(node_.attr<FunctionName>("cond").name);
    auto graph = graph_like(*cond.body);
    SplitBody::Mapping map;
    std::map<const Node*, Node*> copies;
    for (int id = 0; id < cond.body->num_nodes(); ++id) {
      const Node& node = cond.body->node(id);
      std::vector<Output> inputs;
      for (const Output& input : node.inputs()) inputs.push_back(map.at(input));
      std::vector<Node*> controls;
      for (const Node* control : node.control_inputs()) controls.push_back(copies.at(control));
      Node& copy = graph->add(node.type(), inputs, node.attrs(),
                              {.name = node.name(), .control_inputs = controls});
      copies[&node] = &copy;
      for (int i = 0; i < node.num_outputs(); ++i) map[node.output(i)] = copy.output(i);
    }
    std::vector<Output> arguments;
    for (const Output& argument : cond.arguments) arguments.push_back(map.at(argument));
    add_loop_arguments(*graph, arguments);
    std::vector<Node*> effects;
    for (const Node* node : cond.side_effects) effects.push_back(copies.at(node));
    const Output decision = map.at(cond.results[0]);
    return add_function(library_, cond.name + "_forward", std::move(graph), arguments, {decision},
                        effects);
  }

  // The counter and the lists.
  void add_loop_arguments(Graph& graph, std::vector<Output>& arguments) const {
    const auto add = [&](DType dtype, const std::string& name) {
      arguments.push_back(
          add_argument(graph, dtype, Shape{}, static_cast<int>(arguments.size()), name));
    };
    add(kInt64, "iteration");
    for (size_t p = 0; p < pushed_.size(); ++p) add(kVariant, str("list_", p));
  }

  const Function& add_forward_body() {
    auto graph = graph_like(*body_.body);
    SplitBody::Mapping map;
    split_.copy_forward(*graph, map);
    std::vector<Output> arguments = arguments_of(split_, map);
    std::vector<Output> results = results_of(split_, map);
    const size_t first = arguments.size();
    add_loop_arguments(*graph, arguments);
    results.push_back(arguments[first] + 1.0);
    for (size_t p = 0; p < pushed_.size(); ++p) {
      results.push_back(tensor_list_push_back(arguments[first + 1 + p], map.at(pushed_[p])));
    }
    const std::vector<Node*> effects = mapped_effects(split_, *graph);
    return add_function(library_, body_.name + "_forward", std::move(graph), arguments, results,
                        effects);
  }

  // The variables of the loop back: iterations left, gradients, lists, what stays the same.
  std::vector<Output> backward_arguments(Graph& graph) const {
    std::vector<Output> arguments;
    const auto add = [&](DType dtype, const Shape& shape, const std::string& name) {
      arguments.push_back(
          add_argument(graph, dtype, shape, static_cast<int>(arguments.size()), name));
    };
    add(kInt64, Shape{}, "iterations_left");
    for (size_t a : changed_) {
      add(body_.arguments[a].dtype(), node_.output_shape(static_cast<int>(a)), str("gradient_", a));
    }
    for (size_t a : summed_) {
      const Output& gradient = split_.argument_gradients()[a];
      const Output& argument = body_.arguments[a];
      add(gradient.dtype(),
          argument.dtype() == kResource ? handle_shape(argument) : argument.shape(),
          str("sum_", a));
    }
    for (size_t p = 0; p < pushed_.size(); ++p) add(kVariant, Shape{}, str("list_", p));
    for (const auto& [argument, saved] : fixed_) {
      arguments.push_back(add_argument(graph, saved, saved.shape(),
                                       static_cast<int>(arguments.size()),
                                       str("fixed_", argument)));
    }
    return arguments;
  }

  const Function& add_backward_cond() {
    auto graph = graph_like(*body_.body);
    const std::vector<Output> arguments = backward_arguments(*graph);
    const Output decision = greater(arguments[0], scalar_like(arguments[0], 0));
    return add_function(library_, body_.name + "_backward_cond", std::move(graph), arguments,
                        {decision}, {});
  }

  const Function& add_backward_body() {
    auto graph = graph_like(*body_.body);
    const std::vector<Output> arguments = backward_arguments(*graph);
    size_t next = 0;
    const Output left = arguments[next++];
    SplitBody::Mapping map;
    std::map<size_t, Output> gradients;
    for (size_t a : changed_) gradients[a] = arguments[next++];
    for (size_t g = 0; g < split_.gradient_results().size(); ++g)
      map[split_.incoming(g)] = gradients.at(static_cast<size_t>(split_.gradient_results()[g]));
    const std::vector<Output> sums(arguments.begin() + static_cast<int64_t>(next),
                                   arguments.begin() + static_cast<int64_t>(next + summed_.size()));
    next += summed_.size();
    std::vector<Output> lists;
    for (const Output& saved : pushed_) {
      const PoppedItem popped =
          tensor_list_pop_back(arguments[next++], saved.dtype(), saved.shape());
      map[saved] = popped.item;
      lists.push_back(popped.list);
    }
    std::vector<Output> fixed;
    for (const auto& [argument, saved] : fixed_) {
      fixed.push_back(arguments[next++]);
      // The argument itself, and what Identity makes of it.
      for (const Output& other : split_.saved()) {
        if (split_.argument_index(other) == argument) map[other] = fixed.back();
      }
    }
    split_.copy_backward(*graph, map);

    std::vector<Output> results = {left - 1.0};
    for (size_t a : changed_) results.push_back(map.at(split_.argument_gradients()[a]));
    for (size_t i = 0; i < summed_.size(); ++i) {
      results.push_back(
          add_n(std::vector<Output>{sums[i], map.at(split_.argument_gradients()[summed_[i]])}));
    }
    results.insert(results.end(), lists.begin(), lists.end());
    results.insert(results.end(), fixed.begin(), fixed.end());
    return add_function(library_, body_.name + "_backward", std::move(graph), arguments, results,
                        {});
  }

  const Node& node_;
  FunctionLibrary& library_;
  const Function& body_;
  SplitBody split_;
  std::map<int, Output> fixed_;  // by argument
  std::vector<Output> pushed_;   // what each iteration pushes
  std::vector<size_t> changed_;  // arguments
  std::vector<size_t> summed_;   // arguments
};

}  // namespace

void while_gradient(GradientContext& context) {
  const Node& node = context.node();
  Node* extension = find_extension(node);
  if (extension == nullptr) extension = &WhileSplit(context).extend();
  Graph& graph = context.graph();
  const Ints changed = ints_of(*extension, kChanged);
  const Ints summed = ints_of(*extension, kSummed);
  const auto& body = graph.functions().at(extension->attr<FunctionName>(kBackwardBody).name);
  const auto& cond = graph.functions().at(extension->attr<FunctionName>(kBackwardCond).name);

  std::vector<Output> inputs = {extension->output(node.num_outputs())};
  for (int64_t a : changed) {
    const int i = static_cast<int>(a);
    inputs.push_back(gradient_or_zeros(context.grad(i), context.output(i)));
  }
  for (int64_t a : summed) {
    const int i = static_cast<int>(a);
    const DType dtype = body.arguments[inputs.size()].dtype();
    inputs.push_back(context.grad(i) ? context.grad(i) : zeros_of(context.input(i), dtype));
  }
  const size_t gradients = inputs.size();
  for (int i = node.num_outputs() + 1; i < extension->num_outputs(); ++i)
    inputs.push_back(extension->output(i));
  for (int64_t a : ints_of(*extension, kFixed)) inputs.push_back(node.input(static_cast<int>(a)));

  const bool stateful = is_stateful(body);
  Node& back = graph.add(stateful ? "While" : "StatelessWhile", inputs,
                         {{"cond", FunctionName{cond.name}},
                          {"body", FunctionName{body.name}},
                          {"_gradients_of", changed}});
  int next = 1;
  for (int64_t a : changed) context.set(static_cast<int>(a), back.output(next++));
  for (int64_t a : summed) context.set(static_cast<int>(a), back.output(next++));
  THALWEG_CHECK(static_cast<size_t>(next) == gradients, "loop gradients do not add up");
  // What a loop hands on unchanged, and no iteration reads, takes its gradient as it comes.
  for (int i = 0; i < node.num_inputs(); ++i) {
    const bool done = std::count(changed.begin(), changed.end(), i) != 0 ||
                      std::count(summed.begin(), summed.end(), i) != 0;
    const bool is_changed = !is_differentiable(node.input(i).dtype());
    if (!done && !is_changed && context.grad(i)) context.set(i, context.grad(i));
  }
}

}  // namespace thalweg
