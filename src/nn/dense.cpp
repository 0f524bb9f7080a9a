#include "nn/input_checks.h"
#include "nn/layer_types.h"
#include "nn/options.h"
#include "thalweg/nn/activations.h"
#include "thalweg/nn/layers.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/linalg.h"

namespace thalweg {

template <class Visitor>
void visit_options(Visitor& v, DenseOptions& o) {
  v("units", o.units);
  v("activation", o.activation);
  v("use_bias", o.use_bias);
  v("kernel_initializer", o.kernel_initializer);
  v("bias_initializer", o.bias_initializer);
  v("kernel_regularizer", o.kernel_regularizer);
  v("bias_regularizer", o.bias_regularizer);
}

namespace {

class DenseLayer : public OptionLayer<DenseOptions> {
 public:
  using OptionLayer::OptionLayer;
  std::string_view type() const override { return "Dense"; }

  void build(Output x) override {
    const int64_t features = require_features(x);
    add_weight(
        x, "kernel", {features, options_.units},
        {.initializer = options_.kernel_initializer, .regularizer = options_.kernel_regularizer});
    if (!options_.use_bias) return;
    add_weight(
        x, "bias", {options_.units},
        {.initializer = options_.bias_initializer, .regularizer = options_.bias_regularizer});
  }

  Output call(Output x, Mode) override {
    const int64_t features = require_features(x);
    const Variable& kernel = weight(x.graph(), "kernel");
    require_built_for(x, -1, kernel.shape()[0], kernel.handle());
    const bool is_matrix = x.shape().rank() == 2;
    Output y = matmul(is_matrix ? x : reshape(x, {-1, features}), kernel);
    if (options_.use_bias) y = bias_add(y, weight(x.graph(), "bias"));
    if (!is_matrix) y = reshape_like(y, x, 1, {options_.units});
    return activate(y, options_.activation);
  }
};

DenseOptions checked(DenseOptions options) {
  require_positive("units", options.units);
  check_activation(options.activation);
  return options;
}

}  // namespace

Dense::Dense(DenseOptions options) : Layer(std::make_shared<DenseLayer>(checked(options))) {}

Layer dense_from_config(const AttrMap& config) { return Dense(read_options<DenseOptions>(config)); }

}  // namespace thalweg
