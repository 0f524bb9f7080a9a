// Two-dimensional convolutions and what their gradients are made of (also transposed convolution).
//
// Images are `[batch, height, width, channels]`, or `[batch, channels, height, width]` with
// data_format "NCHW". Dense filters are `[height, width, input channels / groups, output
// channels]`, depthwise ones
// `[height, width, input channels, multiplier]`, in both formats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thalweg/ops/int_vector.h"

namespace thalweg {

struct ConvOptions {
  std::vector<int64_t> strides = {1, 1};  // height, width
  std::string padding = "SAME";           // "SAME" (the odd cell at the end), "VALID", "EXPLICIT"
  std::vector<int64_t> explicit_paddings = {};  // top, bottom, left, right; with "EXPLICIT" only
  std::vector<int64_t> dilations = {1, 1};      // height, width
  std::string data_format = "NHWC";
  std::string name = {};
};

/// Cross-correlates `input` with `filter`. When the input has a multiple of the filter's input
/// channels, channels are convolved in that many groups. TensorFlow's Conv2D.
Output conv2d(Output input, Output filter, ConvOptions options = {});
/// The gradient of conv2d with respect to its input, whose shape is the int32 vector `input_sizes`;
/// by itself a transposed convolution. TensorFlow's Conv2DBackpropInput.
Output conv2d_backprop_input(Output input_sizes, Output filter, Output out_backprop,
                             ConvOptions options = {});
/// The gradient of conv2d with respect to its filter, whose shape is `filter_sizes`. TensorFlow's
/// Conv2DBackpropFilter.
Output conv2d_backprop_filter(Output input, Output filter_sizes, Output out_backprop,
                              ConvOptions options = {});

/// Convolves each channel with its own filters: channel `c` gives output channels `c * multiplier +
/// q`. TensorFlow's DepthwiseConv2dNative.
Output depthwise_conv2d(Output input, Output filter, ConvOptions options = {});
/// TensorFlow's DepthwiseConv2dNativeBackpropInput.
Output depthwise_conv2d_backprop_input(Output input_sizes, Output filter, Output out_backprop,
                                       ConvOptions options = {});
/// TensorFlow's DepthwiseConv2dNativeBackpropFilter.
Output depthwise_conv2d_backprop_filter(Output input, Output filter_sizes, Output out_backprop,
                                        ConvOptions options = {});

/// Transposed convolution to `output_shape`: what conv2d takes to `input`'s shape. The filter is
/// `[height, width, output channels, input channels]`. TensorFlow's tf.nn.conv2d_transpose.
Output conv2d_transpose(Output input, Output filter, const IntVector& output_shape,
                        ConvOptions options = {});

struct Conv1dOptions {
  int64_t stride = 1;
  std::string padding = "SAME";  // or "VALID"
  int64_t dilation = 1;
  std::string data_format = "NWC";  // or "NCW"
  std::string name = {};
};
/// Cross-correlates `[batch, width, channels]` with a filter `[width, input channels, output
/// channels]`: conv2d of images of one row. TensorFlow's tf.nn.conv1d.
Output conv1d(Output input, Output filter, Conv1dOptions options = {});
/// The transpose to `output_shape`, three numbers; the filter is `[width, output channels, input
/// channels]`. TensorFlow's tf.nn.conv1d_transpose.
Output conv1d_transpose(Output input, Output filter, const IntVector& output_shape,
                        Conv1dOptions options = {});

struct Dilation2dOptions {
  std::vector<int64_t> strides = {1, 1};  // height, width
  std::vector<int64_t> rates = {1, 1};    // height, width
  std::string padding = "SAME";           // or "VALID"
  std::string name = {};
};
/// The largest of input + filter under a sliding window: morphological dilation of `[batch, height,
/// width, channels]` by `[height, width, channels]`. TensorFlow's Dilation2D.
Output dilation2d(Output input, Output filter, Dilation2dOptions options = {});

}  // namespace thalweg
