#include "thalweg/ops/normalization.h"

#include "ops/add_op.h"
#include "ops/batch_norm.h"
#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

void softmax_shape(ShapeContext& c) { c.set_output(0, c.with_rank_at_least(0, 1)); }

void softmax_gradient(GradientContext& c) {
  const Output y = c.output(), g = c.grad();
  c.set(0, (g - reduce_sum(g * y, -1, {.keep_dims = true})) * y);
}

void log_softmax_gradient(GradientContext& c) {
  const Output g = c.grad();
  c.set(0, g - reduce_sum(g, -1, {.keep_dims = true}) * exp(c.output()));
}

constexpr char kEpsilon[] = "epsilon: float = 0.0001 | Added to the variance under the root.";
constexpr char kFormat[] = "data_format: {'NHWC', 'NCHW'} = 'NHWC' | Order of the dimensions of x.";
constexpr char kTraining[] =
    "is_training: bool = true | Whether x is normalised by its own mean and variance.";

constexpr OpDef kNormalizationOps[] = {
    {.name = "FusedBatchNormV3",
     .inputs =
         {"x: T | `[batch, height, width, channels]`, or as data_format says.",
          "scale: U | `[channels]`.", "offset: U | `[channels]`.",
          "mean: U | `[channels]`: the running mean. May be `[0]` in training with a factor of 1.",
          "variance: U | `[channels]`: the running variance, likewise."},
     .outputs = {"y: T | Shaped as x.", "batch_mean: U | `[channels]`: the new running mean.",
                 "batch_variance: U | `[channels]`: the new running variance. The batch's counts n "
                 "/ max(n - 1, 1) times, "
                 "for n values a channel: unbiased, and finite for n = 1.",
                 "reserve_space_1: U | `[channels]`: the mean that x was normalised by.",
                 "reserve_space_2: U | `[channels]`: the variance that x was normalised by, "
                 "without correction.",
                 "reserve_space_3: U | A scalar without meaning."},
     .attrs = {"T: {half, bfloat16, float, double} | Type of x.",
               "U: {float, double} | Type of per-channel values.", kEpsilon,
               "exponential_avg_factor: float = 1.0 | new running value = (1 - factor) * old + "
               "factor * the batch's.",
               kFormat, kTraining},
     .doc = "Batch normalisation (Ioffe and Szegedy 2015): scale * (x - mean) / sqrt(variance + "
            "epsilon) + offset for each "
            "channel. A batch without values leaves the running values as they are (with a factor "
            "of 1: 0).",
     .shape = batch_norm_shape,
     .gradient = batch_norm_gradient},
    {.name = "FusedBatchNormGradV3",
     .inputs = {"y_backprop: T | The gradient of y.", "x: T | What was normalised.",
                "scale: U | `[channels]`.",
                "reserve_space_1: U | `[channels]`: the mean that x was normalised by.",
                "reserve_space_2: U | `[channels]`: the variance that x was normalised by.",
                "reserve_space_3: U | Not looked at."},
     .outputs = {"x_backprop: T | The gradient of x.", "scale_backprop: U | The gradient of scale.",
                 "offset_backprop: U | The gradient of offset.", "reserve_space_4: U | Empty.",
                 "reserve_space_5: U | Empty."},
     .attrs = {"T: {half, bfloat16, float, double} | Type of x.",
               "U: {float, double} | Type of per-channel values.", kEpsilon, kFormat, kTraining},
     .doc = "The gradient of FusedBatchNormV3's y. In training that of x goes through mean and "
            "variance as well.",
     .shape = batch_norm_grad_shape,
     .gradient = batch_norm_grad_gradient},
    {.name = "Softmax",
     .inputs = {"logits: T | `[..., classes]`."},
     .outputs = {"softmax: T | Shaped as logits; the last dimension sums to 1."},
     .attrs = {"T: {half, bfloat16, float, double} | Element type."},
     .doc = "exp(logits) / sum(exp(logits)) over the last dimension. The largest logit is "
            "subtracted first, so that finite "
            "logits give finite results.",
     .shape = softmax_shape,
     .gradient = softmax_gradient},
    {.name = "LogSoftmax",
     .inputs = {"logits: T | `[..., classes]`."},
     .outputs = {"logsoftmax: T | Shaped as logits."},
     .attrs = {"T: {half, bfloat16, float, double} | Element type."},
     .doc = "logits - log(sum(exp(logits))) over the last dimension, finite for finite logits.",
     .shape = softmax_shape,
     .gradient = log_softmax_gradient},
};

}  // namespace

std::span<const OpDef> normalization_ops() { return kNormalizationOps; }

FusedBatchNormResult fused_batch_norm(Output x, Output scale, Output offset, Output mean,
                                      Output variance, FusedBatchNormOptions options) {
  const Output y = add_op("FusedBatchNormV3", {x, scale, offset, mean, variance},
                          {{"epsilon", options.epsilon},
                           {"exponential_avg_factor", options.exponential_avg_factor},
                           {"data_format", options.data_format},
                           {"is_training", options.is_training}},
                          options.name);
  const Node& node = *y.node();
  return {y, node.output(1), node.output(2), node.output(3), node.output(4), node.output(5)};
}

FusedBatchNormGradResult fused_batch_norm_grad(Output y_backprop, Output x, Output scale,
                                               Output reserve_space_1, Output reserve_space_2,
                                               Output reserve_space_3,
                                               FusedBatchNormOptions options) {
  const Output dx =
      add_op("FusedBatchNormGradV3",
             {y_backprop, x, scale, reserve_space_1, reserve_space_2, reserve_space_3},
             {{"epsilon", options.epsilon},
              {"data_format", options.data_format},
              {"is_training", options.is_training}},
             options.name);
  return {dx, dx.node()->output(1), dx.node()->output(2)};
}

Output softmax(Output logits, SoftmaxOptions options) {
  return add_op("Softmax", {logits}, {}, options.name);
}

Output log_softmax(Output logits, SoftmaxOptions options) {
  return add_op("LogSoftmax", {logits}, {}, options.name);
}

Output l2_normalize(Output x, L2NormalizeOptions options) {
  const Output squares = reduce_sum(square(x), options.axis, {.keep_dims = true});
  return add_op("Mul", {x, rsqrt(maximum(squares, options.epsilon))}, {}, options.name);
}

}  // namespace thalweg
