#include <type_traits>
#include <utility>

#include "nn/input_checks.h"
#include "nn/kernel_layer.h"
#include "nn/layer_types.h"
#include "thalweg/nn/image_layers.h"
#include "thalweg/ops/convolution.h"

namespace thalweg {

template <class Visitor, class Options>
void visit_common_options(Visitor& v, Options& o) {
  v("kernel_size", o.kernel_size);
  v("strides", o.strides);
  v("padding", o.padding);
  v("dilations", o.dilations);
  visit_kernel_options(v, o);
}

template <class Visitor>
void visit_options(Visitor& v, Conv2dOptions& o) {
  v("filters", o.filters);
  visit_common_options(v, o);
}

template <class Visitor>
void visit_options(Visitor& v, DepthwiseConv2dOptions& o) {
  v("multiplier", o.multiplier);
  visit_common_options(v, o);
}

namespace {

template <class Options>
Options checked(Options options) {
  options.kernel_size = require_window("kernel_size", options.kernel_size);
  options.strides = require_window("strides", options.strides);
  options.dilations = require_window("dilations", options.dilations);
  require_padding(options.padding);
  check_activation(options.activation);
  return options;
}

// What both convolutions share.
template <class Options>
class ConvolutionLayer : public KernelLayer<Options> {
 public:
  using KernelLayer<Options>::KernelLayer;

  void build(Output x) override {
    const int64_t channels = require_image(x);
    const Options& o = this->options_;
    this->add_weights(x, {o.kernel_size[0], o.kernel_size[1], channels, filters()},
                      is_depthwise() ? channels * filters() : filters());
  }

  Output call(Output x, Mode) override {
    require_image(x);
    const Options& o = this->options_;
    const Variable& kernel = this->weight(x.graph(), "kernel");
    // The op would take a multiple of the channels and convolve in groups.
    require_built_for(x, -1, kernel.shape()[2], kernel.handle());
    const ConvOptions conv{.strides = o.strides, .padding = o.padding, .dilations = o.dilations};
    const Output y = is_depthwise() ? depthwise_conv2d(x, kernel, conv) : conv2d(x, kernel, conv);
    return activate(this->with_bias(y), o.activation);
  }

 private:
  static constexpr bool is_depthwise() { return std::is_same_v<Options, DepthwiseConv2dOptions>; }
  int64_t filters() const {
    if constexpr (is_depthwise()) {
      return this->options_.multiplier;
    } else {
      return this->options_.filters;
    }
  }
};

class Conv2dLayer : public ConvolutionLayer<Conv2dOptions> {
 public:
  using ConvolutionLayer::ConvolutionLayer;
  std::string_view type() const override { return "Conv2d"; }
};

class DepthwiseConv2dLayer : public ConvolutionLayer<DepthwiseConv2dOptions> {
 public:
  using ConvolutionLayer::ConvolutionLayer;
  std::string_view type() const override { return "DepthwiseConv2d"; }
};

Conv2dOptions checked_dense(Conv2dOptions options) {
  require_positive("filters", options.filters);
  return checked(std::move(options));
}

DepthwiseConv2dOptions checked_depthwise(DepthwiseConv2dOptions options) {
  require_positive("multiplier", options.multiplier);
  options = checked(std::move(options));
  if (options.strides[0] != options.strides[1]) {
    throw invalid_argument(
        "option `strides` of a depthwise convolution must be equal in height "
        "and width, got ",
        options.strides);
  }
  return options;
}

}  // namespace

Conv2d::Conv2d(Conv2dOptions options)
    : Layer(std::make_shared<Conv2dLayer>(checked_dense(std::move(options)))) {}

DepthwiseConv2d::DepthwiseConv2d(DepthwiseConv2dOptions options)
    : Layer(std::make_shared<DepthwiseConv2dLayer>(checked_depthwise(std::move(options)))) {}

Layer conv2d_from_config(const AttrMap& config) {
  return Conv2d(read_options<Conv2dOptions>(config));
}

Layer depthwise_conv2d_from_config(const AttrMap& config) {
  return DepthwiseConv2d(read_options<DepthwiseConv2dOptions>(config));
}

}  // namespace thalweg
