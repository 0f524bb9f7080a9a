// Gradients of plain calls and of branches.
#include "ops/function_gradient.h"

#include <algorithm>

#include "ops/split_body.h"
#include "ops/trace_body.h"
#include "thalweg/ops/tensor_list.h"

namespace thalweg {
namespace {

using Ints = std::vector<int64_t>;

// Annotations of an extension: how the way back is called.
constexpr char kBackward[] = "_backward";
constexpr char kSavedArguments[] = "_saved_arguments";        // by saved tensor; -1: computed
constexpr char kGradientArguments[] = "_gradient_arguments";  // those that get a gradient
constexpr char kGradientResults[] = "_gradient_results";      // those that give one

Ints as_ints(const std::vector<int>& values) { return Ints(values.begin(), values.end()); }

// The halves of a called function, and the call that keeps what the way back needs.
Node& extend_call(GradientContext& context) {
  const Node& node = context.node();
  const Function& function = context.graph().functions().at(context.attr<FunctionName>("f").name);
  const SplitBody split(function, context.back_propagate(), false);

  auto forward = graph_like(*function.body);
  SplitBody::Mapping map;
  split.copy_forward(*forward, map);
  std::vector<Output> results = results_of(split, map);
  Ints saved_arguments;
  for (const Output& saved : split.saved()) {
    saved_arguments.push_back(split.argument_index(saved));
    if (saved_arguments.back() < 0) results.push_back(map.at(saved));
  }
  const std::vector<DType> types = types_of(results);
  const std::vector<Output> arguments = arguments_of(split, map);
  const std::vector<Node*> effects = mapped_effects(split, *forward);
  FunctionLibrary& library = context.graph().functions();
  const Function& forward_function = add_function(library, function.name + "_forward",
                                                  std::move(forward), arguments, results, effects);

  auto backward = graph_like(*function.body);
  SplitBody::Mapping back;
  std::vector<Output> inputs;
  const auto add_input = [&](const Output& like, const std::string& name) {
    inputs.push_back(
        add_argument(*backward, like, like.shape(), static_cast<int>(inputs.size()), name));
    back[like] = inputs.back();
  };
  for (const Output& saved : split.saved()) add_input(saved, str("saved_", inputs.size()));
  for (size_t g = 0; g < split.gradient_results().size(); ++g)
    add_input(split.incoming(g), str("gradient_", split.gradient_results()[g]));
  split.copy_backward(*backward, back);
  std::vector<Output> gradients;
  Ints gradient_arguments;
  for (size_t a = 0; a < split.argument_gradients().size(); ++a) {
    if (!split.argument_gradients()[a]) continue;
    gradients.push_back(back.at(split.argument_gradients()[a]));
    gradient_arguments.push_back(static_cast<int64_t>(a));
  }
  const Function& backward_function = add_function(library, function.name + "_backward",
                                                   std::move(backward), inputs, gradients, {});
  return add_extension(node, {},
                       {{"Tout", types},
                        {"f", FunctionName{forward_function.name}},
                        {kBackward, FunctionName{backward_function.name}},
                        {kSavedArguments, saved_arguments},
                        {kGradientArguments, gradient_arguments},
                        {kGradientResults, as_ints(split.gradient_results())}});
}

// An If's branches in TensorFlow's order, or a Case's.
std::vector<FunctionName> branches_of(const Node& node) {
  if (node.find_attr("branches") != nullptr)
    return node.attr<std::vector<FunctionName>>("branches");
  return {node.attr<FunctionName>("then_branch"), node.attr<FunctionName>("else_branch")};
}

AttrMap with_branches(const Node& node, const std::vector<FunctionName>& branches) {
  if (node.find_attr("branches") != nullptr) return {{"branches", branches}};
  return {{"then_branch", branches[0]}, {"else_branch", branches[1]}};
}

// What the branches of one node keep. Each keeps its own tensors, wrapped in lists so that all
// branches give the same types; those of the others are empty lists.
class BranchSplit {
 public:
  explicit BranchSplit(GradientContext& context) : context_(context) {
    for (const FunctionName& branch : branches_of(context.node())) {
      splits_.push_back(std::make_unique<SplitBody>(context.graph().functions().at(branch.name),
                                                    context.back_propagate(), false));
    }
    const size_t arguments = splits_[0]->function().arguments.size();
    for (size_t a = 0; a < arguments; ++a) {
      DType dtype = kInvalid;
      for (const auto& split : splits_) {
        if (const Output& gradient = split->argument_gradients()[a]) dtype = gradient.dtype();
      }
      if (dtype == kInvalid) continue;
      gradient_arguments_.push_back(static_cast<int64_t>(a));
      gradient_types_.push_back(dtype);
    }
  }

  Node& extend() {
    const Node& node = context_.node();
    std::vector<FunctionName> forward;
    std::vector<FunctionName> backward;
    for (size_t b = 0; b < splits_.size(); ++b) {
      forward.push_back({add_forward(b).name});
      backward.push_back({add_backward(b).name});
    }
    AttrMap attrs = with_branches(node, forward);
    std::vector<DType> types = node.attr<std::vector<DType>>("Tout");
    types.insert(types.end(), num_lists(), kVariant);
    attrs["Tout"] = types;
    std::vector<Shape> shapes = node.attr<std::vector<Shape>>("output_shapes");
    if (!shapes.empty()) shapes.insert(shapes.end(), num_lists(), Shape{});
    attrs["output_shapes"] = shapes;
    attrs[kBackward] = backward;
    attrs[kGradientArguments] = gradient_arguments_;
    attrs[kGradientResults] = as_ints(splits_[0]->gradient_results());
    return add_extension(node, {}, std::move(attrs));
  }

 private:
  size_t num_lists() const {
    size_t count = 0;
    for (const auto& split : splits_) count += own_lists(*split).size();
    return count;
  }
  static std::vector<Output> own_lists(const SplitBody& split) {
    std::vector<Output> result;
    for (const Output& saved : split.saved()) {
      if (split.argument_index(saved) < 0) result.push_back(saved);
    }
    return result;
  }

  const Function& add_forward(size_t b) {
    const SplitBody& split = *splits_[b];
    auto graph = graph_like(*split.function().body);
    SplitBody::Mapping map;
    split.copy_forward(*graph, map);
    std::vector<Output> results = results_of(split, map);
    for (size_t k = 0; k < splits_.size(); ++k) {
      for (const Output& saved : own_lists(*splits_[k])) {
        Output list = empty_tensor_list(*graph, saved.dtype(), saved.shape());
        if (k == b) list = tensor_list_push_back(list, map.at(saved));
        results.push_back(list);
      }
    }
    const std::vector<Output> arguments = arguments_of(split, map);
    const std::vector<Node*> effects = mapped_effects(split, *graph);
    return add_function(context_.graph().functions(), split.function().name + "_forward",
                        std::move(graph), arguments, results, effects);
  }

  const Function& add_backward(size_t b) {
    const SplitBody& split = *splits_[b];
    auto graph = graph_like(*split.function().body);
    std::vector<Output> inputs;
    const auto add_input = [&](const Output& like, const Shape& shape, const std::string& name) {
      inputs.push_back(add_argument(*graph, like, shape, static_cast<int>(inputs.size()), name));
      return inputs.back();
    };
    SplitBody::Mapping map;
    std::vector<Output> arguments;
    for (const Output& argument : split.function().arguments)
      arguments.push_back(add_input(argument, argument.shape(), argument.node()->name()));
    for (size_t k = 0; k < splits_.size(); ++k) {
      for (const Output& saved : own_lists(*splits_[k])) {
        inputs.push_back(add_argument(*graph, kVariant, Shape{}, static_cast<int>(inputs.size()),
                                      str("saved_", inputs.size())));
        if (k == b)
          map[saved] = tensor_list_pop_back(inputs.back(), saved.dtype(), saved.shape()).item;
      }
    }
    for (const Output& saved : split.saved()) {
      if (const int a = split.argument_index(saved); a >= 0)
        map[saved] = arguments[static_cast<size_t>(a)];
    }
    for (size_t g = 0; g < split.gradient_results().size(); ++g) {
      const int result = split.gradient_results()[g];
      map[split.incoming(g)] =
          add_input(split.incoming(g), split.incoming(g).shape(), str("gradient_", result));
    }
    split.copy_backward(*graph, map);
    std::vector<Output> results;
    for (size_t i = 0; i < gradient_arguments_.size(); ++i) {
      const auto a = static_cast<size_t>(gradient_arguments_[i]);
      const Output& gradient = split.argument_gradients()[a];
      results.push_back(gradient ? map.at(gradient) : zeros_of(arguments[a], gradient_types_[i]));
    }
    return add_function(context_.graph().functions(), split.function().name + "_backward",
                        std::move(graph), inputs, results, {});
  }

  GradientContext& context_;
  std::vector<std::unique_ptr<SplitBody>> splits_;
  Ints gradient_arguments_;
  std::vector<DType> gradient_types_;
};

bool any_stateful(const Graph& graph, const std::vector<FunctionName>& functions) {
  return std::any_of(functions.begin(), functions.end(), [&](const FunctionName& function) {
    return is_stateful(graph.functions().at(function.name));
  });
}

std::vector<DType> result_types(const Graph& graph, const FunctionName& function) {
  return types_of(graph.functions().at(function.name).results);
}

}  // namespace

void call_gradient(GradientContext& context) {
  Node* extension = find_extension(context.node());
  if (extension == nullptr) extension = &extend_call(context);
  std::vector<Output> inputs;
  int next = context.node().num_outputs();
  for (int64_t argument : ints_of(*extension, kSavedArguments)) {
    inputs.push_back(argument >= 0 ? context.input(static_cast<int>(argument))
                                   : extension->output(next++));
  }
  for (int64_t result : ints_of(*extension, kGradientResults)) {
    const int r = static_cast<int>(result);
    inputs.push_back(gradient_or_zeros(context.grad(r), context.output(r)));
  }
  const Ints arguments = ints_of(*extension, kGradientArguments);
  if (arguments.empty()) return;
  const auto& backward = extension->attr<FunctionName>(kBackward);
  Node& call = context.graph().add(
      any_stateful(context.graph(), {backward}) ? "StatefulPartitionedCall" : "PartitionedCall",
      inputs, {{"Tout", result_types(context.graph(), backward)}, {"f", backward}});
  for (size_t i = 0; i < arguments.size(); ++i)
    context.set(static_cast<int>(arguments[i]), call.output(static_cast<int>(i)));
}

void branch_gradient(GradientContext& context) {
  Node* extension = find_extension(context.node());
  if (extension == nullptr) extension = &BranchSplit(context).extend();
  const Ints arguments = ints_of(*extension, kGradientArguments);
  if (arguments.empty()) return;
  std::vector<Output> inputs(context.node().inputs().begin(), context.node().inputs().end());
  for (int i = context.node().num_outputs(); i < extension->num_outputs(); ++i)
    inputs.push_back(extension->output(i));
  for (int64_t result : ints_of(*extension, kGradientResults)) {
    const int r = static_cast<int>(result);
    inputs.push_back(gradient_or_zeros(context.grad(r), context.output(r)));
  }
  const auto& backward = extension->attr<std::vector<FunctionName>>(kBackward);
  AttrMap attrs = with_branches(context.node(), backward);
  attrs["Tout"] = result_types(context.graph(), backward[0]);
  const bool is_case = context.node().find_attr("branches") != nullptr;
  const bool stateful = any_stateful(context.graph(), backward);
  Node& node = context.graph().add(str(stateful ? "" : "Stateless", is_case ? "Case" : "If"),
                                   inputs, std::move(attrs));
  for (size_t i = 0; i < arguments.size(); ++i)
    context.set(1 + static_cast<int>(arguments[i]), node.output(static_cast<int>(i)));
}

}  // namespace thalweg
