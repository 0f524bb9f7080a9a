#include "ops/add_op.h"
#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/normalization.h"

namespace thalweg {
namespace {

void lrn_shape(ShapeContext& c) { c.set_output(0, c.with_rank(0, 4)); }

void lrn_grad_shape(ShapeContext& c) {
  Shape shape = c.with_rank(0, 4);
  for (int i : {1, 2}) {
    const Shape other = c.with_rank(i, 4);
    if (!other.is_compatible_with(shape)) {
      throw c.error("`", c.input_name(i), "` is ", other, ", the gradient ", shape,
                    "; they must be equal");
    }
    shape = shape.merge(other);
  }
  c.set_output(0, shape);
}

void lrn_gradient(GradientContext& c) {
  c.set(0, add_op("LRNGrad", {c.grad(), c.input(0), c.output()},
                  {{"depth_radius", c.attr<int64_t>("depth_radius")},
                   {"bias", c.attr<float>("bias")},
                   {"alpha", c.attr<float>("alpha")},
                   {"beta", c.attr<float>("beta")}}));
}

constexpr char kRadius[] =
    "depth_radius: int = 5 | Channels on either side that count, beside the cell's own.";
constexpr char kBias[] = "bias: float = 1 | Added to the sum of squares.";
constexpr char kAlpha[] = "alpha: float = 1 | Factor of the sum of squares.";
constexpr char kBeta[] = "beta: float = 0.5 | Exponent.";
constexpr char kType[] = "T: {half, bfloat16, float} = float | Element type.";

constexpr OpDef kLocalResponseOps[] = {
    {.name = "LRN",
     .inputs = {"input: T | `[batch, height, width, channels]`."},
     .outputs = {"output: T | Shaped as input."},
     .attrs = {kRadius, kBias, kAlpha, kBeta, kType},
     .doc = "Local response normalisation (Krizhevsky et al. 2012): x / (bias + alpha * sum of "
            "squares)^beta, the sum over neighbouring channels.",
     .shape = lrn_shape,
     .gradient = lrn_gradient},
    {.name = "LRNGrad",
     .inputs = {"input_grads: T | The gradient of LRN's output.", "input_image: T | LRN's input.",
                "output_image: T | LRN's output."},
     .outputs = {"output: T | The gradient of LRN's input."},
     .attrs = {kRadius, kBias, kAlpha, kBeta, kType},
     .doc = "The gradient of LRN.",
     .shape = lrn_grad_shape,
     .no_gradient = "TensorFlow defines none"},
};

}  // namespace

std::span<const OpDef> local_response_ops() { return kLocalResponseOps; }

Output local_response_normalization(Output input, LocalResponseOptions options) {
  return add_op("LRN", {input},
                {{"depth_radius", options.depth_radius},
                 {"bias", options.bias},
                 {"alpha", options.alpha},
                 {"beta", options.beta}},
                options.name);
}

}  // namespace thalweg
