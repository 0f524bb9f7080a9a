// Pooling: the largest or the mean value under a sliding window of each channel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct PoolOptions {
  std::vector<int64_t> window = {2, 2};   // height, width
  std::vector<int64_t> strides = {2, 2};  // height, width
  std::string padding = "VALID";          // "SAME" (the odd cell at the end) or "VALID"
  std::string data_format = "NHWC";       // or "NCHW"
  std::string name = {};
};

/// `[batch, height, width, channels]` to the largest value of each window; padding never wins. The
/// gradient of a window goes wholly to its first largest cell in row order. TensorFlow's MaxPool.
Output max_pool(Output input, PoolOptions options = {});
/// The gradient of max_pool with respect to its input. TensorFlow's MaxPoolGrad.
Output max_pool_grad(Output orig_input, Output orig_output, Output grad, PoolOptions options = {});
/// Picks from `grad` (shaped as the input) the cell that max_pool picked in each window.
/// TensorFlow's MaxPoolGradGrad.
Output max_pool_grad_grad(Output orig_input, Output orig_output, Output grad,
                          PoolOptions options = {});

/// `[batch, height, width, channels]` to the mean of each window's cells inside the image (padding
/// is not counted). TensorFlow's AvgPool.
Output avg_pool(Output value, PoolOptions options = {});
/// The gradient of avg_pool with respect to its input of shape `orig_input_shape`. TensorFlow's
/// AvgPoolGrad.
Output avg_pool_grad(Output orig_input_shape, Output grad, PoolOptions options = {});

struct MaxPoolWithArgmaxResult {
  Output output;
  Output argmax;  // int64: (row * width + column) * channels + channel of each maximum
};
/// max_pool of `[batch, height, width, channels]`, and where in its image each maximum stands.
/// TensorFlow's MaxPoolWithArgmax.
MaxPoolWithArgmaxResult max_pool_with_argmax(Output input, PoolOptions options = {});

}  // namespace thalweg
