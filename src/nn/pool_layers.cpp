#include <utility>

#include "nn/input_checks.h"
#include "nn/layer_types.h"
#include "nn/options.h"
#include "thalweg/nn/image_layers.h"
#include "thalweg/ops/pooling.h"
#include "thalweg/ops/reduction.h"

namespace thalweg {

template <class Visitor>
void visit_options(Visitor& v, Pool2dOptions& o) {
  v("pool_size", o.pool_size);
  v("strides", o.strides);
  v("padding", o.padding);
}

template <class Visitor>
void visit_options(Visitor&, GlobalAvgPool2dOptions&) {}

namespace {

PoolOptions pool_options(const Pool2dOptions& o) {
  return {.window = o.pool_size, .strides = o.strides, .padding = o.padding};
}

class PoolLayer : public OptionLayer<Pool2dOptions> {
 public:
  using PoolFunction = Output (*)(Output, PoolOptions);

  PoolLayer(std::string_view type, PoolFunction pool, Pool2dOptions options)
      : OptionLayer(std::move(options)), type_(type), pool_(pool) {}
  std::string_view type() const override { return type_; }
  Output call(Output x, Mode) override {
    require_image(x);
    return pool_(x, pool_options(options_));
  }

 private:
  std::string_view type_;
  PoolFunction pool_;
};

class GlobalAvgPool2dLayer : public OptionLayer<GlobalAvgPool2dOptions> {
 public:
  using OptionLayer::OptionLayer;
  std::string_view type() const override { return "GlobalAvgPool2d"; }
  Output call(Output x, Mode) override {
    require_image(x);
    return reduce_mean(x, {1, 2});
  }
};

Pool2dOptions checked(Pool2dOptions options) {
  options.pool_size = require_window("pool_size", options.pool_size);
  if (options.strides.empty()) options.strides = options.pool_size;
  options.strides = require_window("strides", options.strides);
  require_padding(options.padding);
  return options;
}

}  // namespace

MaxPool2d::MaxPool2d(Pool2dOptions options)
    : Layer(std::make_shared<PoolLayer>("MaxPool2d", max_pool, checked(std::move(options)))) {}

AvgPool2d::AvgPool2d(Pool2dOptions options)
    : Layer(std::make_shared<PoolLayer>("AvgPool2d", avg_pool, checked(std::move(options)))) {}

GlobalAvgPool2d::GlobalAvgPool2d(GlobalAvgPool2dOptions options)
    : Layer(std::make_shared<GlobalAvgPool2dLayer>(std::move(options))) {}

Layer max_pool2d_from_config(const AttrMap& config) {
  return MaxPool2d(read_options<Pool2dOptions>(config));
}

Layer avg_pool2d_from_config(const AttrMap& config) {
  return AvgPool2d(read_options<Pool2dOptions>(config));
}

Layer global_avg_pool2d_from_config(const AttrMap& config) {
  return GlobalAvgPool2d(read_options<GlobalAvgPool2dOptions>(config));
}

}  // namespace thalweg
