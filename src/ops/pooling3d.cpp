#include "ops/add_op.h"
#include "ops/agreed_shape.h"
#include "ops/families.h"
#include "ops/volume_options.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/graph/volume_window.h"
#include "thalweg/ops/array.h"

namespace thalweg {
namespace {

Shape pooled(const ShapeContext& c, const Shape& input) {
  const VolumeAxes axes = volume_axes(c.attr<std::string>("data_format"));
  const Windows3d windows = volume_pooling_windows(c.node().attrs(), input);
  Shape output = input;
  for (int i = 0; i < 3; ++i) {
    output.set_dim(axes.spatial + i, windows[static_cast<size_t>(i)].output);
  }
  return output;
}

void pool_shape(ShapeContext& c) { c.set_output(0, pooled(c, c.with_rank(0, 5))); }

void max_grad_shape(ShapeContext& c) {
  const Shape output = pooled(c, c.with_rank(0, 5));
  agreed_shape(c, 1, output);
  agreed_shape(c, 2, output);
  c.set_output(0, c.with_rank(0, 5));
}

void max_grad_grad_shape(ShapeContext& c) {
  const Shape output = pooled(c, c.with_rank(0, 5));
  agreed_shape(c, 2, c.with_rank(0, 5));
  c.set_output(0, agreed_shape(c, 1, output));
}

void avg_grad_shape(ShapeContext& c) {
  Shape input = c.constant_shape(0);
  if (!input.has_rank()) input = Shape::unknown_of_rank(5);
  if (input.rank() != 5)
    throw c.error("`orig_input_shape` must describe 5 dimensions, got ", input);
  const Shape gradient = agreed_shape(c, 1, pooled(c, input));
  for (int axis : {0, volume_axes(c.attr<std::string>("data_format")).channels}) {
    if (input[axis] == kUnknownDim) input.set_dim(axis, gradient[axis]);
  }
  c.set_output(0, input);
}

AttrMap attrs_of(const GradientContext& c) {
  AttrMap attrs = c.node().attrs();
  attrs.erase("T");
  attrs.erase("TInput");
  return attrs;
}

void max_gradient(GradientContext& c) {
  c.set(0, add_op("MaxPool3DGrad", {c.input(0), c.output(), c.grad()}, attrs_of(c)));
}

// Which cell is the largest does not change with a small change of the input.
void max_grad_gradient(GradientContext& c) {
  c.set(2, add_op("MaxPool3DGradGrad", {c.input(0), c.input(1), c.grad()}, attrs_of(c)));
}

void max_grad_grad_gradient(GradientContext& c) {
  c.set(2, add_op("MaxPool3DGrad", {c.input(0), c.input(1), c.grad()}, attrs_of(c)));
}

void avg_gradient(GradientContext& c) {
  c.set(0, add_op("AvgPool3DGrad", {shape_of(c.input(0)), c.grad()}, attrs_of(c)));
}

void avg_grad_gradient(GradientContext& c) {
  c.set(1, add_op("AvgPool3D", {c.grad()}, attrs_of(c)));
}

constexpr char kVolumes[] =
    "input: T | Volumes, `[batch, depth, height, width, channels]` or as data_format says.";
constexpr char kWindow[] =
    "ksize: list(int) >= 5 | Size of the window in each dimension; 1 for batch and channels.";
constexpr char kStrides[] =
    "strides: list(int) >= 5 | Steps of the window in each dimension; 1 for batch and channels.";
constexpr char kPadding[] =
    "padding: {'SAME', 'VALID'} | SAME: output = ceil(input / stride), the odd cell of padding at "
    "the end; VALID: none.";
constexpr char kFormat[] =
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC' | Order of the dimensions of volumes.";
constexpr char kFloats[] = "T: {half, bfloat16, float, double} | Element type.";

constexpr OpDef kPooling3dOps[] = {
    {.name = "MaxPool3D",
     .inputs = {kVolumes},
     .outputs = {"output: T | The largest value of each window; a NaN is larger than all."},
     .attrs = {kWindow, kStrides, kPadding, kFormat, kFloats},
     .doc = "The largest value under a sliding window, for each channel. Padding never wins.",
     .shape = pool_shape,
     .gradient = max_gradient},
    {.name = "MaxPool3DGrad",
     .inputs = {"orig_input: TInput | What was pooled.", "orig_output: TInput | What pooling gave.",
                "grad: T | The gradient of MaxPool3D's output."},
     .outputs = {"output: T | Shaped as orig_input."},
     .attrs = {kWindow, kStrides, kPadding, kFormat,
               "T: {half, bfloat16, float, double} = float | Type of the gradient.",
               "TInput: {half, bfloat16, float, double} = float | Type of what was pooled."},
     .doc = "The gradient of MaxPool3D: each window's goes to its first largest cell in row order.",
     .shape = max_grad_shape,
     .gradient = max_grad_gradient},
    {.name = "MaxPool3DGradGrad",
     .inputs = {"orig_input: T | What was pooled.", "orig_output: T | What pooling gave.",
                "grad: T | The gradient of MaxPool3DGrad's output, shaped as orig_input."},
     .outputs = {"output: T | Shaped as orig_output."},
     .attrs = {kWindow, kStrides, kPadding, kFormat,
               "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, "
               "uint32, uint64} | Element type."},
     .doc = "The gradient of MaxPool3DGrad by `grad`: the cell that MaxPool3D took in each window.",
     .shape = max_grad_grad_shape,
     .gradient = max_grad_grad_gradient},
    {.name = "AvgPool3D",
     .inputs = {kVolumes},
     .outputs = {"output: T | The mean of each window."},
     .attrs = {kWindow, kStrides, kPadding, kFormat, kFloats},
     .doc = "The mean of the cells under a sliding window, for each channel; padding is not "
            "counted.",
     .shape = pool_shape,
     .gradient = avg_gradient},
    {.name = "AvgPool3DGrad",
     .inputs = {"orig_input_shape: int32 | The shape of what was pooled, 5 numbers.",
                "grad: T | The gradient of AvgPool3D's output."},
     .outputs = {"output: T | The gradient of AvgPool3D's input."},
     .attrs = {kWindow, kStrides, kPadding, kFormat, kFloats},
     .doc = "The gradient of AvgPool3D: each window's is shared out evenly among its cells.",
     .shape = avg_grad_shape,
     .gradient = avg_grad_gradient},
};

}  // namespace

std::span<const OpDef> pooling3d_ops() { return kPooling3dOps; }

Output max_pool3d(Output input, Pool3dOptions options) {
  return add_op("MaxPool3D", {input}, pool3d_attrs(options), options.name);
}

Output avg_pool3d(Output input, Pool3dOptions options) {
  return add_op("AvgPool3D", {input}, pool3d_attrs(options), options.name);
}

}  // namespace thalweg
