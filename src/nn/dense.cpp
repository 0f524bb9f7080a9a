#include "nn/input_checks.h"
#include "nn/kernel_layer.h"
#include "nn/layer_types.h"
#include "thalweg/nn/layers.h"
#include "thalweg/ops/array.h"

namespace thalweg {

template <class Visitor>
void visit_options(Visitor& v, DenseOptions& o) {
  v("units", o.units);
  visit_kernel_options(v, o);
}

namespace {

class DenseLayer : public KernelLayer<DenseOptions> {
 public:
  using KernelLayer::KernelLayer;
  std::string_view type() const override { return "Dense"; }

  void build(Output x) override {
    add_weights(x, {require_features(x), options_.units}, options_.units);
  }

  Output call(Output x, Mode) override {
    const int64_t features = require_features(x);
    const Variable& kernel = weight(x.graph(), "kernel");
    require_built_for(x, -1, kernel.shape()[0], kernel.handle());
    const bool is_matrix = x.shape().rank() == 2;
    Output y = with_bias(matmul(is_matrix ? x : reshape(x, {-1, features}), kernel));
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
