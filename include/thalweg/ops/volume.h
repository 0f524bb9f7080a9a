// Convolution and pooling of volumes `[batch, depth, height, width, channels]`, or `[batch,
// channels, depth, height, width]` with data_format "NCDHW". Filters are `[depth, height, width,
// input channels, output channels]` in both formats.
#pragma once

#include <string>
#include <vector>

#include "thalweg/ops/int_vector.h"

namespace thalweg {

struct Conv3dOptions {
  std::vector<int64_t> strides = {1, 1, 1};  // depth, height, width
  std::string padding = "SAME";              // or "VALID"
  std::vector<int64_t> dilations = {1, 1, 1};
  std::string data_format = "NDHWC";
  std::string name = {};
};
/// Cross-correlates `input` with `filter`. TensorFlow's Conv3D.
Output conv3d(Output input, Output filter, Conv3dOptions options = {});
/// The gradient of conv3d by its input of shape `input_sizes`. TensorFlow's Conv3DBackpropInputV2.
Output conv3d_backprop_input(Output input_sizes, Output filter, Output out_backprop,
                             Conv3dOptions options = {});
/// The gradient of conv3d by its filter of shape `filter_sizes`. TensorFlow's
/// Conv3DBackpropFilterV2.
Output conv3d_backprop_filter(Output input, Output filter_sizes, Output out_backprop,
                              Conv3dOptions options = {});
/// Transposed convolution to `output_shape`: what conv3d takes to `input`'s shape. The filter is
/// `[depth, height, width, output channels, input channels]`. TensorFlow's tf.nn.conv3d_transpose.
Output conv3d_transpose(Output input, Output filter, const IntVector& output_shape,
                        Conv3dOptions options = {});

struct Pool3dOptions {
  std::vector<int64_t> window = {2, 2, 2};   // depth, height, width
  std::vector<int64_t> strides = {2, 2, 2};  // depth, height, width
  std::string padding = "VALID";             // or "SAME"
  std::string data_format = "NDHWC";
  std::string name = {};
};
/// The largest value under a sliding window. TensorFlow's MaxPool3D.
Output max_pool3d(Output input, Pool3dOptions options = {});
/// The mean under a sliding window, padding not counted. TensorFlow's AvgPool3D.
Output avg_pool3d(Output input, Pool3dOptions options = {});

}  // namespace thalweg
