// Layers for images: convolution and pooling.
//
// Images are `[batch, height, width, channels]`. Sizes of windows are {height, width}, or one
// number for both. Padding is "SAME" (output = input / stride, rounded up; an odd cell goes to the
// end) or "VALID" (no padding).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thalweg/nn/layer.h"

namespace thalweg {

struct Conv2dOptions {
  int64_t filters = 0;  // output channels, at least 1
  std::vector<int64_t> kernel_size = {3, 3};
  std::vector<int64_t> strides = {1, 1};
  std::string padding = "SAME";
  std::vector<int64_t> dilations = {1, 1};
  std::string activation = "linear";  // see activations.h
  bool use_bias = true;
  Initializer kernel_initializer = initializers::glorot_uniform();
  Initializer bias_initializer = initializers::zeros();
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  std::string name = {};
};
/// activation(conv2d(x, kernel) + bias). Variables: kernel `[height, width, channels, filters]`,
/// bias `[filters]`.
struct Conv2d : Layer {
  explicit Conv2d(Conv2dOptions options);
};

struct DepthwiseConv2dOptions {
  std::vector<int64_t> kernel_size = {3, 3};
  int64_t multiplier = 1;                 // output channels for each input channel
  std::vector<int64_t> strides = {1, 1};  // equal in height and width
  std::string padding = "SAME";
  std::vector<int64_t> dilations = {1, 1};
  std::string activation = "linear";
  bool use_bias = true;
  Initializer kernel_initializer = initializers::glorot_uniform();
  Initializer bias_initializer = initializers::zeros();
  Regularizer kernel_regularizer = {};
  Regularizer bias_regularizer = {};
  std::string name = {};
};
/// Each channel convolved with its own filters. Variables: kernel `[height, width, channels,
/// multiplier]`, bias `[channels * multiplier]`.
struct DepthwiseConv2d : Layer {
  explicit DepthwiseConv2d(DepthwiseConv2dOptions options = {});
};

struct Pool2dOptions {
  std::vector<int64_t> pool_size = {2, 2};
  std::vector<int64_t> strides = {};  // default: pool_size
  std::string padding = "VALID";
  std::string name = {};
};
/// The largest value of each window of each channel.
struct MaxPool2d : Layer {
  explicit MaxPool2d(Pool2dOptions options = {});
};
/// The mean of each window of each channel; padding is not counted.
struct AvgPool2d : Layer {
  explicit AvgPool2d(Pool2dOptions options = {});
};

struct GlobalAvgPool2dOptions {
  std::string name = {};
};
/// The mean of each channel: `[batch, height, width, channels]` to `[batch, channels]`.
struct GlobalAvgPool2d : Layer {
  explicit GlobalAvgPool2d(GlobalAvgPool2dOptions options = {});
};

}  // namespace thalweg
