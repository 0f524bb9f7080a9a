// Ops that hand their input on, perhaps after a look at it, and that tell shapes.
#include <algorithm>

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"

namespace thalweg {
namespace {

using Context = GradientContext;

void pass_gradient(Context& c) { c.set(0, c.grad()); }

void ensure_shape(ShapeContext& c) {
  const Shape& shape = c.attr<Shape>("shape");
  if (!shape.is_compatible_with(c.input(0)))
    throw c.error("the input has shape ", c.input(0), ", expected ", shape);
  c.set_output(0, shape.merge(c.input(0)));
}

void all_as_inputs(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) c.set_output(i, c.input(i));
}

void shapes_shape(ShapeContext& c) {
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Shape& x = c.input(i);
    c.set_output(i, x.has_rank() ? Shape{x.rank()} : Shape::unknown_of_rank(1));
  }
}

void broadcast_args_shape(ShapeContext& c) {
  const Shape a = c.with_rank(0, 1), b = c.with_rank(1, 1);
  const bool known = a[0] != kUnknownDim && b[0] != kUnknownDim;
  c.set_output(0, Shape{known ? std::max(a[0], b[0]) : kUnknownDim});
}

void bitcast_shape(ShapeContext& c) {
  const Shape& x = c.input(0);
  const auto from = static_cast<int64_t>(element_size(c.input_dtype(0)));
  const auto to = static_cast<int64_t>(element_size(c.attr<DType>("type")));
  if (from == to || !x.has_rank()) return c.set_output(0, x);
  if (from > to) return c.set_output(0, x.concat(Shape{from / to}));
  if (x.rank() == 0 || (x.dim(-1) != kUnknownDim && x.dim(-1) != to / from)) {
    throw c.error("to make ", c.attr<DType>("type"), " of ", c.input_dtype(0),
                  " the last dimension must be ", to / from, ", got shape ", x);
  }
  c.set_output(0, x.slice(0, x.rank() - 1));
}

void check_gradient(Context& c) {
  c.set(0,
        add_op("CheckNumericsV2", {c.grad()},
               {{"message", "Not a number (NaN) or infinity (Inf) values detected in gradient. " +
                                c.attr<std::string>("message")}}));
}

constexpr const char* kAny = "T: type | Element type.";
constexpr const char* kIn = "input: T | A tensor.";
constexpr const char* kOut = "output: T | The same.";
constexpr const char* kBits =
    "T: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16} "
    "| Element type.";

constexpr OpDef kOps[] = {
    {.name = "EnsureShape",
     .inputs = {kIn},
     .outputs = {kOut},
     .attrs = {"shape: shape | What shapes it may have.", kAny},
     .doc = "Its input, which must have the shape; an error when it runs and has not.",
     .shape = ensure_shape,
     .gradient = pass_gradient},
    {.name = "IdentityN",
     .inputs = {"input: T | Tensors."},
     .outputs = {"output: T | The same."},
     .attrs = {"T: list(type) >= 1 | Their element types."},
     .doc = "Its inputs.",
     .shape = all_as_inputs,
     .gradient =
         [](Context& c) {
           for (int i = 0; i < c.num_inputs(); ++i) {
             if (c.grad(i)) c.set(i, c.grad(i));
           }
         }},
    {.name = "Snapshot",
     .inputs = {kIn},
     .outputs = {kOut},
     .attrs = {kAny},
     .doc = "Its input, as a copy.",
     .shape = shape_functions::same_as_input,
     .gradient = pass_gradient},
    {.name = "PlaceholderV2",
     .inputs = {},
     .outputs = {"output: dtype | What the run feeds."},
     .attrs = {"dtype: type | Element type.", "shape: shape | What shapes it takes."},
     .doc = "A tensor that every run must feed; running it is an error.",
     .shape = [](ShapeContext& c) { c.set_output(0, c.attr<Shape>("shape")); },
     .no_gradient = "it has no inputs"},
    {.name = "PreventGradient",
     .inputs = {kIn},
     .outputs = {kOut},
     .attrs = {kAny, "message: string = '' | Why there must be none."},
     .doc = "Its input, which must not be differentiated by.",
     .shape = shape_functions::same_as_input,
     .no_gradient = "to forbid it is its point; its `message` says why"},
    {.name = "GuaranteeConst",
     .inputs = {kIn},
     .outputs = {kOut},
     .attrs = {kAny},
     .doc = "Its input, promised never to change.",
     .shape = shape_functions::same_as_input,
     .no_gradient = "its input is promised to be constant"},
    {.name = "CheckNumericsV2",
     .inputs = {"tensor: T | Any shape."},
     .outputs = {"output: T | The same."},
     .attrs = {"T: {bfloat16, half, float, double} | Element type.",
               "message: string | What the error begins with."},
     .doc = "Its input; an error when it holds NaN or an infinity.",
     .shape = shape_functions::same_as_input,
     .gradient = check_gradient},
    {.name = "Bitcast",
     .inputs = {kIn},
     .outputs = {"output: type | Its bits: a last dimension more when the type is narrower, one "
                 "less when it is wider."},
     .attrs = {kBits,
               "type: {bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, "
               "int8, int16} | What the bits are read as."},
     .doc = "The same bits as another type, lowest byte first.",
     .shape = bitcast_shape,
     .no_gradient = "bits are no function of the value"},
    {.name = "ShapeN",
     .inputs = {"input: N * T | Tensors."},
     .outputs = {"output: N * out_type | Their shapes, `[rank]` each."},
     .attrs = {"N: int >= 1 | How many.", kAny,
               "out_type: {int32, int64} = int32 | Type of the results."},
     .doc = "The shapes of tensors, as vectors.",
     .shape = shapes_shape,
     .no_gradient = "a shape is made of integers"},
    {.name = "BroadcastArgs",
     .inputs = {"s0: T | A shape, `[rank0]`.", "s1: T | A shape, `[rank1]`."},
     .outputs = {"r0: T | The shape that both broadcast to."},
     .attrs = {"T: {int32, int64} = int32 | Type of the shapes."},
     .doc = "The shape of two tensors broadcast together.",
     .shape = broadcast_args_shape,
     .no_gradient = "a shape is made of integers"},
};

}  // namespace

std::span<const OpDef> passing_ops() { return kOps; }

}  // namespace thalweg
