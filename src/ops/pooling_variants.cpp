// Max pooling in two other forms: with the window as inputs, and with the places of the maxima as a
// second output.
#include "ops/add_op.h"
#include "ops/agreed_shape.h"
#include "ops/families.h"
#include "ops/image_options.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/graph/window.h"

namespace thalweg {
namespace {

// The output of pooling `input` with the window and strides in inputs `ksize` and `ksize` + 1.
Shape pooled_by_inputs(const ShapeContext& c, const Shape& input, int ksize) {
  const ImageAxes axes = image_axes(c.attr<std::string>("data_format"));
  Shape output = input;
  for (int axis : {axes.height, axes.width}) output.set_dim(axis, kUnknownDim);
  for (int i : {ksize, ksize + 1}) {
    const Shape list = c.with_rank(i, 1);
    if (list[0] != kUnknownDim && list[0] != 4) {
      throw c.error("`", c.input_name(i), "` must have 4 entries, got ", list[0]);
    }
  }
  const auto sizes = known_values(c.node(), ksize);
  const auto strides = known_values(c.node(), ksize + 1);
  if (!sizes || !strides) return output;
  AttrMap attrs = c.node().attrs();
  attrs["ksize"] = *sizes;
  attrs["strides"] = *strides;
  const Windows2d windows = pooling_windows(attrs, input);
  output.set_dim(axes.height, windows.height.output);
  output.set_dim(axes.width, windows.width.output);
  return output;
}

void pool_shape(ShapeContext& c) { c.set_output(0, pooled_by_inputs(c, c.with_rank(0, 4), 1)); }

void grad_shape(ShapeContext& c) {
  const Shape output = pooled_by_inputs(c, c.with_rank(0, 4), 3);
  agreed_shape(c, 1, output);
  agreed_shape(c, 2, output);
  c.set_output(0, c.with_rank(0, 4));
}

void grad_grad_shape(ShapeContext& c) {
  const Shape output = pooled_by_inputs(c, c.with_rank(0, 4), 3);
  agreed_shape(c, 2, c.with_rank(0, 4));
  c.set_output(0, agreed_shape(c, 1, output));
}

// Images with places are `[batch, height, width, channels]` only.
Shape pooled_with_places(const ShapeContext& c) {
  AttrMap attrs = c.node().attrs();
  attrs["data_format"] = std::string("NHWC");
  Shape output = c.with_rank(0, 4);
  const Windows2d windows = pooling_windows(attrs, output);
  output.set_dim(1, windows.height.output);
  output.set_dim(2, windows.width.output);
  return output;
}

void places_shape(ShapeContext& c) {
  const Shape output = pooled_with_places(c);
  c.set_output(0, output);
  c.set_output(1, output);
}

void places_grad_shape(ShapeContext& c) {
  const Shape output = pooled_with_places(c);
  agreed_shape(c, 1, output);
  agreed_shape(c, 2, output);
  c.set_output(0, c.with_rank(0, 4));
}

void places_grad_grad_shape(ShapeContext& c) {
  agreed_shape(c, 1, c.with_rank(0, 4));
  c.set_output(0, agreed_shape(c, 2, pooled_with_places(c)));
}

AttrMap attrs_of(const GradientContext& c) {
  AttrMap attrs = c.node().attrs();
  attrs.erase("T");
  return attrs;
}

void pool_gradient(GradientContext& c) {
  c.set(0, add_op("MaxPoolGradV2", {c.input(0), c.output(), c.grad(), c.input(1), c.input(2)},
                  attrs_of(c)));
}

// Which cell is the largest does not change with a small change of the input.
void grad_gradient(GradientContext& c) {
  c.set(2, add_op("MaxPoolGradGradV2", {c.input(0), c.input(1), c.grad(), c.input(3), c.input(4)},
                  attrs_of(c)));
}

void grad_grad_gradient(GradientContext& c) {
  c.set(2, add_op("MaxPoolGradV2", {c.input(0), c.input(1), c.grad(), c.input(3), c.input(4)},
                  attrs_of(c)));
}

void places_gradient(GradientContext& c) {
  if (!c.grad(0)) return;
  c.set(0, add_op("MaxPoolGradWithArgmax", {c.input(0), c.grad(0), c.output(1)}, attrs_of(c)));
}

void places_grad_gradient(GradientContext& c) {
  c.set(1, add_op("MaxPoolGradGradWithArgmax", {c.input(0), c.grad(), c.input(2)}, attrs_of(c)));
}

void places_grad_grad_gradient(GradientContext& c) {
  c.set(1, add_op("MaxPoolGradWithArgmax", {c.input(0), c.grad(), c.input(2)}, attrs_of(c)));
}

constexpr char kImages[] =
    "input: T | Images, `[batch, height, width, channels]` or as data_format says.";
constexpr char kPlain[] = "input: T | Images, `[batch, height, width, channels]`.";
constexpr char kSizes[] =
    "ksize: int32 | Size of the window in each dimension; 1 for batch and channels.";
constexpr char kSteps[] =
    "strides: int32 | Steps of the window in each dimension; 1 for batch and channels.";
constexpr char kInput[] = "orig_input: T | What was pooled.";
constexpr char kOutput[] = "orig_output: T | What pooling gave.";
constexpr char kPlaces[] = "argmax: Targmax | The places that MaxPoolWithArgmax gave.";
constexpr char kWindow[] =
    "ksize: list(int) >= 4 | Size of the window in each dimension; 1 for batch and channels.";
constexpr char kStrides[] =
    "strides: list(int) >= 4 | Steps of the window in each dimension; 1 for batch and channels.";
constexpr char kPadding[] =
    "padding: {'SAME', 'VALID'} | SAME: output = ceil(input / stride), the odd cell of padding at "
    "the end; VALID: none.";
constexpr char kFormat[] =
    "data_format: {'NHWC', 'NCHW'} = 'NHWC' | Order of the dimensions of images.";
constexpr char kBatch[] =
    "include_batch_in_index: bool = false | Whether places count from the first image, not from "
    "their own.";
constexpr char kType[] =
    "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16} = float | "
    "Element type.";
constexpr char kReal[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} "
    "| Element type.";
constexpr char kRealOrFloat[] =
    "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} "
    "= float | Element type.";

constexpr OpDef kPoolingVariantOps[] = {
    {.name = "MaxPoolV2",
     .inputs = {kImages, kSizes, kSteps},
     .outputs = {"output: T | The largest value of each window."},
     .attrs = {kType, kPadding, kFormat},
     .doc = "MaxPool with the window and its steps as inputs.",
     .shape = pool_shape,
     .gradient = pool_gradient},
    {.name = "MaxPoolGradV2",
     .inputs = {kInput, kOutput, "grad: T | The gradient of MaxPoolV2's output.", kSizes, kSteps},
     .outputs = {"output: T | Shaped as orig_input."},
     .attrs = {kPadding, kFormat, kRealOrFloat},
     .doc = "The gradient of MaxPoolV2: each window's goes to its first largest cell.",
     .shape = grad_shape,
     .gradient = grad_gradient},
    {.name = "MaxPoolGradGradV2",
     .inputs = {kInput, kOutput, "grad: T | The gradient of MaxPoolGradV2's output.", kSizes,
                kSteps},
     .outputs = {"output: T | Shaped as orig_output."},
     .attrs = {kPadding, kFormat, kReal},
     .doc = "The gradient of MaxPoolGradV2 by `grad`.",
     .shape = grad_grad_shape,
     .gradient = grad_grad_gradient},
    {.name = "MaxPoolWithArgmax",
     .inputs = {kPlain},
     .outputs = {"output: T | The largest value of each window.",
                 "argmax: Targmax | Its place: (row * width + column) * channels + channel."},
     .attrs = {kWindow, kStrides, "Targmax: {int32, int64} = int64 | Type of places.", kPadding,
               kBatch, kReal},
     .doc = "MaxPool that also tells where in its image the largest value of each window stands.",
     .shape = places_shape,
     .gradient = places_gradient},
    {.name = "MaxPoolGradWithArgmax",
     .inputs = {kPlain, "grad: T | The gradient of MaxPoolWithArgmax's output.", kPlaces},
     .outputs = {"output: T | Shaped as input."},
     .attrs = {kWindow, kStrides, kPadding, kBatch, "Targmax: {int32, int64} | Type of places.",
               kReal},
     .doc = "The gradient of MaxPoolWithArgmax: each window's goes to the place of its maximum.",
     .shape = places_grad_shape,
     .gradient = places_grad_gradient},
    {.name = "MaxPoolGradGradWithArgmax",
     .inputs = {kPlain, "grad: T | The gradient of MaxPoolGradWithArgmax's output.", kPlaces},
     .outputs = {"output: T | Shaped as argmax."},
     .attrs = {kWindow, kStrides, kPadding, kBatch, "Targmax: {int32, int64} | Type of places.",
               kReal},
     .doc = "The gradient of MaxPoolGradWithArgmax by `grad`: its values at the places.",
     .shape = places_grad_grad_shape,
     .gradient = places_grad_grad_gradient},
};

}  // namespace

std::span<const OpDef> pooling_variant_ops() { return kPoolingVariantOps; }

MaxPoolWithArgmaxResult max_pool_with_argmax(Output input, PoolOptions options) {
  if (options.data_format != "NHWC") {
    throw invalid_argument("max_pool_with_argmax takes \"NHWC\" alone, got data_format \"",
                           options.data_format, "\"");
  }
  AttrMap attrs = pooling_attrs(options);
  attrs.erase("data_format");
  const Output output = add_op("MaxPoolWithArgmax", {input}, std::move(attrs), options.name);
  return {output, output.node()->output(1)};
}

}  // namespace thalweg
