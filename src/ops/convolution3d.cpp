#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/volume_options.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/graph/volume_window.h"
#include "thalweg/ops/array.h"

namespace thalweg {
namespace {

bool known(int64_t dim) { return dim != kUnknownDim; }

Shape convolved(const ShapeContext& c, const Shape& input, const Shape& filter) {
  const VolumeAxes axes = volume_axes(c.attr<std::string>("data_format"));
  const int64_t depth = input[axes.channels];
  if (known(depth) && known(filter[3]) && depth != filter[3]) {
    throw c.error("input channels ", depth, ", filter expects ", filter[3], ": the input is ",
                  input, " (", c.attr<std::string>("data_format"), "), the filter ", filter,
                  " (depth, height, width, input channels, output channels)");
  }
  const Windows3d windows = volume_convolution_windows(c.node().attrs(), input, filter);
  Shape output = Shape::unknown_of_rank(5);
  output.set_dim(0, input[0]);
  for (int i = 0; i < 3; ++i) {
    output.set_dim(axes.spatial + i, windows[static_cast<size_t>(i)].output);
  }
  output.set_dim(axes.channels, filter[4]);
  return output;
}

Shape described(const ShapeContext& c, int i) {
  const Shape shape = c.constant_shape(i);
  if (!shape.has_rank()) return Shape::unknown_of_rank(5);
  if (shape.rank() != 5)
    throw c.error("`", c.input_name(i), "` must describe 5 dimensions, got ", shape);
  return shape;
}

void check_backprop(const ShapeContext& c, const Shape& input, const Shape& filter) {
  const Shape expected = convolved(c, input, filter);
  const Shape backprop = c.with_rank(2, 5);
  if (!backprop.is_compatible_with(expected)) {
    throw c.error("`out_backprop` is ", backprop, ", but the convolution of ", input,
                  " with the filter ", filter, " gives ", expected);
  }
}

void conv3d_shape(ShapeContext& c) {
  c.set_output(0, convolved(c, c.with_rank(0, 5), c.with_rank(1, 5)));
}

void backprop_input_shape(ShapeContext& c) {
  Shape input = described(c, 0);
  check_backprop(c, input, c.with_rank(1, 5));
  if (!known(input[0])) input.set_dim(0, c.with_rank(2, 5)[0]);
  c.set_output(0, input);
}

void backprop_filter_shape(ShapeContext& c) {
  const Shape filter = described(c, 1);
  check_backprop(c, c.with_rank(0, 5), filter);
  c.set_output(0, filter);
}

// The convolution is linear in its input and in its filter: each op's inputs get what the other two
// compute from the gradient, as in convolution.cpp.
void conv3d_gradient(GradientContext& c) {
  const Conv3dOptions options = conv3d_options(c.node().attrs());
  c.set(0, conv3d_backprop_input(shape_of(c.input(0)), c.input(1), c.grad(), options));
  c.set(1, conv3d_backprop_filter(c.input(0), shape_of(c.input(1)), c.grad(), options));
}

void backprop_input_gradient(GradientContext& c) {
  const Conv3dOptions options = conv3d_options(c.node().attrs());
  c.set(1, conv3d_backprop_filter(c.grad(), shape_of(c.input(1)), c.input(2), options));
  c.set(2, conv3d(c.grad(), c.input(1), options));
}

void backprop_filter_gradient(GradientContext& c) {
  const Conv3dOptions options = conv3d_options(c.node().attrs());
  c.set(0, conv3d_backprop_input(shape_of(c.input(0)), c.grad(), c.input(2), options));
  c.set(2, conv3d(c.input(0), c.grad(), options));
}

constexpr char kVolumes[] =
    "input: T | Volumes, `[batch, depth, height, width, channels]` or as data_format says.";
constexpr char kFilter[] = "filter: T | `[depth, height, width, input channels, output channels]`.";
constexpr char kBackprop[] = "out_backprop: T | The gradient of the convolution's output.";
constexpr char kType[] = "T: {half, bfloat16, float, double} | Element type.";
constexpr char kStrides[] =
    "strides: list(int) >= 5 | Steps of the window for each dimension; 1 for batch and channels.";
constexpr char kPadding[] =
    "padding: {'SAME', 'VALID'} | SAME: output = ceil(input / stride), the odd cell of padding at "
    "the end; VALID: none.";
constexpr char kFormat[] =
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC' | Order of the dimensions of volumes.";
constexpr char kDilations[] =
    "dilations: list(int) = [1, 1, 1, 1, 1] | Distance of the filter's cells for each dimension; 1 "
    "for batch and channels.";

constexpr OpDef kConvolution3dOps[] = {
    {.name = "Conv3D",
     .inputs = {kVolumes, kFilter},
     .outputs = {"output: T | Volumes with the filter's output channels."},
     .attrs = {kType, kStrides, kPadding, kFormat, kDilations},
     .doc = "Cross-correlation of volumes with a filter.",
     .shape = conv3d_shape,
     .gradient = conv3d_gradient},
    {.name = "Conv3DBackpropInputV2",
     .inputs = {"input_sizes: Tshape | The shape of the volumes, 5 numbers.", kFilter, kBackprop},
     .outputs = {"output: T | The gradient of the volumes."},
     .attrs = {kType, kStrides, kPadding, kFormat, kDilations,
               "Tshape: {int32, int64} = int32 | Type of input_sizes."},
     .doc = "The gradient of Conv3D by its input; by itself a transposed convolution.",
     .shape = backprop_input_shape,
     .gradient = backprop_input_gradient},
    {.name = "Conv3DBackpropFilterV2",
     .inputs = {kVolumes, "filter_sizes: int32 | The shape of the filter, 5 numbers.", kBackprop},
     .outputs = {"output: T | The gradient of the filter."},
     .attrs = {kType, kStrides, kPadding, kFormat, kDilations},
     .doc = "The gradient of Conv3D by its filter.",
     .shape = backprop_filter_shape,
     .gradient = backprop_filter_gradient},
};

}  // namespace

std::span<const OpDef> convolution3d_ops() { return kConvolution3dOps; }

Output conv3d(Output input, Output filter, Conv3dOptions options) {
  return add_op("Conv3D", {input, filter}, conv3d_attrs(options), options.name);
}

Output conv3d_backprop_input(Output input_sizes, Output filter, Output out_backprop,
                             Conv3dOptions options) {
  return add_op("Conv3DBackpropInputV2", {input_sizes, filter, out_backprop}, conv3d_attrs(options),
                options.name);
}

Output conv3d_backprop_filter(Output input, Output filter_sizes, Output out_backprop,
                              Conv3dOptions options) {
  return add_op("Conv3DBackpropFilterV2", {input, filter_sizes, out_backprop},
                conv3d_attrs(options), options.name);
}

Output conv3d_transpose(Output input, Output filter, const IntVector& output_shape,
                        Conv3dOptions options) {
  return conv3d_backprop_input(output_shape.in(input.graph()), filter, input, std::move(options));
}

}  // namespace thalweg
