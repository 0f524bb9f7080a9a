// Ops on the colours of images.
#include "ops/add_op.h"
#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/image.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

// The last dimension holds three channels.
Shape three_channels(const ShapeContext& c, int rank) {
  Shape shape = c.with_rank_at_least(0, rank);
  if (!shape.has_rank()) return shape;
  const int last = shape.rank() - 1;
  if (shape[last] != kUnknownDim && shape[last] != 3) {
    throw c.error("the last dimension must hold 3 colours, got shape ", shape);
  }
  shape.set_dim(last, 3);
  return shape;
}

void colour_shape(ShapeContext& c) { c.set_output(0, three_channels(c, 1)); }

void adjust_colour_shape(ShapeContext& c) {
  c.with_rank(1, 0);
  c.set_output(0, three_channels(c, 3));
}

void contrast_shape(ShapeContext& c) {
  c.with_rank(1, 0);
  c.set_output(0, c.with_rank_at_least(0, 3));
}

// With v the largest and m the least of r, g, b, and d = v - m: V = v, S = d / v, and 6 H = e / d +
// a constant, where e is g - b when r is the largest, b - r when g is, r - g when b is.
void rgb_to_hsv_gradient(GradientContext& c) {
  const std::vector<Output> rgb = split(c.input(0), 3, -1);
  const std::vector<Output> flow = split(c.grad(), 3, -1);
  const Output r = rgb[0], g = rgb[1], b = rgb[2];
  const DType dtype = r.dtype();
  const auto flag = [&](Output condition) { return cast(condition, dtype); };
  const Output v = maximum(r, maximum(g, b)), m = minimum(r, minimum(g, b)), d = v - m;
  const Output r_first = logical_and(greater_equal(r, g), greater_equal(r, b));
  const Output g_first = logical_and(logical_not(r_first), greater_equal(g, b));
  const Output r_last = logical_and(less_equal(r, g), less_equal(r, b));
  const Output g_last = logical_and(logical_not(r_last), less_equal(g, b));
  const Output most[] = {flag(r_first), flag(g_first),
                         flag(logical_not(logical_or(r_first, g_first)))};
  const Output least[] = {flag(r_last), flag(g_last),
                          flag(logical_not(logical_or(r_last, g_last)))};
  const Output e = most[0] * (g - b) + most[1] * (b - r) + most[2] * (r - g);
  const Output slope_e[] = {most[2] - most[1], most[0] - most[2], most[1] - most[0]};
  std::vector<Output> gradients;
  for (int i = 0; i < 3; ++i) {
    const Output slope_d = most[i] - least[i];
    const Output hue = div_no_nan(slope_e[i] * d - e * slope_d, d * d) * (1.0 / 6);
    const Output saturation = div_no_nan(m * most[i] - v * least[i], v * v);
    gradients.push_back(flow[0] * hue + flow[1] * saturation + flow[2] * most[i]);
  }
  c.set(0, concat(gradients, -1));
}

void contrast_gradient(GradientContext& c) {
  const Output x = c.input(0), g = c.grad();
  const Output factor = cast(c.input(1), x.dtype());
  const auto mean = [](Output values) {
    return reduce_mean(values, {-3, -2}, {.keep_dims = true});
  };
  c.set(0, g * factor + mean(g) * (1 - factor));
  const Output slope = cast(g, kFloat32) * (cast(x, kFloat32) - mean(cast(x, kFloat32)));
  c.set(1, reduce_sum(slope));
}

constexpr char kColours[] = "images: T | `[..., 3]`, each in [0, 1].";
constexpr char kFloats[] = "T: {half, bfloat16, float, double} = float | Element type.";
constexpr char kNarrow[] = "T: {half, float} = float | Element type.";

constexpr OpDef kColourOps[] = {
    {.name = "RGBToHSV",
     .inputs = {kColours},
     .outputs = {"output: T | Hue, saturation and value, each in [0, 1]."},
     .attrs = {kFloats},
     .doc = "Red, green and blue to hue, saturation and value. Grey has the hue 0.",
     .shape = colour_shape,
     .gradient = rgb_to_hsv_gradient},
    {.name = "HSVToRGB",
     .inputs = {kColours},
     .outputs = {"output: T | Red, green and blue, each in [0, 1]."},
     .attrs = {kFloats},
     .doc = "Hue, saturation and value to red, green and blue.",
     .shape = colour_shape,
     .no_gradient = "TensorFlow defines none"},
    {.name = "AdjustContrastv2",
     .inputs = {"images: T | `[..., height, width, channels]`.",
                "contrast_factor: float | A scalar."},
     .outputs = {"output: T | Shaped as images."},
     .attrs = {kNarrow},
     .doc = "(x - mean) * contrast_factor + mean, the mean of each channel of each image.",
     .shape = contrast_shape,
     .gradient = contrast_gradient},
    {.name = "AdjustHue",
     .inputs = {"images: T | `[..., 3]`, RGB, at least three dimensions.",
                "delta: float | A scalar: part of the colour circle to turn by."},
     .outputs = {"output: T | Shaped as images."},
     .attrs = {kNarrow},
     .doc = "Turns the hue of colours; the largest and the least of their parts stay.",
     .shape = adjust_colour_shape,
     .no_gradient = "TensorFlow defines none"},
    {.name = "AdjustSaturation",
     .inputs = {"images: T | `[..., 3]`, RGB, at least three dimensions.",
                "scale: float | A scalar factor."},
     .outputs = {"output: T | Shaped as images."},
     .attrs = {kNarrow},
     .doc = "Multiplies the saturation of colours, and keeps it in [0, 1].",
     .shape = adjust_colour_shape,
     .no_gradient = "TensorFlow defines none"},
};

}  // namespace

std::span<const OpDef> colour_ops() { return kColourOps; }

Output rgb_to_hsv(Output images, ImageOptions options) {
  return add_op("RGBToHSV", {images}, {}, options.name);
}

Output hsv_to_rgb(Output images, ImageOptions options) {
  return add_op("HSVToRGB", {images}, {}, options.name);
}

Output adjust_contrast(Output images, Output contrast_factor, ImageOptions options) {
  return add_op("AdjustContrastv2", {images, contrast_factor}, {}, options.name);
}

Output adjust_hue(Output images, Output delta, ImageOptions options) {
  return add_op("AdjustHue", {images, delta}, {}, options.name);
}

Output adjust_saturation(Output images, Output scale, ImageOptions options) {
  return add_op("AdjustSaturation", {images, scale}, {}, options.name);
}

}  // namespace thalweg
