// Ops that make tensors, feed them, and tell or change their shape without moving elements.
#include "thalweg/ops/array.h"

#include <algorithm>

#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"
#include "thalweg/tensor/range.h"
#include "thalweg/tensor/reshape.h"

namespace thalweg {
namespace {

void no_flow(GradientContext&) {}

void pass_gradient(GradientContext& context) { context.set(0, context.grad()); }

// Gradient of an op that only gives its input another shape.
void restore_shape(GradientContext& context) {
  const Output x = context.input(0);
  const Shape& shape = x.shape();
  int unknown = 0;
  bool empty = false;
  for (int64_t dim : shape.dims()) {
    unknown += dim == kUnknownDim ? 1 : 0;
    empty = empty || dim == 0;
  }
  // One unknown dimension can be left to Reshape, which saves looking at x; beside a 0 it could not
  // be told.
  const bool fixed = shape.has_rank() && (unknown == 0 || (unknown == 1 && !empty));
  context.set(0, reshape(context.grad(), fixed ? IntVector(shape) : IntVector(shape_of(x))));
}

void const_shape(ShapeContext& context) {
  const Tensor& value = context.attr<Tensor>("value");
  if (value.dtype() != context.attr<DType>("dtype")) {
    throw context.error("attribute `value` is ", value.dtype(), ", but `dtype` is ",
                        context.attr<DType>("dtype"));
  }
  context.set_output(0, value.shape());
}

void default_shape(ShapeContext& context) {
  const Shape& shape = context.attr<Shape>("shape");
  if (!shape.is_compatible_with(context.input(0))) {
    throw context.error("the default has shape ", context.input(0), ", which `shape` ", shape,
                        " does not admit");
  }
  context.set_output(0, shape);
}

void shape_vector(ShapeContext& context) {
  const Shape& x = context.input(0);
  context.set_output(0, x.has_rank() ? Shape{x.rank()} : Shape::unknown_of_rank(1));
}

void reshape_shape(ShapeContext& context) {
  context.with_rank(1, 1);
  const auto entries = known_entries(context, 1);
  if (!entries) return context.set_output(0, Shape::unknown());
  const bool constant = context.constant(1).has_value();
  const Shape& x = context.input(0);
  if (entries->size() > Shape::kMaxRank) {
    throw context.error("cannot reshape to ", entries->size(), " dimensions; at most ",
                        Shape::kMaxRank, " are possible");
  }
  std::vector<int64_t> dims;
  int wildcards = 0;
  int open = 0;  // dimensions that are -1, or that the graph will compute
  for (const auto& entry : *entries) {
    if (entry && *entry < -1)
      throw context.error("the target shape holds the negative size ", *entry);
    wildcards += entry && *entry == -1 ? 1 : 0;
    open += entry && *entry != -1 ? 0 : 1;
    dims.push_back(entry.value_or(kUnknownDim));
  }
  if (wildcards > 1)
    throw context.error("only one dimension of the target may be -1, got ", wildcards);
  const Shape target(dims);
  if (!x.is_fully_defined() || open > 1) return context.set_output(0, target);
  // A single dimension that is computed has the size a -1 would, but beside a 0 it may have any.
  if (open == 1 && !constant && std::count(dims.begin(), dims.end(), 0) != 0)
    return context.set_output(0, target);
  context.set_output(0, resolve_reshape(x, target));
}

void expand_dims_shape(ShapeContext& context) {
  if (const int64_t n = context.input(1).num_elements(); n != kUnknownDim && n != 1) {
    throw context.error("input `dim` must be one number, got shape ", context.input(1));
  }
  const Shape& x = context.input(0);
  if (!x.has_rank()) return context.set_output(0, Shape::unknown());
  const auto axis = known_scalar(context, 1);
  if (!axis) return context.set_output(0, Shape::unknown_of_rank(x.rank() + 1));
  const int place = normalize_axis(context, *axis, x.rank() + 1);
  context.set_output(0, x.slice(0, place).concat(Shape{1}).concat(x.slice(place)));
}

void squeeze_shape(ShapeContext& context) {
  const Shape& x = context.input(0);
  if (!x.has_rank()) return context.set_output(0, Shape::unknown());
  const auto& axes = context.attr<std::vector<int64_t>>("squeeze_dims");
  std::vector<bool> drop(static_cast<size_t>(x.rank()), false);
  for (int64_t axis : axes) {
    const int place = normalize_axis(context, axis, x.rank());
    if (x[place] != 1 && x[place] != kUnknownDim) {
      throw context.error("cannot squeeze dimension ", axis, " of shape ", x, ": its size is ",
                          x[place], ", not 1");
    }
    drop[static_cast<size_t>(place)] = true;
  }
  std::vector<int64_t> dims;
  for (int i = 0; i < x.rank(); ++i) {
    if (axes.empty() && x[i] == kUnknownDim) return context.set_output(0, Shape::unknown());
    if (axes.empty() ? x[i] != 1 : !drop[static_cast<size_t>(i)]) dims.push_back(x[i]);
  }
  context.set_output(0, Shape(dims));
}

void fill_shape(ShapeContext& context) {
  context.with_rank(1, 0);
  context.set_output(0, requested_shape(context, 0));
}

void range_shape(ShapeContext& context) {
  for (int i = 0; i < 3; ++i) context.with_rank(i, 0);
  Tensor bounds[3];
  for (int i = 0; i < 3; ++i) {
    if (const auto value = context.constant(i)) {
      bounds[i] = *value;
    } else if (const auto known =
                   is_integer(context.input_dtype(i)) ? known_scalar(context, i) : std::nullopt) {
      bounds[i] = Tensor(*known);
    } else {
      return context.set_output(0, Shape::unknown_of_rank(1));
    }
  }
  context.set_output(0, Shape{range_length(bounds[0], bounds[1], bounds[2])});
}

void range_gradient(GradientContext& context) {
  // output[i] = start + i * delta
  const Output grad = context.grad();
  const Output zero = scalar_like(grad, 0);
  const Output positions = cast(
      range(cast(zero, kInt32), size_of(grad), cast(scalar_like(grad, 1), kInt32)), grad.dtype());
  context.set(0, reduce_sum(grad));
  context.set(2, reduce_sum(grad * positions));
}

constexpr OpDef kArrayOps[] = {
    {.name = "Const",
     .inputs = {},
     .outputs = {"output: dtype | The value."},
     .attrs = {"value: tensor | What the node gives.", "dtype: type | Its element type."},
     .doc = "A constant.",
     .shape = const_shape,
     .no_gradient = "it has no inputs"},
    {.name = "Placeholder",
     .inputs = {},
     .outputs = {"output: dtype | What the run feeds."},
     .attrs = {"dtype: type | Element type.",
               "shape: shape = { unknown_rank: true } | What shapes it takes; unknown dimensions "
               "take any size."},
     .doc = "A tensor that every run must feed; running it is an error.",
     .shape = [](ShapeContext& c) { c.set_output(0, c.attr<Shape>("shape")); },
     .no_gradient = "it has no inputs"},
    {.name = "PlaceholderWithDefault",
     .inputs = {"input: dtype | The value when the run feeds none."},
     .outputs = {"output: dtype | What the run feeds, or `input`."},
     .attrs = {"dtype: type | Element type.", "shape: shape | What shapes it takes."},
     .doc = "A tensor that a run may feed.",
     .shape = default_shape,
     .gradient = pass_gradient},
    {.name = "Identity",
     .inputs = {"input: T | A tensor."},
     .outputs = {"output: T | The same."},
     .attrs = {"T: type | Element type."},
     .doc = "Its input.",
     .shape = shape_functions::same_as_input,
     .gradient = pass_gradient},
    {.name = "StopGradient",
     .inputs = {"input: T | A tensor."},
     .outputs = {"output: T | The same."},
     .attrs = {"T: type | Element type."},
     .doc = "Its input, which counts as a constant when gradients are taken.",
     .shape = shape_functions::same_as_input,
     .gradient = no_flow},
    {.name = "Shape",
     .inputs = {"input: T | A tensor."},
     .outputs = {"output: out_type | Its shape, `[rank]`."},
     .attrs = {"T: type | Element type.", "out_type: {int32, int64} = int32 | Type of the result."},
     .doc = "The shape of a tensor, as a vector.",
     .shape = shape_vector,
     .no_gradient = "a shape is made of integers"},
    {.name = "Rank",
     .inputs = {"input: T | A tensor."},
     .outputs = {"output: int32 | Number of its dimensions, a scalar."},
     .attrs = {"T: type | Element type."},
     .doc = "The number of dimensions of a tensor.",
     .shape = shape_functions::scalar,
     .no_gradient = "a rank is an integer"},
    {.name = "Size",
     .inputs = {"input: T | A tensor."},
     .outputs = {"output: out_type | Number of its elements, a scalar."},
     .attrs = {"T: type | Element type.", "out_type: {int32, int64} = int32 | Type of the result."},
     .doc = "The number of elements of a tensor.",
     .shape = shape_functions::scalar,
     .no_gradient = "a size is an integer"},
    {.name = "Reshape",
     .inputs = {"tensor: T | A tensor.",
                "shape: Tshape | The new shape; one entry may be -1 and is then what is left."},
     .outputs =
         {"output: T | The elements of `tensor` in the same row-major order, under `shape`."},
     .attrs = {"T: type | Element type.", "Tshape: {int32, int64} = int32 | Type of `shape`."},
     .doc = "The same elements under another shape.",
     .shape = reshape_shape,
     .gradient = restore_shape},
    {.name = "ExpandDims",
     .inputs = {"input: T | A tensor.",
                "dim: Tdim | Where the new dimension goes, in `[-1 - rank, rank]`; one number."},
     .outputs = {"output: T | `input` with a dimension of size 1 there."},
     .attrs = {"T: type | Element type.", "Tdim: {int32, int64} = int32 | Type of `dim`."},
     .doc = "Adds a dimension of size 1.",
     .shape = expand_dims_shape,
     .gradient = restore_shape},
    {.name = "Squeeze",
     .inputs = {"input: T | A tensor."},
     .outputs = {"output: T | `input` without dimensions of size 1."},
     .attrs = {"T: type | Element type.",
               "squeeze_dims: list(int) >= 0 = [] | The dimensions to drop, each of size 1; empty: "
               "all of size 1."},
     .doc = "Drops dimensions of size 1.",
     .shape = squeeze_shape,
     .gradient = restore_shape},
    {.name = "Fill",
     .inputs = {"dims: index_type | Shape of the result.", "value: T | A scalar."},
     .outputs = {"output: T | `dims` filled with `value`."},
     .attrs = {"T: type | Element type.", "index_type: {int32, int64} = int32 | Type of `dims`."},
     .doc = "A tensor with all elements equal.",
     .shape = fill_shape,
     .gradient = [](GradientContext& c) { c.set(1, reduce_sum(c.grad())); }},
    {.name = "Range",
     .inputs = {"start: Tidx | The first number, a scalar.",
                "limit: Tidx | Where to stop, itself left out; a scalar.",
                "delta: Tidx | The step, not 0; a scalar."},
     .outputs = {"output: Tidx | `start`, `start + delta`, ... short of `limit`, `[n]`."},
     .attrs = {"Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32} = "
               "int32 | "
               "Element type."},
     .doc = "Evenly spaced numbers.",
     .shape = range_shape,
     .gradient = range_gradient},
    {.name = "ZerosLike",
     .inputs = {"x: T | A tensor."},
     .outputs = {"y: T | Zeros (empty strings, false) of its shape."},
     .attrs = {"T: type | Element type."},
     .doc = "Zeros of the shape of a tensor.",
     .shape = shape_functions::same_as_input,
     .gradient = no_flow},
    {.name = "OnesLike",
     .inputs = {"x: T | A tensor."},
     .outputs = {"y: T | Ones (true) of its shape."},
     .attrs = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, "
               "int64, uint64, bool, complex64, complex128} | "
               "Element type."},
     .doc = "Ones of the shape of a tensor.",
     .shape = shape_functions::same_as_input,
     .gradient = no_flow},
};

}  // namespace

std::span<const OpDef> array_ops() { return kArrayOps; }

}  // namespace thalweg
