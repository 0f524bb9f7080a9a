// Slices of a tensor or a variable, named by index vectors, and what is done to them.
#include "thalweg/ops/scatter.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/handle.h"
#include "ops/index_vectors.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using Context = GradientContext;

void tensor_shape(ShapeContext& c) {
  check_updates(c, c.input(1), c.input(2), c.input(0));
  c.set_output(0, c.input(0));
}

void variable_nd_shape(ShapeContext& c) {
  check_updates(c, c.input(1), c.input(2), variable_shape(c, 0, c.attr<DType>("T")));
}

void variable_rows_shape(ShapeContext& c) {
  const Shape variable = variable_shape(c, 0, c.attr<DType>("dtype"));
  if (variable.rank() == 0)
    throw c.error("the variable must have at least 1 dimension, got a scalar");
  if (!variable.has_rank()) return;
  const Shape expected = c.input(1).concat(variable.slice(1));
  if (!c.input(2).is_compatible_with(expected) && c.input(2).rank() != 0) {
    throw c.error("`updates` must be a scalar or have shape ", expected,
                  " (the indices', then a row's), got ", c.input(2));
  }
}

void gather_nd_shape(ShapeContext& c) {
  c.set_output(0, slices_shape(c, c.input(1), variable_shape(c, 0, c.attr<DType>("dtype"))));
}

// Dense, as of ResourceGather.
void gather_nd_gradient(Context& c) {
  const Output handle = c.input(0);
  const Shape shape = handle_shape(handle);
  const IntVector target =
      shape.is_fully_defined()
          ? IntVector(constant(
                c.graph(),
                Tensor::from<int64_t>(shape.dims(), Shape{shape.rank()}).cast(c.input(1).dtype())))
          : IntVector(shape_of(read_variable(handle, c.attr<DType>("dtype")), c.input(1).dtype()));
  c.set(0, scatter_nd(c.input(1), c.grad(), target));
}

void sub_gradient(Context& c) {
  c.set(0, c.grad());
  c.set(2, -gather_nd(c.grad(), c.input(1)));
}

void add_gradient(Context& c) {
  c.set(0, c.grad());
  c.set(2, gather_nd(c.grad(), c.input(1)));
}

// Whatever equals the extreme at a place, in the tensor and among the updates, shares its gradient.
void extreme_gradient(Context& c) {
  const Output x = c.input(0), indices = c.input(1), updates = c.input(2), g = c.grad();
  const Output from_x = cast(equal(x, c.output()), g.dtype());
  const Output from_updates = cast(equal(updates, gather_nd(c.output(), indices)), g.dtype());
  const Output count = from_x + scatter_nd(indices, from_updates, shape_of(x, indices.dtype()));
  c.set(0, from_x / count * g);
  c.set(2, from_updates / gather_nd(count, indices) * gather_nd(g, indices));
}

StridedSliceOptions masks_of(const Context& c) {
  return {.begin_mask = c.attr<int64_t>("begin_mask"),
          .end_mask = c.attr<int64_t>("end_mask"),
          .ellipsis_mask = c.attr<int64_t>("ellipsis_mask"),
          .new_axis_mask = c.attr<int64_t>("new_axis_mask"),
          .shrink_axis_mask = c.attr<int64_t>("shrink_axis_mask")};
}

void slice_update_gradient(Context& c) {
  const Output zeros = zeros_like(c.input(4));
  c.set(0, add_op("TensorStridedSliceUpdate", {c.grad(), c.input(1), c.input(2), c.input(3), zeros},
                  {{"begin_mask", c.attr<int64_t>("begin_mask")},
                   {"end_mask", c.attr<int64_t>("end_mask")},
                   {"ellipsis_mask", c.attr<int64_t>("ellipsis_mask")},
                   {"new_axis_mask", c.attr<int64_t>("new_axis_mask")},
                   {"shrink_axis_mask", c.attr<int64_t>("shrink_axis_mask")}}));
  c.set(4, strided_slice(c.grad(), c.input(1), c.input(2), c.input(3), masks_of(c)));
}

void count_up_shape(ShapeContext& c) {
  const Shape variable = variable_shape(c, 0, c.attr<DType>("T"));
  if (!variable.is_compatible_with(Shape{}))
    throw c.error("a counter is a scalar variable, got shape ", variable);
  c.set_output(0, Shape{});
}

void variable_shape_shape(ShapeContext& c) {
  const Shape shape = handle_shape(c.node().input(0));
  c.set_output(0, shape.has_rank() ? Shape{shape.rank()} : Shape{kUnknownDim});
}

constexpr char kNotAFunction[] = "it changes a variable and has no output";
constexpr const char* kTensor = "tensor: T | A tensor.";
constexpr const char* kVectors = "indices: Tindices | Index vectors `[..., k]`.";
constexpr const char* kUpdates = "updates: T | Slices, `indices[:-1] + tensor[k:]`.";
constexpr const char* kRef = "ref: resource | The variable's handle.";
constexpr const char* kResource = "resource: resource | The handle of a variable `[rows, ...]`.";
constexpr const char* kRows = "indices: Tindices | Rows, of any shape, in [0, rows).";
constexpr const char* kRowUpdates =
    "updates: dtype | A scalar, or of the indices' shape, then a row's.";
constexpr const char* kNumber = "T: numbertype | Element type.";
constexpr const char* kAny = "T: type | Element type.";
constexpr const char* kIndex = "Tindices: {int32, int64} | Type of the indices.";
constexpr const char* kPolicy =
    "bad_indices_policy: {'', 'DEFAULT', 'ERROR'} = '' | What is done about an index out of range: "
    "it is an error.";
constexpr const char* kLocking =
    "use_locking: bool = true | Kept for graph files; updates are always whole.";
constexpr const char* kSliceBegin = "begin: Index | As of StridedSlice.";
constexpr const char* kSliceEnd = "end: Index | As of StridedSlice.";
constexpr const char* kSliceStrides = "strides: Index | As of StridedSlice.";
constexpr const char* kSliceValue = "value: T | What goes there, of the slice's shape.";
constexpr const char* kSliceIndex = "Index: {int32, int64} | Type of the positions.";
constexpr const char* kBeginMask = "begin_mask: int = 0 | As of StridedSlice.";
constexpr const char* kEndMask = "end_mask: int = 0 | As of StridedSlice.";
constexpr const char* kEllipsisMask = "ellipsis_mask: int = 0 | As of StridedSlice.";
constexpr const char* kNewAxisMask = "new_axis_mask: int = 0 | As of StridedSlice.";
constexpr const char* kShrinkAxisMask = "shrink_axis_mask: int = 0 | As of StridedSlice.";

constexpr OpDef tensor(std::string_view name, std::string_view doc, GradientFunction gradient) {
  return {.name = name,
          .inputs = {kTensor, kVectors, kUpdates},
          .outputs = {"output: T | The shape of `tensor`."},
          .attrs = {kNumber, kIndex, kPolicy},
          .doc = doc,
          .shape = tensor_shape,
          .gradient = gradient};
}

constexpr OpDef variable_rows(std::string_view name, const char* types, std::string_view doc) {
  return {.name = name,
          .inputs = {kResource, kRows, kRowUpdates},
          .outputs = {},
          .attrs = {types, kIndex},
          .doc = doc,
          .shape = variable_rows_shape,
          .no_gradient = kNotAFunction,
          .effect = Effect::kWrites};
}

constexpr OpDef variable_nd(std::string_view name, const char* types, std::string_view doc) {
  return {.name = name,
          .inputs = {kRef, kVectors, "updates: T | Slices, `indices[:-1] + variable[k:]`."},
          .outputs = {},
          .attrs = {types, kIndex, kLocking, kPolicy},
          .doc = doc,
          .shape = variable_nd_shape,
          .no_gradient = kNotAFunction,
          .effect = Effect::kWrites};
}

constexpr const char* kStateNumber = "dtype: numbertype | Element type of the variable.";
constexpr const char* kStateAny =
    "dtype: {float, double, int32, uint8, int16, int8, int64, bool, bfloat16, uint16, half, "
    "uint32, uint64} | Element type of the variable.";
constexpr const char* kPlain =
    "T: {float, double, int32, uint8, int16, int8, int64, bool, bfloat16, uint16, half, uint32, "
    "uint64} | Element type.";

constexpr OpDef kOps[] = {
    tensor("TensorScatterSub", "Subtracts from slices of a tensor.", sub_gradient),
    tensor("TensorScatterMin", "Lowers slices of a tensor to updates that are less.",
           extreme_gradient),
    tensor("TensorScatterMax", "Raises slices of a tensor to updates that are larger.",
           extreme_gradient),
    {.name = "ScatterNdNonAliasingAdd",
     .inputs = {"input: T | A tensor.", kVectors,
                "updates: T | Slices, `indices[:-1] + input[k:]`."},
     .outputs = {"output: T | The shape of `input`."},
     .attrs = {kNumber, kIndex, kPolicy},
     .doc = "Adds to slices of a tensor.",
     .shape = tensor_shape,
     .gradient = add_gradient},
    {.name = "TensorStridedSliceUpdate",
     .inputs = {"input: T | A tensor.", kSliceBegin, kSliceEnd, kSliceStrides, kSliceValue},
     .outputs = {"output: T | The shape of `input`."},
     .attrs = {kAny, kSliceIndex, kBeginMask, kEndMask, kEllipsisMask, kNewAxisMask,
               kShrinkAxisMask},
     .doc = "A tensor with a strided slice replaced.",
     .shape = shape_functions::same_as_input,
     .gradient = slice_update_gradient},

    variable_rows("ResourceScatterUpdate", kStateAny, "Replaces rows of a variable."),
    variable_rows("ResourceScatterSub", kStateNumber, "Subtracts from rows of a variable."),
    variable_rows("ResourceScatterMul", kStateNumber, "Multiplies rows of a variable."),
    variable_rows("ResourceScatterDiv", kStateNumber,
                  "Divides rows of a variable; integers are cut towards zero."),
    variable_rows("ResourceScatterMin", kStateNumber, "Lowers rows of a variable."),
    variable_rows("ResourceScatterMax", kStateNumber, "Raises rows of a variable."),
    variable_nd("ResourceScatterNdUpdate", kPlain, "Replaces slices of a variable."),
    variable_nd("ResourceScatterNdAdd", kNumber, "Adds to slices of a variable."),
    variable_nd("ResourceScatterNdSub", kNumber, "Subtracts from slices of a variable."),
    variable_nd("ResourceScatterNdMin", kNumber, "Lowers slices of a variable."),
    variable_nd("ResourceScatterNdMax", kNumber, "Raises slices of a variable."),
    {.name = "ResourceGatherNd",
     .inputs = {"resource: resource | The variable's handle.", kVectors},
     .outputs = {"output: dtype | The slices that they name, `indices[:-1] + variable[k:]`."},
     .attrs = {kStateAny, kIndex},
     .doc = "Slices of a variable at index vectors. The gradient is dense.",
     .shape = gather_nd_shape,
     .gradient = gather_nd_gradient,
     .effect = Effect::kReads},
    {.name = "ResourceStridedSliceAssign",
     .inputs = {kRef, kSliceBegin, kSliceEnd, kSliceStrides, kSliceValue},
     .outputs = {},
     .attrs = {kPlain, kSliceIndex, kBeginMask, kEndMask, kEllipsisMask, kNewAxisMask,
               kShrinkAxisMask},
     .doc = "Replaces a strided slice of a variable.",
     .shape = shape_functions::none,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "VariableShape",
     .inputs = {"input: resource | The variable's handle."},
     .outputs = {"output: out_type | The shape of its value, `[rank]`."},
     .attrs = {"out_type: {int32, int64} = int32 | Type of the result."},
     .doc = "The shape of a variable's value.",
     .shape = variable_shape_shape,
     .no_gradient = "a shape is made of integers",
     .effect = Effect::kReads},
    {.name = "DestroyResourceOp",
     .inputs = {"resource: resource | The variable's handle."},
     .outputs = {},
     .attrs = {"ignore_lookup_error: bool = true | Whether one without a value is no error."},
     .doc = "Takes a variable's value away.",
     .shape = shape_functions::none,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "ResourceCountUpTo",
     .inputs = {"resource: resource | The handle of a scalar variable."},
     .outputs = {"output: T | Its value before."},
     .attrs = {"limit: int | What it may reach; an out_of_range error after that.",
               "T: {int32, int64} | Its element type."},
     .doc = "Counts a variable up by one.",
     .shape = count_up_shape,
     .no_gradient = "it counts",
     .effect = Effect::kWrites},
};

}  // namespace

std::span<const OpDef> scatter_ops() { return kOps; }

Output tensor_scatter_sub(Output x, Output indices, Output updates, const ScatterOptions& options) {
  return add_op("TensorScatterSub", {x, indices, updates}, {}, options.name);
}
Output tensor_scatter_min(Output x, Output indices, Output updates, const ScatterOptions& options) {
  return add_op("TensorScatterMin", {x, indices, updates}, {}, options.name);
}
Output tensor_scatter_max(Output x, Output indices, Output updates, const ScatterOptions& options) {
  return add_op("TensorScatterMax", {x, indices, updates}, {}, options.name);
}
Node& resource_scatter_update(Output resource, Output indices, Output updates,
                              const ScatterOptions& options) {
  return resource.graph().add("ResourceScatterUpdate", {resource, indices, updates}, {},
                              {.name = options.name});
}
Output resource_gather_nd(Output resource, Output indices, DType dtype,
                          const ScatterOptions& options) {
  return add_op("ResourceGatherNd", {resource, indices}, {{"dtype", dtype}}, options.name);
}

}  // namespace thalweg
