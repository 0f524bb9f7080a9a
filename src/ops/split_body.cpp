#include "ops/split_body.h"

#include <algorithm>
#include <set>

#include "thalweg/graph/body_graph.h"
#include "thalweg/graph/extension.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/state.h"

namespace thalweg {
namespace {

size_t slot(const Node& node) { return static_cast<size_t>(node.id()); }

// The functions that this thread is differentiating, the outermost first. The gradient of one that
// calls itself would need the gradient that is being made.
thread_local std::vector<const Function*> under_way;

class Differentiating {
 public:
  explicit Differentiating(const Function& function) {
    if (std::find(under_way.begin(), under_way.end(), &function) != under_way.end()) {
      throw unimplemented("function `", function.name,
                          "` calls itself, and recursion has no gradient; write it as a loop "
                          "(while_list)");
    }
    under_way.push_back(&function);
  }
  ~Differentiating() { under_way.pop_back(); }
  Differentiating(const Differentiating&) = delete;
};

Output follow(Output output) {
  while (output.node()->type() == "Identity") output = output.node()->input(0);
  return output;
}

std::vector<Output> mapped(const Node& node, const SplitBody::Mapping& map) {
  std::vector<Output> inputs;
  for (const Output& input : node.inputs()) inputs.push_back(map.at(input));
  return inputs;
}

Node& copy_node(const Node& node, Graph& target, SplitBody::Mapping& map,
                std::map<const Node*, Node*>* nodes = nullptr) {
  std::vector<Node*> controls;
  if (nodes != nullptr) {
    for (const Node* control : node.control_inputs()) {
      if (const auto it = nodes->find(control); it != nodes->end()) controls.push_back(it->second);
    }
  }
  Node& copy = target.add(
      node.type(), mapped(node, map), node.attrs(),
      {.name = node.name(), .device = node.device(), .control_inputs = std::move(controls)});
  for (int i = 0; i < node.num_outputs(); ++i) map[node.output(i)] = copy.output(i);
  if (nodes != nullptr) (*nodes)[&node] = &copy;
  return copy;
}

}  // namespace

bool is_differentiable(DType dtype) {
  return is_floating(dtype) || is_complex(dtype) || dtype == kVariant;
}

SplitBody::SplitBody(const Function& function, BackPropagate back_propagate, bool is_loop)
    : function_(function), is_loop_(is_loop) {
  THALWEG_CHECK(back_propagate != nullptr, "a gradient of function `", function.name,
                "` is asked for outside gradients()");
  try {
    const Differentiating here(function);
    clone();
    differentiate(back_propagate, is_loop);
    cut();
  } catch (Error& error) {
    error.add_context(str("function `", function.name, "`"));
    throw;
  }
}

// Ids stay the same.
void SplitBody::clone() {
  const Graph& body = *function_.body;
  graph_ = body_graph(body);
  graph_->set_seed(body.seed());
  Mapping map;
  std::map<const Node*, Node*> nodes;
  for (int id = 0; id < body.num_nodes(); ++id) copy_node(body.node(id), *graph_, map, &nodes);
}

Output SplitBody::own(const Output& of_function) const {
  return graph_->node(of_function.node()->id()).output(of_function.index());
}

int SplitBody::argument_index(const Output& saved) const {
  const Output source = follow(saved);
  for (size_t a = 0; a < function_.arguments.size(); ++a) {
    if (own(function_.arguments[a]) == source) return static_cast<int>(a);
  }
  return -1;
}

void SplitBody::differentiate(BackPropagate back_propagate, bool is_loop) {
  first_added_ = graph_->num_nodes();
  for (size_t a = 0; a < function_.arguments.size(); ++a) {
    passed_on_.push_back(is_loop && follow(function_.results[a]) == function_.arguments[a]);
  }
  std::vector<Output> ys;
  for (size_t r = 0; r < function_.results.size(); ++r) {
    if (is_loop && passed_on_[r]) continue;
    if (!is_differentiable(function_.results[r].dtype())) continue;
    gradient_results_.push_back(static_cast<int>(r));
    ys.push_back(own(function_.results[r]));
    incoming_.push_back(graph_
                            ->add("_Arg", {},
                                  {{"T", ys.back().dtype()},
                                   {"index", static_cast<int64_t>(function_.arguments.size() + r)},
                                   {"_output_shapes", std::vector<Shape>{ys.back().shape()}}},
                                  {.name = str("gradient_", r)})
                            .output());
  }
  std::vector<Output> xs;
  std::vector<size_t> of_argument;
  for (size_t a = 0; a < function_.arguments.size(); ++a) {
    const DType dtype = function_.arguments[a].dtype();
    if (!is_differentiable(dtype) && dtype != kResource) continue;
    xs.push_back(own(function_.arguments[a]));
    of_argument.push_back(a);
  }
  argument_gradients_.resize(function_.arguments.size());
  if (ys.empty() || xs.empty()) return;
  const std::vector<Output> found = back_propagate(ys, xs, incoming_);
  for (size_t x = 0; x < xs.size(); ++x) {
    const size_t a = of_argument[x];
    argument_gradients_[a] = found[x];
    if (!found[x] && is_loop && !passed_on_[a] && xs[x].dtype() != kResource)
      argument_gradients_[a] = zeros_like(xs[x]);
  }
}

// Zeros of known shape need no tensor to be like.
bool SplitBody::becomes_constant(const Node& node) const {
  return node.type() == "ZerosLike" && node.id() >= first_added_ &&
         node.output_shape(0).is_fully_defined() && is_numeric(node.output_dtype(0));
}

// What back-propagation adds that belongs to the way forward: loops and branches that keep what
// they compute, the state as it is then, and what is asked of a list that changes, since to keep
// the list would make each iteration copy it. Shapes of tensors do not belong there, though they
// are smaller than the tensors: a plan of the way back knows them only when it sees what they are
// of.
bool SplitBody::runs_forward(const Node& node) const {
  if (node.type() == "TensorListElementShape" || node.type() == "TensorListLength") {
    const int argument = argument_index(node.input(0));
    return argument < 0 || (is_loop_ && !passed_on_[static_cast<size_t>(argument)]);
  }
  return node.find_attr(kExtends) != nullptr || node.effect() == Effect::kReads;
}

void SplitBody::cut() {
  const auto count = static_cast<size_t>(graph_->num_nodes());
  std::vector<bool> flows(count, false);  // depends on an incoming gradient
  for (const Output& incoming : incoming_) flows[slot(*incoming.node())] = true;
  is_forward_.assign(count, false);
  is_needed_back_.assign(count, false);
  for (size_t id = 0; id < count; ++id) {
    const Node& node = graph_->node(static_cast<int>(id));
    for (const Output& input : node.inputs()) flows[id] = flows[id] || flows[slot(*input.node())];
    is_forward_[id] = node.id() < first_added_ || (!flows[id] && runs_forward(node));
  }
  for (size_t id = count; id-- > 0;) {
    const Node& node = graph_->node(static_cast<int>(id));
    if (!is_forward_[id]) continue;
    for (const Output& input : node.inputs()) is_forward_[slot(*input.node())] = true;
  }

  std::set<Output> saved;
  const auto need = [&](const Output& output) {
    const Node& node = *output.node();
    if (is_forward_[slot(node)] && node.type() != "Const") {
      if (saved.insert(output).second) saved_.push_back(output);
    } else {
      is_needed_back_[slot(node)] = true;
    }
  };
  for (const Output& gradient : argument_gradients_) {
    if (gradient) need(gradient);
  }
  for (size_t id = count; id-- > 0;) {
    const Node& node = graph_->node(static_cast<int>(id));
    if (!is_needed_back_[id] || becomes_constant(node)) continue;
    for (const Output& input : node.inputs()) need(input);
  }
  for (const Output& incoming : incoming_) is_needed_back_[slot(*incoming.node())] = false;
}

void SplitBody::copy_forward(Graph& target, Mapping& map) const {
  std::map<const Node*, Node*> nodes;
  for (int id = 0; id < graph_->num_nodes(); ++id) {
    const Node& node = graph_->node(id);
    if (is_forward_[slot(node)]) copy_node(node, target, map, &nodes);
  }
}

void SplitBody::copy_backward(Graph& target, Mapping& map) const {
  for (int id = 0; id < graph_->num_nodes(); ++id) {
    const Node& node = graph_->node(id);
    if (!is_needed_back_[slot(node)]) continue;
    if (becomes_constant(node)) {
      const Shape& shape = node.output_shape(0);
      const Output dims = constant(target, Tensor::from(shape.dims(), Shape{shape.rank()}));
      const Output zero = constant(target, Tensor(0.0).cast(node.output_dtype(0)));
      map[node.output()] = target.add("Fill", {dims, zero}).output();
      continue;
    }
    copy_node(node, target, map);
  }
}

std::vector<Node*> mapped_effects(const SplitBody& split, const Graph& target) {
  std::vector<Node*> nodes;
  for (const Node* node : split.function().side_effects) nodes.push_back(target.find(node->name()));
  return nodes;
}

const Function& add_function(FunctionLibrary& library, const std::string& name,
                             std::unique_ptr<Graph> body, std::vector<Output> arguments,
                             std::vector<Output> results, std::vector<Node*> side_effects) {
  Function function{.name = library.unique_name(name)};
  for (const Output& argument : arguments)
    function.argument_names.push_back(argument.node()->name());
  for (size_t r = 0; r < results.size(); ++r) function.result_names.push_back(str("result_", r));
  function.arguments = std::move(arguments);
  function.results = std::move(results);
  function.side_effects = std::move(side_effects);
  function.body = std::move(body);
  return library.add(std::move(function));
}

std::unique_ptr<Graph> graph_like(const Graph& graph) {
  auto result = body_graph(graph);
  result->set_seed(graph.seed());
  return result;
}

std::vector<Output> arguments_of(const SplitBody& split, const SplitBody::Mapping& map) {
  std::vector<Output> arguments;
  for (const Output& argument : split.function().arguments)
    arguments.push_back(map.at(split.own(argument)));
  return arguments;
}

std::vector<Output> results_of(const SplitBody& split, const SplitBody::Mapping& map) {
  std::vector<Output> results;
  for (const Output& result : split.function().results)
    results.push_back(map.at(split.own(result)));
  return results;
}

std::vector<DType> types_of(const std::vector<Output>& outputs) {
  std::vector<DType> types;
  for (const Output& output : outputs) types.push_back(output.dtype());
  return types;
}

Output gradient_or_zeros(const Output& grad, const Output& of) {
  return grad ? grad : zeros_like(of);
}

Output zeros_of(const Output& tensor_or_handle, DType dtype) {
  if (tensor_or_handle.dtype() != kResource) return zeros_like(tensor_or_handle);
  return zeros_like(read_variable(tensor_or_handle, dtype));
}

Node* find_extension(const Node& node) {
  const Graph& graph = node.graph();
  for (int id = node.id() + 1; id < graph.num_nodes(); ++id) {
    const AttrValue* extends = graph.node(id).find_attr(kExtends);
    if (extends != nullptr && std::get<std::string>(*extends) == node.name()) {
      return &graph.node(id);
    }
  }
  return nullptr;
}

Node& add_extension(const Node& node, std::vector<Output> more_inputs, AttrMap attrs) {
  std::vector<Output> inputs(node.inputs().begin(), node.inputs().end());
  inputs.insert(inputs.end(), more_inputs.begin(), more_inputs.end());
  for (const auto& [name, value] : node.attrs()) {
    // Types are told by the inputs; annotations of an earlier extension are not this one's.
    if (name == "Tin" || name == "T" || name.starts_with('_')) continue;
    attrs.emplace(name, value);
  }
  attrs[std::string(kExtends)] = node.name();
  std::vector<Node*> controls(node.control_inputs().begin(), node.control_inputs().end());
  const std::string base = node.name().substr(node.name().rfind('/') + 1);
  return node.graph().add(
      node.type(), std::move(inputs), std::move(attrs),
      {.name = base + "_forward", .device = node.device(), .control_inputs = std::move(controls)});
}

std::vector<int64_t> ints_of(const Node& node, std::string_view annotation) {
  const AttrValue* value = node.find_attr(annotation);
  if (value == nullptr) return {};
  return std::get<std::vector<int64_t>>(*value);
}

}  // namespace thalweg
