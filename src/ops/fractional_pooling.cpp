// Pooling over regions of uneven size (Graham 2014, "Fractional Max-Pooling").
#include <cmath>

#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"

namespace thalweg {
namespace {

void pool_shape(ShapeContext& c) {
  const Shape x = c.with_rank(0, 4);
  const auto& ratio = c.attr<std::vector<float>>("pooling_ratio");
  if (ratio.size() != 4 || ratio[0] != 1 || ratio[3] != 1)
    throw c.error("attribute `pooling_ratio` must be [1, rows, columns, 1]");
  if (!c.attr<bool>("deterministic") &&
      (c.attr<int64_t>("seed") != 0 || c.attr<int64_t>("seed2") != 0)) {
    throw c.error("seeds go with `deterministic` only");
  }
  Shape y = x;
  for (int d : {1, 2}) {
    const float r = ratio[static_cast<size_t>(d)];
    if (!(r >= 1)) throw c.error("attribute `pooling_ratio` must not be below 1, got ", r);
    if (x[d] == kUnknownDim) continue;
    y.set_dim(d, static_cast<int64_t>(std::floor(static_cast<float>(x[d]) / r)));
    if (y[d] < 1) throw c.error("nothing is left of dimension ", d, " of ", x, " pooled by ", r);
  }
  c.set_output(0, y);
  c.set_output(1, Shape{y[1] == kUnknownDim ? kUnknownDim : y[1] + 1});
  c.set_output(2, Shape{y[2] == kUnknownDim ? kUnknownDim : y[2] + 1});
}

void check_sequences(const ShapeContext& c, const Shape& y, int first) {
  for (int d : {1, 2}) {
    const Shape sequence = c.with_rank(first + d - 1, 1);
    if (y[d] != kUnknownDim && !sequence.is_compatible_with(Shape{y[d] + 1})) {
      throw c.error("`", c.input_name(first + d - 1), "` must have ", y[d] + 1, " entries, got ",
                    sequence);
    }
  }
}

void max_grad_shape(ShapeContext& c) {
  const Shape x = c.with_rank(0, 4), y = c.with_rank(1, 4), slope = c.with_rank(2, 4);
  if (!y.is_compatible_with(slope))
    throw c.error("`orig_output` is ", y, ", `out_backprop` ", slope);
  check_sequences(c, y, 3);
  c.set_output(0, x);
}

void avg_grad_shape(ShapeContext& c) {
  const Shape slope = c.with_rank(1, 4);
  check_sequences(c, slope, 2);
  Shape x = c.constant_shape(0);
  if (!x.has_rank()) x = Shape::unknown_of_rank(4);
  if (x.rank() != 4) throw c.error("`orig_input_tensor_shape` must have 4 entries, got ", x);
  c.set_output(0, x);
}

AttrMap overlapping(const GradientContext& c) {
  return {{"overlapping", c.attr<bool>("overlapping")}};
}

void max_gradient(GradientContext& c) {
  if (!c.grad(0)) return;
  c.set(0, c.graph()
               .add("FractionalMaxPoolGrad",
                    {c.input(0), c.output(0), c.grad(0), c.output(1), c.output(2)}, overlapping(c))
               .output());
}

void avg_gradient(GradientContext& c) {
  if (!c.grad(0)) return;
  c.set(0, c.graph()
               .add("FractionalAvgPoolGrad",
                    {shape_of(c.input(0), kInt64), c.grad(0), c.output(1), c.output(2)},
                    overlapping(c))
               .output());
}

constexpr char kType[] = "T: {float, double, int32, int64} | Element type.";
constexpr char kRows[] =
    "row_pooling_sequence: int64 | Where the regions of rows begin, then their end, `[rows + 1]`.";
constexpr char kColumns[] = "col_pooling_sequence: int64 | The same of columns.";
constexpr char kOverlapping[] =
    "overlapping: bool = false | Whether a region takes the first row and column of the next too.";
constexpr char kNoSecond[] = "TensorFlow has no second derivative of it either";

constexpr OpDef pool(std::string_view name, std::string_view doc,
                     void (*gradient)(GradientContext&)) {
  return {
      .name = name,
      .inputs = {"value: T | `[batch, height, width, channels]`."},
      .outputs = {"output: T | `[batch, floor(height / ratio), floor(width / ratio), "
                  "channels]`.",
                  kRows, kColumns},
      .attrs = {"pooling_ratio: list(float) >= 4 | `[1, rows, columns, 1]`, not below 1.",
                "pseudo_random: bool = false | Whether regions of both sizes are spread "
                "evenly, from a random start; else they are shuffled.",
                kOverlapping,
                "deterministic: bool = false | Whether each run takes the same regions.",
                "seed: int = 0 | Chooses the regions.", "seed2: int = 0 | Chooses further.", kType},
      .doc = doc,
      .shape = pool_shape,
      .gradient = gradient,
      .effect = Effect::kRandom};
}

constexpr OpDef kOps[] = {
    pool("FractionalMaxPool", "The largest of each region of random size.", max_gradient),
    pool("FractionalAvgPool", "The mean of each region of random size.", avg_gradient),
    {.name = "FractionalMaxPoolGrad",
     .inputs = {"orig_input: T | Input of the pooling.", "orig_output: T | Its output.",
                "out_backprop: T | Gradient of that.", kRows, kColumns},
     .outputs = {"output: T | Gradient of the input: goes to the first largest of each region."},
     .attrs = {kOverlapping, kType},
     .doc = "Gradient of FractionalMaxPool.",
     .shape = max_grad_shape,
     .no_gradient = kNoSecond},
    {.name = "FractionalAvgPoolGrad",
     .inputs = {"orig_input_tensor_shape: int64 | Shape of the pooling's input, `[4]`.",
                "out_backprop: T | Gradient of its output.", kRows, kColumns},
     .outputs = {"output: T | Gradient of the input."},
     .attrs = {kOverlapping, kType},
     .doc = "Gradient of FractionalAvgPool.",
     .shape = avg_grad_shape,
     .no_gradient = kNoSecond},
};

}  // namespace

std::span<const OpDef> fractional_pooling_ops() { return kOps; }

}  // namespace thalweg
