#include "thalweg/ops/convolution.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/image_options.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/graph/window.h"
#include "thalweg/ops/array.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

bool known(int64_t dim) { return dim != kUnknownDim; }

ImageAxes axes_of(const ShapeContext& c) { return image_axes(c.attr<std::string>("data_format")); }

// The channels that come out; checks that those that go in fit the filter. Names say what the
// shapes belong to.
int64_t output_channels(const ShapeContext& c, const Shape& input, const Shape& filter,
                        bool depthwise) {
  const int64_t depth = input.dim(axes_of(c).channels);
  if (known(depth) && known(filter[2]) &&
      (depthwise ? depth != filter[2] : filter[2] == 0 || depth == 0 || depth % filter[2] != 0)) {
    throw c.error("input depth ", depth, ", filter expects ", filter[2], ": the input is ", input,
                  " (", c.attr<std::string>("data_format"), "), the filter ", filter,
                  depthwise ? " (height, width, input depth, multiplier)"
                            : " (height, width, input depth, output depth)");
  }
  if (depthwise) {
    const int64_t in = known(depth) ? depth : filter[2];
    return multiply_dims(in, filter[3]);
  }
  if (known(depth) && known(filter[2]) && known(filter[3]) &&
      filter[3] % (depth / filter[2]) != 0) {
    throw c.error("the filter ", filter, " takes the ", depth, " input channels in ",
                  depth / filter[2], " groups, and its ", filter[3],
                  " output channels must be a multiple of that");
  }
  return filter[3];
}

Shape convolved(const ShapeContext& c, const Shape& input, const Shape& filter, bool depthwise) {
  const ImageAxes axes = axes_of(c);
  const Windows2d windows = convolution_windows(c.node(), input, filter[0], filter[1]);
  Shape output = Shape::unknown_of_rank(4);
  output.set_dim(axes.batch, input[axes.batch]);
  output.set_dim(axes.height, windows.height.output);
  output.set_dim(axes.width, windows.width.output);
  output.set_dim(axes.channels, output_channels(c, input, filter, depthwise));
  return output;
}

Shape ranked(const ShapeContext& c, int i) { return c.with_rank(i, 4); }

// The shape that an integer vector describes, of rank 4.
Shape described(const ShapeContext& c, int i) {
  const Shape shape = c.constant_shape(i);
  if (!shape.has_rank()) return Shape::unknown_of_rank(4);
  if (shape.rank() != 4)
    throw c.error("`", c.input_name(i), "` must describe 4 dimensions, got ", shape);
  return shape;
}

// Whether the gradient that came has the shape of what the convolution gives.
void check_backprop(const ShapeContext& c, const Shape& input, const Shape& filter,
                    bool depthwise) {
  const Shape expected = convolved(c, input, filter, depthwise);
  const Shape backprop = ranked(c, 2);
  if (!backprop.is_compatible_with(expected)) {
    throw c.error("`out_backprop` is ", backprop, ", but the convolution of ", input,
                  " with the filter ", filter, " gives ", expected);
  }
}

template <bool kDepthwise>
void convolution_shape(ShapeContext& c) {
  c.set_output(0, convolved(c, ranked(c, 0), ranked(c, 1), kDepthwise));
}

template <bool kDepthwise>
void backprop_input_shape(ShapeContext& c) {
  Shape input = described(c, 0);
  check_backprop(c, input, ranked(c, 1), kDepthwise);
  const int batch = axes_of(c).batch;
  if (!known(input[batch])) input.set_dim(batch, ranked(c, 2)[batch]);
  c.set_output(0, input);
}

template <bool kDepthwise>
void backprop_filter_shape(ShapeContext& c) {
  const Shape filter = described(c, 1);
  check_backprop(c, ranked(c, 0), filter, kDepthwise);
  c.set_output(0, filter);
}

ConvOptions options_of(const GradientContext& c) {
  const auto& format = c.attr<std::string>("data_format");
  ConvOptions options{.strides = image_pair(c.attr<std::vector<int64_t>>("strides"), format),
                      .padding = c.attr<std::string>("padding"),
                      .dilations = image_pair(c.attr<std::vector<int64_t>>("dilations"), format),
                      .data_format = format};
  const auto& paddings = c.attr<std::vector<int64_t>>("explicit_paddings");
  if (!paddings.empty()) {
    const ImageAxes axes = image_axes(format);
    for (int axis : {axes.height, axes.width}) {
      const auto at = paddings.begin() + 2 * axis;
      options.explicit_paddings.insert(options.explicit_paddings.end(), at, at + 2);
    }
  }
  return options;
}

// A convolution is linear in its input and in its filter, so that its gradients, and theirs, are
// convolutions and backprops again: each op's inputs get what the other two of the family compute
// from the gradient.
using Convolve = Output (*)(Output, Output, ConvOptions);
using Backprop = Output (*)(Output, Output, Output, ConvOptions);

template <Backprop kInput, Backprop kFilter>
void convolution_gradient(GradientContext& c) {
  c.set(0, kInput(shape_of(c.input(0)), c.input(1), c.grad(), options_of(c)));
  c.set(1, kFilter(c.input(0), shape_of(c.input(1)), c.grad(), options_of(c)));
}

template <Convolve kForward, Backprop kFilter>
void backprop_input_gradient(GradientContext& c) {
  c.set(1, kFilter(c.grad(), shape_of(c.input(1)), c.input(2), options_of(c)));
  c.set(2, kForward(c.grad(), c.input(1), options_of(c)));
}

template <Convolve kForward, Backprop kInput>
void backprop_filter_gradient(GradientContext& c) {
  c.set(0, kInput(shape_of(c.input(0)), c.grad(), c.input(2), options_of(c)));
  c.set(2, kForward(c.input(0), c.grad(), options_of(c)));
}

constexpr char kImages[] =
    "input: T | Images, `[batch, height, width, channels]` or as data_format says.";
constexpr char kFilter[] =
    "filter: T | `[height, width, input channels / groups, output channels]`.";
constexpr char kDepthwiseFilter[] = "filter: T | `[height, width, input channels, multiplier]`.";
constexpr char kInputSizes[] = "input_sizes: int32 | The shape of the images, 4 numbers.";
constexpr char kFilterSizes[] = "filter_sizes: int32 | The shape of the filter, 4 numbers.";
constexpr char kBackprop[] = "out_backprop: T | The gradient of the convolution's output.";
constexpr char kStrides[] =
    "strides: list(int) | Steps of the window for each dimension; 1 for batch and channels.";
constexpr char kCudnn[] =
    "use_cudnn_on_gpu: bool = true | Kept for graph files; has no meaning here.";
constexpr char kPadding[] =
    "padding: {'SAME', 'VALID', 'EXPLICIT'} | SAME: output = ceil(input / stride), the odd cell of "
    "padding at the end; "
    "VALID: none; EXPLICIT: as explicit_paddings says.";
constexpr char kExplicit[] =
    "explicit_paddings: list(int) = [] | With EXPLICIT: cells before and after each dimension, 8 "
    "numbers.";
constexpr char kFormat[] =
    "data_format: {'NHWC', 'NCHW'} = 'NHWC' | Order of the dimensions of images.";
constexpr char kDilations[] =
    "dilations: list(int) = [1, 1, 1, 1] | Distance of the filter's cells on the image for each "
    "dimension; 1 for batch and "
    "channels.";
constexpr char kType[] = "T: {half, bfloat16, float, double} | Element type.";
constexpr char kConvType[] = "T: {half, bfloat16, float, double, int32} | Element type.";

constexpr OpDef kConvolutionOps[] = {
    {.name = "Conv2D",
     .inputs = {kImages, kFilter},
     .outputs = {"output: T | Images with the filter's output channels."},
     .attrs = {kConvType, kStrides, kCudnn, kPadding, kExplicit, kFormat, kDilations},
     .doc = "Cross-correlation of images with a filter. Input channels that are a multiple of the "
            "filter's are taken in "
            "groups, each with its share of the output channels.",
     .shape = convolution_shape<false>,
     .gradient = convolution_gradient<conv2d_backprop_input, conv2d_backprop_filter>},
    {.name = "Conv2DBackpropInput",
     .inputs = {kInputSizes, kFilter, kBackprop},
     .outputs = {"output: T | The gradient of the images."},
     .attrs = {kConvType, kStrides, kCudnn, kPadding, kExplicit, kFormat, kDilations},
     .doc = "The gradient of Conv2D by its input; by itself a transposed convolution.",
     .shape = backprop_input_shape<false>,
     .gradient = backprop_input_gradient<conv2d, conv2d_backprop_filter>},
    {.name = "Conv2DBackpropFilter",
     .inputs = {kImages, kFilterSizes, kBackprop},
     .outputs = {"output: T | The gradient of the filter."},
     .attrs = {kType, kStrides, kCudnn, kPadding, kExplicit, kFormat, kDilations},
     .doc = "The gradient of Conv2D by its filter.",
     .shape = backprop_filter_shape<false>,
     .gradient = backprop_filter_gradient<conv2d, conv2d_backprop_input>},
    {.name = "DepthwiseConv2dNative",
     .inputs = {kImages, kDepthwiseFilter},
     .outputs = {"output: T | Images; channel c gives the channels c * multiplier + q."},
     .attrs = {kType, kStrides, kPadding, kExplicit, kFormat, kDilations},
     .doc = "Cross-correlation of each channel with filters of its own.",
     .shape = convolution_shape<true>,
     .gradient =
         convolution_gradient<depthwise_conv2d_backprop_input, depthwise_conv2d_backprop_filter>},
    {.name = "DepthwiseConv2dNativeBackpropInput",
     .inputs = {kInputSizes, kDepthwiseFilter, kBackprop},
     .outputs = {"output: T | The gradient of the images."},
     .attrs = {kType, kStrides, kPadding, kExplicit, kFormat, kDilations},
     .doc = "The gradient of DepthwiseConv2dNative by its input.",
     .shape = backprop_input_shape<true>,
     .gradient = backprop_input_gradient<depthwise_conv2d, depthwise_conv2d_backprop_filter>},
    {.name = "DepthwiseConv2dNativeBackpropFilter",
     .inputs = {kImages, kFilterSizes, kBackprop},
     .outputs = {"output: T | The gradient of the filter."},
     .attrs = {kType, kStrides, kPadding, kExplicit, kFormat, kDilations},
     .doc = "The gradient of DepthwiseConv2dNative by its filter.",
     .shape = backprop_filter_shape<true>,
     .gradient = backprop_filter_gradient<depthwise_conv2d, depthwise_conv2d_backprop_input>},
};

}  // namespace

std::span<const OpDef> convolution_ops() { return kConvolutionOps; }

Output conv2d(Output input, Output filter, ConvOptions options) {
  return add_op("Conv2D", {input, filter}, convolution_attrs(options), options.name);
}

Output conv2d_backprop_input(Output input_sizes, Output filter, Output out_backprop,
                             ConvOptions options) {
  return add_op("Conv2DBackpropInput", {input_sizes, filter, out_backprop},
                convolution_attrs(options), options.name);
}

Output conv2d_backprop_filter(Output input, Output filter_sizes, Output out_backprop,
                              ConvOptions options) {
  return add_op("Conv2DBackpropFilter", {input, filter_sizes, out_backprop},
                convolution_attrs(options), options.name);
}

Output depthwise_conv2d(Output input, Output filter, ConvOptions options) {
  return add_op("DepthwiseConv2dNative", {input, filter}, convolution_attrs(options), options.name);
}

Output depthwise_conv2d_backprop_input(Output input_sizes, Output filter, Output out_backprop,
                                       ConvOptions options) {
  return add_op("DepthwiseConv2dNativeBackpropInput", {input_sizes, filter, out_backprop},
                convolution_attrs(options), options.name);
}

Output depthwise_conv2d_backprop_filter(Output input, Output filter_sizes, Output out_backprop,
                                        ConvOptions options) {
  return add_op("DepthwiseConv2dNativeBackpropFilter", {input, filter_sizes, out_backprop},
                convolution_attrs(options), options.name);
}

}  // namespace thalweg
