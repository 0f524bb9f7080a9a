// Arithmetic that is neither element-wise of one or two tensors nor a plain reduction: norms,
// clipping, cross products, order statistics, running sums of exponentials.
#include <algorithm>

#include "ops/add_op.h"
#include "ops/binary_rows.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "ops/reduction_shape.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/broadcast.h"
#include "thalweg/ops/numeric.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using Context = GradientContext;

// x / (norm / grad), the order of TensorFlow's, on the norm with its dimensions kept.
void norm_gradient(Context& c) {
  const Output x = c.input(0), axes = c.input(1);
  Output norm = c.output(), grad = c.grad();
  if (!c.attr<bool>("keep_dims")) {
    // The shape of this sum is all that is used of it.
    const Output kept = shape_of(reduce_sum(x, axes, {.keep_dims = true}));
    norm = reshape(norm, kept);
    grad = reshape(grad, kept);
  }
  c.set(0, x / (norm / grad));
}

void clip_shape(ShapeContext& c) {
  for (int i = 1; i < 3; ++i) {
    const Shape whole = broadcast(c.input(0), c.input(i));
    if (!whole.is_compatible_with(c.input(0))) {
      throw c.error("input `", c.input_name(i), "` of shape ", c.input(i),
                    " does not broadcast to that of `t`, ", c.input(0));
    }
  }
  c.set_output(0, c.input(0));
}

void clip_gradient(Context& c) {
  const Output t = c.input(0), low = c.input(1), high = c.input(2), g = c.grad();
  const Output below = less(t, low), above = greater(t, high);
  c.set(0, select(logical_or(below, above), 0.0, g));
  c.set(1, sum_to_shape_of(select(below, g, 0.0), low));
  c.set(2, sum_to_shape_of(select(above, g, 0.0), high));
}

void cross_shape(ShapeContext& c) {
  rows::one_shape(c);
  const Shape a = c.with_rank_at_least(0, 1);
  if (a.has_rank() && a.dim(-1) != kUnknownDim && a.dim(-1) != 3)
    throw c.error("the last dimension must be 3, got shape ", a);
}

void nth_element_shape(ShapeContext& c) {
  const Shape x = c.with_rank_at_least(0, 1);
  c.with_rank(1, 0);
  if (!x.has_rank()) return c.set_output(0, Shape::unknown());
  const auto n = known_scalar(c, 1);
  if (n && (*n < 0 || (x.dim(-1) != kUnknownDim && *n >= x.dim(-1)))) {
    throw c.error("`n` is ", *n, ", outside [0, ", x.dim(-1), "), the last dimension of ", x);
  }
  c.set_output(0, x.slice(0, x.rank() - 1));
}

// Elements equal to the n-th share its gradient in equal parts.
void nth_element_gradient(Context& c) {
  const Output x = c.input(0);
  const Output chosen = cast(equal(expand_dims(c.output(), -1), x), x.dtype());
  const Output number = reduce_sum(chosen, {-1}, {.keep_dims = true});
  c.set(0, chosen / number * expand_dims(c.grad(), -1));
}

double lowest(DType dtype) {
  switch (dtype) {
    case kFloat64: return -1.7976931348623157e308;
    case kFloat16: return -65504;
    case kBFloat16: return -3.3895313892515355e38;
    default: return -3.4028234663852886e38;
  }
}

// x[j] goes into the logarithms y[i] with weight exp(x[j] - y[i]); the sum over i, of both signs
// apart, is again a running sum of exponentials, from the other end.
void logsumexp_gradient(Context& c) {
  const Output x = c.input(0), y = c.output(), g = c.grad();
  const double nothing = lowest(x.dtype());
  const auto part = [&](Output amount) {
    const Output some = greater(amount, 0.0);
    const Output logarithm = select(some, log(select(some, amount, 1.0)), nothing);
    const Output sum =
        add_op("CumulativeLogsumexp", {logarithm - y, c.input(1)},
               {{"exclusive", c.attr<bool>("exclusive")}, {"reverse", !c.attr<bool>("reverse")}});
    return exp(sum + x);
  };
  c.set(0, part(g) - part(-g));
}

constexpr OpDef kOps[] = {
    {.name = "EuclideanNorm",
     .inputs = {"input: T | Any shape.",
                "reduction_indices: Tidx | Axes, a vector or a scalar, each in [-rank, rank)."},
     .outputs = {"output: T | Without the reduced dimensions, or with size 1 there."},
     .attrs = {"keep_dims: bool = false | Keep reduced dimensions, with size 1.", rows::kFloats,
               "Tidx: {int32, int64} = int32 | Type of the axes."},
     .doc = "Root of the sum of squares over axes.",
     .shape = reduction_shape,
     .gradient = norm_gradient},
    {.name = "ClipByValue",
     .inputs = {"t: T | Any shape.", "clip_value_min: T | Lower bound, broadcast to `t`.",
                "clip_value_max: T | Upper bound, broadcast to `t`."},
     .outputs = {"output: T | The shape of `t`."},
     .attrs = {"T: numbertype | Element type."},
     .doc = "max(min(t, clip_value_max), clip_value_min). Bounds that cut take the gradient.",
     .shape = clip_shape,
     .gradient = clip_gradient},
    {.name = "ApproximateEqual",
     .inputs = {"x: T | A tensor.", "y: T | Another, of the same shape."},
     .outputs = {"z: bool | Their shape."},
     .attrs = {"T: numbertype | Element type.",
               "tolerance: float = 1e-05 | What differences must be less than."},
     .doc = "|x - y| < tolerance.",
     .shape = rows::one_shape,
     .no_gradient = "the result is bool"},
    {.name = "Cross",
     .inputs = {"a: T | Vectors `[..., 3]`.", "b: T | Vectors, of the same shape."},
     .outputs = {"product: T | Their shape."},
     .attrs = {"T: realnumbertype | Element type."},
     .doc = "Cross products of vectors.",
     .shape = cross_shape,
     .gradient =
         [](Context& c) {
           c.set(0, cross(c.input(1), c.grad()));
           c.set(1, cross(c.grad(), c.input(0)));
         }},
    {.name = "NthElement",
     .inputs = {"input: T | At least one dimension.",
                "n: int32 | Place in the order, from 0; a scalar."},
     .outputs = {"values: T | Without the last dimension."},
     .attrs = {"reverse: bool = false | Whether to count from the largest.",
               "T: realnumbertype | Element type."},
     .doc = "The n-th smallest element along the last dimension.",
     .shape = nth_element_shape,
     .gradient = nth_element_gradient},
    {.name = "CumulativeLogsumexp",
     .inputs = {"x: T | At least one dimension.", "axis: Tidx | A scalar in [-rank, rank)."},
     .outputs = {"out: T | The shape of `x`."},
     .attrs = {"exclusive: bool = false | Leave each element out of its own result; the first is "
               "-inf.",
               "reverse: bool = false | From the end to the start.", rows::kFloats,
               "Tidx: {int32, int64} = int32 | Type of the axis."},
     .doc = "Logarithm of the running sum of exponentials along an axis, without overflow.",
     .shape = accumulation_shape,
     .gradient = logsumexp_gradient},
};

}  // namespace

std::span<const OpDef> arithmetic_ops() { return kOps; }

}  // namespace thalweg
