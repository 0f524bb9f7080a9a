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

#include "thalweg/graph/graph.h"

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

}  // namespace thalweg
