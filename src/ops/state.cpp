#include "thalweg/ops/state.h"

#include "ops/families.h"
#include "ops/handle.h"
#include "ops/row_count.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/indexing.h"

namespace thalweg {
namespace {

constexpr char kNotAFunction[] = "it changes a variable and has no output";

void read_shape(ShapeContext& c) { c.set_output(0, variable_shape(c, 0, c.attr<DType>("dtype"))); }

// The gradient of a variable is that of its handle: whoever asks for it gets the sum over all
// reads.
void read_gradient(GradientContext& c) { c.set(0, c.grad()); }

void assign_shape(ShapeContext& c) {
  const Shape variable = variable_shape(c, 0, c.attr<DType>("dtype"));
  if (!c.input(1).is_compatible_with(variable)) {
    throw c.error("the value has shape ", c.input(1), ", the variable ", variable);
  }
}

void gather_shape(ShapeContext& c) {
  const Shape variable = variable_shape(c, 0, c.attr<DType>("dtype"));
  if (variable.rank() == 0)
    throw c.error("rows are gathered from a variable of at least 1 dimension, got a scalar");
  const int64_t batch_dims = c.attr<int64_t>("batch_dims");
  const Shape& indices = c.input(1);
  if (batch_dims < 0 || (indices.has_rank() && batch_dims > indices.rank()) ||
      (variable.has_rank() && batch_dims >= variable.rank())) {
    throw c.error("`batch_dims` ", batch_dims, " does not fit indices of shape ", indices,
                  " and a variable of shape ", variable);
  }
  const auto batch = static_cast<int>(batch_dims);
  if (!variable.has_rank() || !indices.has_rank()) return c.set_output(0, Shape::unknown());
  if (!variable.slice(0, batch).is_compatible_with(indices.slice(0, batch))) {
    throw c.error("the first ", batch, " dimensions of the variable, ", variable,
                  ", and of the indices, ", indices, ", must be the same (`batch_dims`)");
  }
  c.set_output(0, indices.concat(variable.slice(batch + 1)));
}

// Dense: zeros with the gradient of each gathered row added to its row.
void gather_gradient(GradientContext& c) {
  if (c.attr<int64_t>("batch_dims") != 0) {
    throw unimplemented(c.node(),
                        ": the gradient of a gather with batch_dims from a handle; gather "
                        "from a read instead");
  }
  const Output handle = c.input(0);
  const Shape shape = handle_shape(handle);
  const bool known = shape.has_rank() && shape[0] != kUnknownDim;
  const Output rows = known ? int_constant(c.graph(), shape[0])
                            : row_count(read_variable(handle, c.attr<DType>("dtype")));
  c.set(0, unsorted_segment_sum(c.grad(), c.input(1), rows));
}

void scatter_shape(ShapeContext& c) {
  const Shape variable = variable_shape(c, 0, c.attr<DType>("dtype"));
  if (variable.rank() == 0)
    throw c.error("rows are added to a variable of at least 1 dimension, got a scalar");
  if (!variable.has_rank()) return;
  const Shape expected = c.input(1).concat(variable.slice(1));
  if (!c.input(2).is_compatible_with(expected) && c.input(2).rank() != 0) {
    throw c.error("`updates` must be a scalar or have shape ", expected,
                  " (the indices', then a row's), got ", c.input(2));
  }
}

constexpr char kResource[] = "resource: resource | The variable's handle.";
constexpr char kAnyType[] =
    "dtype: {float, double, int32, uint8, int16, int8, int64, bool, bfloat16, uint16, half, "
    "uint32, uint64, string} | Element type of the variable.";
constexpr char kNumberType[] = "dtype: numbertype | Element type of the variable.";
constexpr char kIndexType[] = "Tindices: {int32, int64} | Type of indices.";

constexpr OpDef kStateOps[] = {
    {.name = "VarHandleOp",
     .inputs = {},
     .outputs = {"resource: resource | The variable's handle."},
     .attrs = {"container: string = '' | Kept for graph files.",
               "shared_name: string = '' | The variable's name, its key in the session's state; "
               "the node's name when empty.",
               kAnyType, "shape: shape | Shape of the variable; may be unknown in part.",
               "allowed_devices: list(string) = [] | Kept for graph files."},
     .doc = "The handle of a variable. Two handles of one name are the same variable.",
     .shape = shape_functions::scalar,
     .no_gradient = "a variable depends on nothing"},
    {.name = "ReadVariableOp",
     .inputs = {kResource},
     .outputs = {"value: dtype | The variable's value."},
     .attrs = {kAnyType},
     .doc = "The value that the variable has when the op runs. Fails when the variable is not "
            "initialised.",
     .shape = read_shape,
     .gradient = read_gradient,
     .effect = Effect::kReads},
    {.name = "AssignVariableOp",
     .inputs = {kResource, "value: dtype | The new value."},
     .outputs = {},
     .attrs = {kAnyType,
               "validate_shape: bool = false | Kept for graph files: the shape must always be the "
               "declared one."},
     .doc = "Gives the variable a value, and so initialises it.",
     .shape = assign_shape,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "AssignAddVariableOp",
     .inputs = {kResource, "value: dtype | What is added, of the variable's shape."},
     .outputs = {},
     .attrs = {kNumberType},
     .doc = "Adds to the variable in place.",
     .shape = assign_shape,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "AssignSubVariableOp",
     .inputs = {kResource, "value: dtype | What is subtracted, of the variable's shape."},
     .outputs = {},
     .attrs = {kNumberType},
     .doc = "Subtracts from the variable in place.",
     .shape = assign_shape,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "VarIsInitializedOp",
     .inputs = {kResource},
     .outputs = {"is_initialized: bool | A scalar."},
     .attrs = {},
     .doc = "Whether the variable has a value.",
     .shape = shape_functions::scalar,
     .no_gradient = "its output is not a number",
     .effect = Effect::kReads},
    {.name = "DisableCopyOnRead",
     .inputs = {kResource},
     .outputs = {},
     .attrs = {},
     .doc = "Does nothing: reads copy when they must. TensorFlow 2 puts it before it saves.",
     .shape = [](ShapeContext&) {},
     .no_gradient = "it has no outputs",
     .effect = Effect::kReads},
    {.name = "ResourceGather",
     .inputs = {"resource: resource | The handle of a variable `[rows, ...]`.",
                "indices: Tindices | Rows, of any shape, in [0, rows)."},
     .outputs = {"output: dtype | Shape of the indices, then `variable[batch_dims + 1:]`."},
     .attrs = {"batch_dims: int = 0 | Leading dimensions that the variable and `indices` share.",
               "validate_indices: bool = true | They always are.", kAnyType, kIndexType},
     .doc = "Rows of a variable (an embedding look-up). An index out of range is an error. The "
            "gradient is dense.",
     .shape = gather_shape,
     .gradient = gather_gradient,
     .effect = Effect::kReads},
    {.name = "ResourceScatterAdd",
     .inputs = {"resource: resource | The handle of a variable `[rows, ...]`.",
                "indices: Tindices | Rows, of any shape, in [0, rows).",
                "updates: dtype | A scalar, or of the indices' shape, then a row's."},
     .outputs = {},
     .attrs = {kNumberType, kIndexType},
     .doc = "Adds to rows of a variable in place; a row that is named twice gets both. An index "
            "out of range is an error.",
     .shape = scatter_shape,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
};

}  // namespace

std::span<const OpDef> state_ops() { return kStateOps; }

Output var_handle(Graph& graph, DType dtype, const Shape& shape, VarHandleOptions options) {
  return graph
      .add("VarHandleOp", {},
           {{"dtype", dtype},
            {"shape", shape},
            {"container", options.container},
            {"shared_name", options.shared_name}},
           {.name = options.name})
      .output();
}

Output read_variable(Output resource, DType dtype, StateOptions options) {
  return resource.graph()
      .add("ReadVariableOp", {resource}, {{"dtype", dtype}}, {.name = options.name})
      .output();
}

Node& assign_variable(Output resource, Output value, StateOptions options) {
  return resource.graph().add("AssignVariableOp", {resource, value}, {}, {.name = options.name});
}

Node& assign_add_variable(Output resource, Output value, StateOptions options) {
  return resource.graph().add("AssignAddVariableOp", {resource, value}, {}, {.name = options.name});
}

Node& assign_sub_variable(Output resource, Output value, StateOptions options) {
  return resource.graph().add("AssignSubVariableOp", {resource, value}, {}, {.name = options.name});
}

Output var_is_initialized(Output resource, StateOptions options) {
  return resource.graph()
      .add("VarIsInitializedOp", {resource}, {}, {.name = options.name})
      .output();
}

Output resource_gather(Output resource, Output indices, DType dtype, StateOptions options) {
  return resource.graph()
      .add("ResourceGather", {resource, indices}, {{"dtype", dtype}}, {.name = options.name})
      .output();
}

Node& resource_scatter_add(Output resource, Output indices, Output updates, StateOptions options) {
  return resource.graph().add("ResourceScatterAdd", {resource, indices, updates}, {},
                              {.name = options.name});
}

}  // namespace thalweg
