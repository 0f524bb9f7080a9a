#include "thalweg/ops/pooling.h"

#include <limits>

#include "ops/add_op.h"
#include "ops/agreed_shape.h"
#include "ops/families.h"
#include "ops/image_options.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/graph/window.h"
#include "thalweg/ops/array.h"

namespace thalweg {
namespace {

Shape pooled(const ShapeContext& c, const Shape& input) {
  const ImageAxes axes = image_axes(c.attr<std::string>("data_format"));
  const Windows2d windows = pooling_windows(c.node(), input);
  Shape output = input;
  output.set_dim(axes.height, windows.height.output);
  output.set_dim(axes.width, windows.width.output);
  return output;
}

void pool_shape(ShapeContext& c) { c.set_output(0, pooled(c, c.with_rank(0, 4))); }

void max_pool_grad_shape(ShapeContext& c) {
  const Shape output = pooled(c, c.with_rank(0, 4));
  agreed_shape(c, 1, output);
  agreed_shape(c, 2, output);
  c.set_output(0, c.with_rank(0, 4));
}

void max_pool_grad_grad_shape(ShapeContext& c) {
  const Shape output = pooled(c, c.with_rank(0, 4));
  agreed_shape(c, 2, c.with_rank(0, 4));
  c.set_output(0, agreed_shape(c, 1, output));
}

void avg_pool_grad_shape(ShapeContext& c) {
  Shape input = c.constant_shape(0);
  if (!input.has_rank()) input = Shape::unknown_of_rank(4);
  if (input.rank() != 4)
    throw c.error("`orig_input_shape` must describe 4 dimensions, got ", input);
  const Shape gradient = agreed_shape(c, 1, pooled(c, input));
  const ImageAxes axes = image_axes(c.attr<std::string>("data_format"));
  for (int axis : {axes.batch, axes.channels}) {
    if (input[axis] == kUnknownDim) input.set_dim(axis, gradient[axis]);
  }
  c.set_output(0, input);
}

// The node's attributes for another op of the family.
AttrMap pooling_attrs_of(const GradientContext& c) {
  AttrMap attrs = c.node().attrs();
  attrs.erase("T");
  return attrs;
}

void max_pool_gradient(GradientContext& c) {
  c.set(0, add_op("MaxPoolGrad", {c.input(0), c.output(), c.grad()}, pooling_attrs_of(c)));
}

// Which cell is the largest does not change with a small change of the input, so only the third
// input has a gradient.
void max_pool_grad_gradient(GradientContext& c) {
  Output input = c.input(0), gradient = c.grad();
  AttrMap attrs = pooling_attrs_of(c);
  if (c.attr<std::string>("padding") == "EXPLICIT") {  // which MaxPoolGradGrad does not know
    const auto& cells = c.attr<std::vector<int64_t>>("explicit_paddings");
    Paddings paddings;
    for (size_t i = 0; i < cells.size(); i += 2) paddings.emplace_back(cells[i], cells[i + 1]);
    input = pad(input, paddings, -std::numeric_limits<double>::infinity());
    gradient = pad(gradient, paddings);
    attrs["padding"] = std::string("VALID");
  }
  attrs.erase("explicit_paddings");
  c.set(2, add_op("MaxPoolGradGrad", {input, c.input(1), gradient}, std::move(attrs)));
}

void max_pool_grad_grad_gradient(GradientContext& c) {
  c.set(2, add_op("MaxPoolGrad", {c.input(0), c.input(1), c.grad()}, pooling_attrs_of(c)));
}

void avg_pool_gradient(GradientContext& c) {
  c.set(0, add_op("AvgPoolGrad", {shape_of(c.input(0)), c.grad()}, pooling_attrs_of(c)));
}

void avg_pool_grad_gradient(GradientContext& c) {
  c.set(1, add_op("AvgPool", {c.grad()}, pooling_attrs_of(c)));
}

constexpr char kWindow[] =
    "ksize: list(int) >= 4 | Size of the window in each dimension; 1 for batch and channels.";
constexpr char kStrides[] =
    "strides: list(int) >= 4 | Steps of the window in each dimension; 1 for batch and channels.";
constexpr char kPadding[] =
    "padding: {'SAME', 'VALID'} | SAME: output = ceil(input / stride), the odd cell of padding at "
    "the end; VALID: none.";
constexpr char kMaxPadding[] =
    "padding: {'SAME', 'VALID', 'EXPLICIT'} | SAME: output = ceil(input / stride), the odd cell of "
    "padding at the end; "
    "VALID: none; EXPLICIT: as explicit_paddings says.";
constexpr char kExplicit[] =
    "explicit_paddings: list(int) = [] | With EXPLICIT: cells before and after each dimension, 8 "
    "numbers.";
constexpr char kFormat[] =
    "data_format: {'NHWC', 'NCHW'} = 'NHWC' | Order of the dimensions of images.";
constexpr char kMaxType[] =
    "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16} = float | "
    "Element type.";
constexpr char kMaxGradType[] =
    "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16} | Element type.";
constexpr char kFloatType[] = "T: {half, bfloat16, float, double} | Element type.";
constexpr char kInput[] = "orig_input: T | What was pooled.";
constexpr char kOutput[] = "orig_output: T | What pooling gave.";

constexpr OpDef kPoolingOps[] = {
    {.name = "MaxPool",
     .inputs = {"input: T | Images, `[batch, height, width, channels]` or as data_format says."},
     .outputs = {"output: T | The largest value of each window; a NaN is larger than all."},
     .attrs = {kMaxType, kWindow, kStrides, kMaxPadding, kExplicit, kFormat},
     .doc = "The largest value under a sliding window, for each channel. Padding never wins. The "
            "gradient of a window goes "
            "wholly to its first largest cell in row order.",
     .shape = pool_shape,
     .gradient = max_pool_gradient},
    {.name = "MaxPoolGrad",
     .inputs = {kInput, kOutput, "grad: T | The gradient of MaxPool's output."},
     .outputs = {"output: T | Shaped as orig_input."},
     .attrs = {kWindow, kStrides, kMaxPadding, kExplicit, kFormat, kMaxGradType},
     .doc = "The gradient of MaxPool: each window's goes to its first largest cell in row order.",
     .shape = max_pool_grad_shape,
     .gradient = max_pool_grad_gradient},
    {.name = "MaxPoolGradGrad",
     .inputs = {kInput, kOutput,
                "grad: T | The gradient of MaxPoolGrad's output, shaped as orig_input."},
     .outputs = {"output: T | Shaped as orig_output."},
     .attrs = {kWindow, kStrides, kPadding, kFormat, kMaxGradType},
     .doc =
         "The gradient of MaxPoolGrad by `grad`: takes the cell that MaxPool took in each window.",
     .shape = max_pool_grad_grad_shape,
     .gradient = max_pool_grad_grad_gradient},
    {.name = "AvgPool",
     .inputs = {"value: T | Images, `[batch, height, width, channels]` or as data_format says."},
     .outputs = {"output: T | The mean of each window."},
     .attrs = {kWindow, kStrides, kPadding, kFormat, kFloatType},
     .doc =
         "The mean of the cells under a sliding window, for each channel; padding is not counted.",
     .shape = pool_shape,
     .gradient = avg_pool_gradient},
    {.name = "AvgPoolGrad",
     .inputs = {"orig_input_shape: int32 | The shape of what was pooled, 4 numbers.",
                "grad: T | The gradient of AvgPool's output."},
     .outputs = {"output: T | The gradient of AvgPool's input."},
     .attrs = {kWindow, kStrides, kPadding, kFormat, kFloatType},
     .doc = "The gradient of AvgPool: each window's is shared out evenly among its cells.",
     .shape = avg_pool_grad_shape,
     .gradient = avg_pool_grad_gradient},
};

}  // namespace

std::span<const OpDef> pooling_ops() { return kPoolingOps; }

Output max_pool(Output input, PoolOptions options) {
  return add_op("MaxPool", {input}, pooling_attrs(options), options.name);
}

Output max_pool_grad(Output orig_input, Output orig_output, Output grad, PoolOptions options) {
  return add_op("MaxPoolGrad", {orig_input, orig_output, grad}, pooling_attrs(options),
                options.name);
}

Output max_pool_grad_grad(Output orig_input, Output orig_output, Output grad, PoolOptions options) {
  return add_op("MaxPoolGradGrad", {orig_input, orig_output, grad}, pooling_attrs(options),
                options.name);
}

Output avg_pool(Output value, PoolOptions options) {
  return add_op("AvgPool", {value}, pooling_attrs(options), options.name);
}

Output avg_pool_grad(Output orig_input_shape, Output grad, PoolOptions options) {
  return add_op("AvgPoolGrad", {orig_input_shape, grad}, pooling_attrs(options), options.name);
}

}  // namespace thalweg
