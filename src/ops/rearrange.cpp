// Ops that shift or turn elements around along dimensions, and spacing.
#include "thalweg/ops/rearrange.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/int_constant.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using Context = GradientContext;

void roll_shape(ShapeContext& c) {
  for (int i = 1; i < 3; ++i) {
    if (c.input(i).rank() > 1)
      throw c.error("input `", c.input_name(i), "` must be a scalar or a vector, got shape ",
                    c.input(i));
  }
  if (!c.input(1).is_compatible_with(c.input(2))) {
    throw c.error("`shift` has shape ", c.input(1), ", `axis` has ", c.input(2),
                  "; they must be the same");
  }
  const Shape x = c.with_rank_at_least(0, 1);
  if (const auto axes = known_values(c.node(), 2); axes && x.has_rank()) {
    for (int64_t axis : *axes) normalize_axis(c, axis, x.rank());
  }
  c.set_output(0, x);
}

void reverse_sequence_shape(ShapeContext& c) {
  const Shape lengths = c.with_rank(1, 1);
  Shape x = c.input(0);
  if (!x.has_rank()) return c.set_output(0, x);
  const int sequence = normalize_axis(c, c.attr<int64_t>("seq_dim"), x.rank());
  const int batch = normalize_axis(c, c.attr<int64_t>("batch_dim"), x.rank());
  if (sequence == batch) throw c.error("`seq_dim` and `batch_dim` are both ", batch);
  if (!Shape{x[batch]}.is_compatible_with(lengths)) {
    throw c.error("`seq_lengths` has shape ", lengths, ", expected [", x[batch], "], dimension ",
                  batch, " of ", x);
  }
  if (x[batch] == kUnknownDim) x.set_dim(batch, lengths[0]);
  c.set_output(0, x);
}

void lin_space_shape(ShapeContext& c) {
  for (int i = 0; i < 3; ++i) c.with_rank(i, 0);
  const auto num = known_scalar(c, 2);
  if (num && *num <= 0) throw c.error("`num` is ", *num, ", it must be positive");
  c.set_output(0, Shape{num.value_or(kUnknownDim)});
}

constexpr OpDef kOps[] = {
    {.name = "Roll",
     .inputs = {"input: T | At least one dimension.",
                "shift: Tshift | By how many places, a scalar or `[n]`.",
                "axis: Taxis | Along which dimensions, of the same shape."},
     .outputs = {"output: T | The shape of `input`."},
     .attrs = {"T: type | Element type.", "Tshift: {int32, int64} | Type of `shift`.",
               "Taxis: {int32, int64} | Type of `axis`."},
     .doc =
         "Shifts elements along dimensions; what leaves at one end comes in at the other. Shifts "
         "along one dimension add up.",
     .shape = roll_shape,
     .gradient =
         [](Context& c) {
           c.set(0, add_op("Roll", {c.grad(), neg(c.input(1)), c.input(2)}));
         }},
    {.name = "ReverseSequence",
     .inputs = {"input: T | A tensor.",
                "seq_lengths: Tlen | One length for each entry, `[batch]`."},
     .outputs = {"output: T | The shape of `input`."},
     .attrs = {"seq_dim: int | Dimension that is reversed in part.",
               "batch_dim: int = 0 | Dimension of the entries.", "T: type | Element type.",
               "Tlen: {int32, int64} = int64 | Type of the lengths."},
     .doc = "Reverses the first seq_lengths[b] elements along a dimension, for each b.",
     .shape = reverse_sequence_shape,
     .gradient =
         [](Context& c) {
           c.set(0, reverse_sequence(c.grad(), c.input(1),
                                     {.seq_dim = c.attr<int64_t>("seq_dim"),
                                      .batch_dim = c.attr<int64_t>("batch_dim")}));
         }},
    {.name = "LinSpace",
     .inputs = {"start: T | The first number, a scalar.", "stop: T | The last, a scalar.",
                "num: Tidx | How many, positive, a scalar."},
     .outputs = {"output: T | `[num]`."},
     .attrs = {"T: {bfloat16, half, float, double} | Element type.",
               "Tidx: {int32, int64} = int32 | Type of `num`."},
     .doc = "Evenly spaced numbers between two, both among them.",
     .shape = lin_space_shape,
     .no_gradient = "TensorFlow has none; start + range * step has"},
};

}  // namespace

std::span<const OpDef> rearrange_ops() { return kOps; }

Output roll(Output x, const IntVector& shift, const IntVector& axes,
            const RearrangeOptions& options) {
  return add_op("Roll", {x, shift.in(x.graph()), axes.in(x.graph())}, {}, options.name);
}

Output reverse_sequence(Output x, Output lengths, const ReverseSequenceOptions& options) {
  return add_op("ReverseSequence", {x, lengths},
                {{"seq_dim", options.seq_dim}, {"batch_dim", options.batch_dim}}, options.name);
}

Output lin_space(Graph& graph, double start, double stop, int64_t num, DType dtype,
                 const RearrangeOptions& options) {
  const Output first = constant(graph, Tensor(start).cast(dtype));
  const Output last = constant(graph, Tensor(stop).cast(dtype));
  const Output count = int_constant(graph, num);
  return add_op("LinSpace", {first, last, count}, {}, options.name);
}

}  // namespace thalweg
