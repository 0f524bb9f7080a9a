// Ops that call functions of the graph's library: plain calls, branches and loops. TensorFlow's
// functional control flow.
#include <algorithm>

#include "ops/families.h"
#include "ops/function_gradient.h"
#include "thalweg/graph/function.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

// What two ways to a result agree on.
Shape common(const Shape& a, const Shape& b) {
  if (!a.has_rank() || a.rank() != b.rank()) return Shape::unknown();
  Shape result = a;
  for (int i = 0; i < a.rank(); ++i) {
    if (a[i] != b[i]) result.set_dim(i, kUnknownDim);
  }
  return result;
}

std::vector<DType> dtypes_of(const std::vector<Output>& outputs) {
  std::vector<DType> types;
  for (const Output& output : outputs) types.push_back(output.dtype());
  return types;
}

void check_types(const ShapeContext& c, const Function& function, std::string_view what,
                 const std::vector<Output>& have, const std::vector<DType>& want) {
  if (dtypes_of(have) == want) return;
  throw c.error("function `", function.name, "` has ", what, " of types ", dtypes_of(have),
                ", but the node has ", want);
}

// The shapes of one function's results for these arguments; nothing when the library does not hold
// it yet (a function that calls itself).
std::optional<std::vector<Shape>> results_of(const ShapeContext& c, const std::string& name,
                                             const std::vector<Shape>& arguments,
                                             const std::vector<DType>& input_types,
                                             const std::vector<DType>& output_types) {
  const FunctionLibrary& library = c.node().graph().functions();
  const Function* function = library.find(name);
  if (function == nullptr) return std::nullopt;
  check_types(c, *function, "arguments", function->arguments, input_types);
  check_types(c, *function, "results", function->results, output_types);
  return library.result_shapes(*function, arguments);
}

std::vector<Shape> argument_shapes(const ShapeContext& c, std::string_view argument) {
  std::vector<Shape> shapes;
  const auto [begin, end] = c.node().input_range(argument);
  for (int i = begin; i < end; ++i) shapes.push_back(c.input(i));
  return shapes;
}

// Sets the outputs' shapes, with what the node's attribute says beside what was inferred.
void set_shapes(ShapeContext& c, const std::vector<Shape>& inferred) {
  const AttrValue* attr = c.node().find_attr("output_shapes");
  const auto* told = attr == nullptr ? nullptr : std::get_if<std::vector<Shape>>(attr);
  for (size_t i = 0; i < inferred.size(); ++i) {
    const bool use =
        told != nullptr && i < told->size() && (*told)[i].is_compatible_with(inferred[i]);
    const bool is_handle = c.node().output_dtype(static_cast<int>(i)) == kResource;
    c.set_output(static_cast<int>(i), is_handle ? Shape{}
                                      : use     ? inferred[i].merge((*told)[i])
                                                : inferred[i]);
  }
}

void argument_shape(ShapeContext& c) {
  const AttrValue* attr = c.node().find_attr("_output_shapes");
  const auto* shapes = attr == nullptr ? nullptr : std::get_if<std::vector<Shape>>(attr);
  const bool is_handle = c.attr<DType>("T") == kResource;
  c.set_output(0, is_handle                              ? Shape{}
                  : shapes == nullptr || shapes->empty() ? Shape::unknown()
                                                         : shapes->front());
}

void merge_results(const ShapeContext& c, const std::vector<std::string>& functions,
                   std::string_view argument, std::vector<Shape>& merged) {
  const std::vector<Shape> arguments = argument_shapes(c, argument);
  bool first = true;
  for (const std::string& name : functions) {
    const auto shapes = results_of(c, name, arguments, c.attr<std::vector<DType>>("Tin"),
                                   c.attr<std::vector<DType>>("Tout"));
    for (size_t i = 0; i < merged.size(); ++i) {
      const Shape shape = shapes ? (*shapes)[i] : Shape::unknown();
      merged[i] = first ? shape : common(merged[i], shape);
    }
    first = false;
  }
}

void call_shape(ShapeContext& c) {
  std::vector<Shape> shapes(static_cast<size_t>(c.num_outputs()), Shape::unknown());
  merge_results(c, {c.attr<FunctionName>("f").name}, "args", shapes);
  set_shapes(c, shapes);
}

void if_shape(ShapeContext& c) {
  std::vector<Shape> shapes(static_cast<size_t>(c.num_outputs()), Shape::unknown());
  merge_results(
      c, {c.attr<FunctionName>("then_branch").name, c.attr<FunctionName>("else_branch").name},
      "input", shapes);
  set_shapes(c, shapes);
}

void case_shape(ShapeContext& c) {
  c.with_rank(0, 0);
  std::vector<Shape> shapes(static_cast<size_t>(c.num_outputs()), Shape::unknown());
  std::vector<std::string> names;
  for (const FunctionName& branch : c.attr<std::vector<FunctionName>>("branches"))
    names.push_back(branch.name);
  merge_results(c, names, "input", shapes);
  set_shapes(c, shapes);
}

// Variables of a loop back that keep their shape because the loop forward keeps that of what they
// are the gradients of: it gives the first input, the number of iterations.
std::vector<bool> kept_shapes(const Node& node) {
  std::vector<bool> kept(static_cast<size_t>(node.num_inputs()), false);
  const AttrValue* attr = node.find_attr("_gradients_of");
  const auto* of = attr == nullptr ? nullptr : std::get_if<std::vector<int64_t>>(attr);
  if (of == nullptr || node.num_inputs() == 0) return kept;
  const Node& forward = *node.input(0).node();
  if (forward.type() != "While" && forward.type() != "StatelessWhile") return kept;
  for (size_t g = 0; g < of->size() && g + 1 < kept.size(); ++g) {
    const auto variable = static_cast<int>((*of)[g]);
    if (variable >= forward.num_outputs()) return kept;
    const Shape& shape = forward.output_shape(variable);
    kept[g + 1] = shape.is_fully_defined() && node.input(static_cast<int>(g) + 1).shape() == shape;
  }
  return kept;
}

// What of the variables' shapes no iteration changes. Each round makes something unknown or ends.
void while_shape(ShapeContext& c) {
  const auto& types = c.attr<std::vector<DType>>("T");
  std::vector<Shape> shapes = argument_shapes(c, "input");
  const std::string& body = c.attr<FunctionName>("body").name;
  const std::vector<bool> fixed = kept_shapes(c.node());
  for (bool changed = true; changed;) {
    changed = false;
    const auto next = results_of(c, body, shapes, types, types);
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (fixed[i]) continue;
      const Shape kept = next ? common(shapes[i], (*next)[i]) : Shape::unknown();
      changed = changed || !(kept == shapes[i]);
      shapes[i] = kept;
    }
    if (!next) break;
  }
  set_shapes(c, shapes);
}

constexpr char kTin[] = "Tin: list(type) >= 0 | Types of the arguments.";
constexpr char kTout[] = "Tout: list(type) >= 0 | Types of the results.";
constexpr char kShapes[] =
    "output_shapes: list(shape) = [] | What is known of the outputs' shapes beyond what is "
    "inferred; may be empty.";
constexpr char kArgs[] = "args: Tin | Arguments.";
constexpr char kInput[] = "input: Tin | Arguments, the same for each branch.";
constexpr char kOutput[] = "output: Tout | Results.";
constexpr char kResult[] = "output: Tout | Results of the branch that ran.";
constexpr char kFunction[] = "f: func | The function.";
constexpr char kConfig[] = "config: string = '' | Kept for graph files.";
constexpr char kProto[] = "config_proto: string = '' | Kept for graph files.";
constexpr char kExecutor[] = "executor_type: string = '' | Kept for graph files.";
constexpr char kCond[] =
    "cond: Tcond | Whether to take the first branch: a bool, a number that is not 0, a text that "
    "is not empty, or a tensor of another rank than 0 that has elements.";
constexpr char kTcond[] = "Tcond: type | Type of `cond`.";
constexpr char kThen[] = "then_branch: func | Runs when `cond` is true.";
constexpr char kElse[] = "else_branch: func | Runs otherwise.";
constexpr char kIndex[] =
    "branch_index: int32 | Which branch, a scalar; the last one when it is out of range.";
constexpr char kBranches[] = "branches: list(func) >= 1 | The branches.";
constexpr char kLoopInput[] = "input: T | First values of the loop variables.";
constexpr char kLoopOutput[] = "output: T | Their last values.";
constexpr char kLoopTypes[] = "T: list(type) >= 0 | Types of the loop variables.";
constexpr char kLoopCond[] =
    "cond: func | From the loop variables to whether to go on: a bool, or what `If` takes.";
constexpr char kBody[] = "body: func | From the loop variables to their next values.";
constexpr char kParallel[] = "parallel_iterations: int = 10 | Kept for graph files.";

constexpr OpDef kFunctionOps[] = {
    {.name = "_Arg",
     .inputs = {},
     .outputs = {"output: T | What the caller gives."},
     .attrs = {"T: type | Element type.", "index: int >= 0 | Which argument."},
     .doc = "An argument of a function. Its shape, and dtype and shape of the variable behind a "
            "handle, stand in the annotations `_output_shapes`, `_handle_dtypes` and "
            "`_handle_shapes`.",
     .shape = argument_shape,
     .no_gradient = "it has no inputs"},
    {.name = "PartitionedCall",
     .inputs = {kArgs},
     .outputs = {kOutput},
     .attrs = {kTin, kTout, kFunction, kConfig, kProto, kExecutor},
     .doc = "Calls a function without side effects.",
     .shape = call_shape,
     .gradient = call_gradient},
    {.name = "StatefulPartitionedCall",
     .inputs = {kArgs},
     .outputs = {kOutput},
     .attrs = {kTin, kTout, kFunction, kConfig, kProto, kExecutor},
     .doc = "Calls a function.",
     .shape = call_shape,
     .gradient = call_gradient,
     .effect = Effect::kWrites},
    {.name = "If",
     .inputs = {kCond, kInput},
     .outputs = {kResult},
     .attrs = {kTcond, kTin, kTout, kThen, kElse, kShapes},
     .doc = "Calls one of two functions.",
     .shape = if_shape,
     .gradient = branch_gradient,
     .effect = Effect::kWrites},
    {.name = "StatelessIf",
     .inputs = {kCond, kInput},
     .outputs = {kResult},
     .attrs = {kTcond, kTin, kTout, kThen, kElse, kShapes},
     .doc = "Calls one of two functions that have no side effects.",
     .shape = if_shape,
     .gradient = branch_gradient},
    {.name = "Case",
     .inputs = {kIndex, kInput},
     .outputs = {kResult},
     .attrs = {kTin, kTout, kBranches, kShapes},
     .doc = "Calls one of several functions.",
     .shape = case_shape,
     .gradient = branch_gradient,
     .effect = Effect::kWrites},
    {.name = "StatelessCase",
     .inputs = {kIndex, kInput},
     .outputs = {kResult},
     .attrs = {kTin, kTout, kBranches, kShapes},
     .doc = "Calls one of several functions that have no side effects.",
     .shape = case_shape,
     .gradient = branch_gradient},
    {.name = "While",
     .inputs = {kLoopInput},
     .outputs = {kLoopOutput},
     .attrs = {kLoopTypes, kLoopCond, kBody, kShapes, kParallel},
     .doc = "Calls `body` as long as `cond` says so.",
     .shape = while_shape,
     .gradient = while_gradient,
     .effect = Effect::kWrites},
    {.name = "StatelessWhile",
     .inputs = {kLoopInput},
     .outputs = {kLoopOutput},
     .attrs = {kLoopTypes, kLoopCond, kBody, kShapes, kParallel},
     .doc = "Calls `body` as long as `cond` says so; neither has side effects.",
     .shape = while_shape,
     .gradient = while_gradient},
};

}  // namespace

std::span<const OpDef> function_ops() { return kFunctionOps; }

}  // namespace thalweg
