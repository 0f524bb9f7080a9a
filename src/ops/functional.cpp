#include "thalweg/ops/functional.h"

#include <algorithm>

#include "ops/trace_body.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"

namespace thalweg {
namespace {

std::string base_name(const std::string& given, std::string_view otherwise) {
  return given.empty() ? std::string(otherwise) : given;
}

Outputs outputs_of(Node& node, size_t count) {
  Outputs outputs;
  for (size_t i = 0; i < count; ++i) outputs.push_back(node.output(static_cast<int>(i)));
  return outputs;
}

std::string type_of(const Output& output) { return str(output.dtype(), output.shape()); }

Outputs with_captures(Outputs inputs, const Outputs& captures) {
  inputs.insert(inputs.end(), captures.begin(), captures.end());
  return inputs;
}

// The branches traced, with one list of captures.
struct Branches {
  Branches(Graph& graph, const std::vector<const BranchBody*>& bodies, const std::string& name,
           std::string_view what) {
    for (size_t b = 0; b < bodies.size(); ++b) {
      traces.push_back(std::make_unique<BodyTrace>(graph, captures));
      try {
        traces[b]->trace([&](const Outputs&) { return (*bodies[b])(); });
      } catch (Error& error) {
        error.add_context(str("branch ", b, " of ", what, " `", name, "`"));
        throw;
      }
      check(b, name, what);
      const auto& controls = traces[b]->outer_controls();
      outer_controls.insert(outer_controls.end(), controls.begin(), controls.end());
    }
    for (size_t b = 0; b < bodies.size(); ++b) {
      functions.push_back(&traces[b]->finish(str(name, "_branch_", b)));
      stateful = stateful || is_stateful(*functions.back());
    }
  }

  void check(size_t b, const std::string& name, std::string_view what) const {
    const Outputs& first = traces[0]->results();
    const Outputs& these = traces[b]->results();
    if (these.size() != first.size()) {
      throw invalid_argument(what, " `", name, "`: branch 0 gives ", first.size(),
                             " results, branch ", b, " gives ", these.size(),
                             "; all branches must give as many");
    }
    for (size_t r = 0; r < first.size(); ++r) {
      if (these[r].dtype() == first[r].dtype()) continue;
      throw invalid_argument(what, " `", name, "`: result ", r, " is ", type_of(first[r]),
                             " in branch 0 and ", type_of(these[r]), " in branch ", b,
                             "; cast one of them");
    }
  }

  std::vector<DType> types() const {
    std::vector<DType> result;
    for (const Output& output : traces[0]->results()) result.push_back(output.dtype());
    return result;
  }

  Outputs captures;
  std::vector<std::unique_ptr<BodyTrace>> traces;
  std::vector<const Function*> functions;
  std::vector<Node*> outer_controls;
  bool stateful = false;
};

}  // namespace

Outputs cond_list(const Output& pred, const BranchBody& then_branch, const BranchBody& else_branch,
                  const CondOptions& options) {
  Graph& graph = pred.graph().innermost();
  const std::string name = base_name(options.name, "cond");
  Branches branches(graph, {&then_branch, &else_branch}, name, "cond");
  Node& node =
      graph.add(branches.stateful ? "If" : "StatelessIf", with_captures({pred}, branches.captures),
                {{"Tout", branches.types()},
                 {"then_branch", FunctionName{branches.functions[0]->name}},
                 {"else_branch", FunctionName{branches.functions[1]->name}}},
                {.name = name, .control_inputs = branches.outer_controls});
  return outputs_of(node, branches.traces[0]->results().size());
}

Outputs case_list(const Output& index, const std::vector<BranchBody>& branch_bodies,
                  const BranchBody& otherwise, const CondOptions& options) {
  Graph& graph = index.graph().innermost();
  const std::string name = base_name(options.name, "case");
  std::vector<const BranchBody*> bodies;
  for (const BranchBody& body : branch_bodies) bodies.push_back(&body);
  bodies.push_back(&otherwise);
  Branches branches(graph, bodies, name, "case");
  std::vector<FunctionName> names;
  for (const Function* function : branches.functions) names.push_back({function->name});
  Node& node = graph.add(branches.stateful ? "Case" : "StatelessCase",
                         with_captures({index}, branches.captures),
                         {{"Tout", branches.types()}, {"branches", std::move(names)}},
                         {.name = name, .control_inputs = branches.outer_controls});
  return outputs_of(node, branches.traces[0]->results().size());
}

namespace {

// A dimension that an iteration changes or forgets must be told to be unknown.
bool keeps(const Shape& invariant, const Shape& next) {
  if (!invariant.has_rank()) return true;
  if (next.rank() != invariant.rank()) return false;
  for (int i = 0; i < next.rank(); ++i) {
    if (invariant[i] != kUnknownDim && invariant[i] != next[i]) return false;
  }
  return true;
}

void check_loop(const std::string& name, const Outputs& variables,
                const std::vector<Shape>& invariants, const Outputs& next) {
  if (next.size() != variables.size()) {
    throw invalid_argument("while_loop `", name, "` has ", variables.size(),
                           " variables, but its body gives ", next.size(),
                           " values; it must give the next value of each");
  }
  for (size_t i = 0; i < next.size(); ++i) {
    const std::string variable = str("variable ", i, " (", variables[i].name(), ")");
    if (next[i].dtype() != variables[i].dtype()) {
      throw invalid_argument("while_loop `", name, "`: ", variable, " starts as ",
                             type_of(variables[i]), ", but the body makes it ", type_of(next[i]),
                             "; cast one of them");
    }
    if (!keeps(invariants[i], next[i].shape())) {
      throw invalid_argument("while_loop `", name, "`: ", variable, " has shape ", invariants[i],
                             ", but the body makes it ", next[i].shape(),
                             "; tell what stays the same in shape_invariants, unknown dimensions "
                             "for what changes");
    }
  }
}

Outputs add_loop(Graph& graph, const LoopCondition& cond, const LoopBody& body,
                 const Outputs& variables, const std::vector<Shape>& invariants,
                 const WhileOptions& options, const std::string& name) {
  Outputs captures;
  BodyTrace cond_trace(graph, captures);
  BodyTrace body_trace(graph, captures);
  for (size_t i = 0; i < variables.size(); ++i) {
    for (BodyTrace* trace : {&cond_trace, &body_trace})
      trace->argument(variables[i].dtype(), invariants[i], str("variable_", i));
  }
  try {
    cond_trace.trace([&](const Outputs& v) { return Outputs{cond(v)}; });
    body_trace.trace(body);
  } catch (Error& error) {
    error.add_context(str("while_loop `", name, "`"));
    throw;
  }
  const DType decision = cond_trace.results()[0].dtype();
  if (decision != kBool || (cond_trace.results()[0].shape().rank() > 0)) {
    throw invalid_argument("while_loop `", name, "`: the condition gives ",
                           type_of(cond_trace.results()[0]), ", expected a bool scalar");
  }
  check_loop(name, variables, invariants, body_trace.results());
  const Function& cond_function = cond_trace.finish(str(name, "_cond"));
  const Function& body_function = body_trace.finish(str(name, "_body"), true);
  std::vector<Shape> shapes = invariants;
  for (const Output& capture : captures) shapes.push_back(capture.shape());
  std::vector<Node*> controls = cond_trace.outer_controls();
  controls.insert(controls.end(), body_trace.outer_controls().begin(),
                  body_trace.outer_controls().end());
  const bool stateful = is_stateful(cond_function) || is_stateful(body_function);
  Node& node = graph.add(stateful ? "While" : "StatelessWhile", with_captures(variables, captures),
                         {{"cond", FunctionName{cond_function.name}},
                          {"body", FunctionName{body_function.name}},
                          {"output_shapes", std::move(shapes)},
                          {"parallel_iterations", options.parallel_iterations}},
                         {.name = name, .control_inputs = std::move(controls)});
  return outputs_of(node, variables.size());
}

}  // namespace

Outputs while_list(const LoopCondition& cond, const LoopBody& body, const Outputs& variables,
                   const WhileOptions& options) {
  const std::string name = base_name(options.name, "while");
  if (variables.empty()) throw invalid_argument("while_loop `", name, "` needs a variable");
  std::vector<Shape> invariants = options.shape_invariants;
  if (!invariants.empty() && invariants.size() != variables.size()) {
    throw invalid_argument("while_loop `", name, "` has ", variables.size(), " variables, but ",
                           invariants.size(), " shape invariants");
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    if (invariants.size() == i) invariants.push_back(variables[i].shape());
    if (!keeps(invariants[i], variables[i].shape())) {
      throw invalid_argument("while_loop `", name, "`: variable ", i, " (", variables[i].name(),
                             ") starts with shape ", variables[i].shape(), ", which its invariant ",
                             invariants[i], " does not admit");
    }
  }
  Graph& graph = variables[0].graph().innermost();
  if (options.maximum_iterations < 0)
    return add_loop(graph, cond, body, variables, invariants, options, name);
  // A counter in front.
  const int64_t limit = options.maximum_iterations;
  Outputs counted = {constant(graph, Tensor(int64_t{0}))};
  counted.insert(counted.end(), variables.begin(), variables.end());
  invariants.insert(invariants.begin(), Shape{});
  const auto rest = [](const Outputs& v) { return Outputs(v.begin() + 1, v.end()); };
  Outputs results = add_loop(
      graph,
      [&](const Outputs& v) {
        // Not through a double, which the largest counts do not fit.
        return logical_and(less(v[0], constant(v[0].graph(), Tensor(limit))), cond(rest(v)));
      },
      [&](const Outputs& v) {
        Outputs next = body(rest(v));
        next.insert(next.begin(), v[0] + 1.0);
        return next;
      },
      counted, invariants, options, name);
  return rest(results);
}

void internal::wrong_parameter_count(size_t takes, size_t given) {
  throw invalid_argument("the callable takes ", takes, takes == 1 ? " tensor" : " tensors",
                         ", but is handed ", given,
                         ": one for each loop variable, in their order, or one list of all");
}

DefinedFunction define_function(Graph& graph, const std::string& name,
                                const std::vector<ArgumentSpec>& signature, const LoopBody& body) {
  if (graph.functions().find(name) != nullptr)
    throw already_exists("there is a function `", name, "` already");
  DefinedFunction defined{.name = name, .graph = &graph.innermost()};
  BodyTrace trace(graph, defined.captures);
  for (size_t a = 0; a < signature.size(); ++a) {
    trace.argument(signature[a].dtype, signature[a].shape,
                   base_name(signature[a].name, str("argument_", a)));
  }
  try {
    trace.trace(body);
  } catch (Error& error) {
    error.add_context(str("function `", name, "`"));
    throw;
  }
  trace.finish(name);
  return defined;
}

Outputs call(Graph& graph, const std::string& name, const Outputs& arguments,
             const CondOptions& options) {
  const Function& function = graph.functions().at(name);
  if (arguments.size() != function.arguments.size()) {
    throw invalid_argument("function `", name, "` takes ", function.arguments.size(),
                           " arguments, got ", arguments.size());
  }
  std::vector<DType> types;
  for (const Output& result : function.results) types.push_back(result.dtype());
  Node& node =
      graph.innermost().add(is_stateful(function) ? "StatefulPartitionedCall" : "PartitionedCall",
                            arguments, {{"Tout", std::move(types)}, {"f", FunctionName{name}}},
                            {.name = base_name(options.name, name)});
  return outputs_of(node, function.results.size());
}

Outputs call(const DefinedFunction& function, const Outputs& arguments,
             const CondOptions& options) {
  if (function.graph == nullptr) {
    throw invalid_argument("call was given an empty DefinedFunction; make it by define_function");
  }
  return call(*function.graph, function.name, with_captures(arguments, function.captures), options);
}

}  // namespace thalweg
