#include "thalweg/ops/array.h"
#include "thalweg/ops/state.h"

namespace thalweg {
namespace {

// `suffix` under the variable's name, put so that the current scope's prefix is not doubled:
// "fc1/kernel/Read".
std::string node_name(const Graph& graph, const std::string& variable, std::string_view suffix) {
  const std::string& scope = graph.scope();
  const size_t begin = variable.starts_with(scope) ? scope.size() : variable.rfind('/') + 1;
  return str(variable.substr(begin), suffix);
}

}  // namespace

const std::string& variable_key(const Node& handle) {
  const auto& shared = handle.attr<std::string>("shared_name");
  return shared.empty() ? handle.name() : shared;
}

Variable::Variable(Graph& graph, Tensor initial, VariableOptions options) {
  const std::string name = graph.unique_name(options.name.empty() ? "Variable" : options.name);
  const Output value = constant(graph, initial, {.name = node_name(graph, name, "/Initializer")});
  init(graph, value, options, name);
}

Variable::Variable(Graph& graph, Output initial_value, VariableOptions options) {
  init(graph, initial_value, options,
       graph.unique_name(options.name.empty() ? "Variable" : options.name));
}

void Variable::init(Graph& graph, Output initial_value, const VariableOptions& options,
                    const std::string& name) {
  if (!initial_value)
    throw invalid_argument("variable `", name, "`: its initial value is an Output of no graph");
  const DType dtype = initial_value.dtype();
  const Shape shape = initial_value.shape();
  handle_ = graph
                .add("VarHandleOp", {}, {{"dtype", dtype}, {"shape", shape}, {"shared_name", name}},
                     {.name = name, .full_name = true})
                .output();
  initializer_ =
      &assign_variable(handle_, initial_value, {.name = node_name(graph, name, "/Assign")});
  graph.add_variable({.name = name,
                      .handle = handle_.node(),
                      .initializer = initializer_,
                      .trainable = options.trainable,
                      .dtype = dtype,
                      .shape = shape});
}

const std::string& Variable::name() const { return variable_key(*handle_.node()); }
DType Variable::dtype() const { return handle_.node()->attr<DType>("dtype"); }
const Shape& Variable::shape() const { return handle_.node()->attr<Shape>("shape"); }

Output Variable::read() const {
  return read_variable(handle_, dtype(), {.name = node_name(graph(), name(), "/Read")});
}

Node& Variable::assign(Output value) const {
  return assign_variable(handle_, value, {.name = node_name(graph(), name(), "/Assign")});
}
Node& Variable::assign_add(Output value) const {
  return assign_add_variable(handle_, value, {.name = node_name(graph(), name(), "/AssignAdd")});
}
Node& Variable::assign_sub(Output value) const {
  return assign_sub_variable(handle_, value, {.name = node_name(graph(), name(), "/AssignSub")});
}

}  // namespace thalweg
