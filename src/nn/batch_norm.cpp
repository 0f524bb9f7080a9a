#include <cmath>

#include "nn/input_checks.h"
#include "nn/layer_types.h"
#include "nn/options.h"
#include "thalweg/nn/layers.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/normalization.h"

namespace thalweg {

template <class Visitor>
void visit_options(Visitor& v, BatchNormOptions& o) {
  v("momentum", o.momentum);
  v("epsilon", o.epsilon);
  v("center", o.center);
  v("scale", o.scale);
}

namespace {

class BatchNormLayer : public OptionLayer<BatchNormOptions> {
 public:
  using OptionLayer::OptionLayer;
  std::string_view type() const override { return "BatchNorm"; }

  void build(Output x) override {
    const Shape channels{require_features(x)};
    const DType dtype = parameter_dtype(x);
    const auto add = [&](std::string_view name, Initializer initializer, bool trainable) {
      add_weight(x, name, channels,
                 {.initializer = std::move(initializer), .trainable = trainable, .dtype = dtype});
    };
    if (options_.scale) add("gamma", "ones", true);
    if (options_.center) add("beta", "zeros", true);
    add("moving_mean", "zeros", false);
    add("moving_variance", "ones", false);
  }

  Output call(Output x, Mode mode) override {
    Graph& graph = x.graph();
    const int64_t channels = require_features(x);
    const Variable& mean = weight(graph, "moving_mean");
    const Variable& variance = weight(graph, "moving_variance");
    require_built_for(x, -1, mean.shape()[0], mean.handle());
    const auto parameter = [&](bool is_used, const char* name, double otherwise) -> Output {
      if (is_used) return weight(graph, name);
      return fill({channels}, constant(graph, Tensor(otherwise).cast(parameter_dtype(x))));
    };
    const Output gamma = parameter(options_.scale, "gamma", 1);
    const Output beta = parameter(options_.center, "beta", 0);

    // The fused op takes images; all dimensions but the last are one batch to it.
    const bool is_image = x.shape().rank() == 4;
    const Output image = is_image ? x : reshape(x, {-1, 1, 1, channels});
    const bool training = mode == Mode::kTraining;
    const FusedBatchNormResult result = fused_batch_norm(
        image, gamma, beta, mean, variance,
        {.epsilon = static_cast<float>(options_.epsilon),
         .exponential_avg_factor = training ? static_cast<float>(1 - options_.momentum) : 1.0f,
         .is_training = training});
    if (training) {
      graph.collect(kUpdates, mean.assign(result.batch_mean));
      graph.collect(kUpdates, variance.assign(result.batch_variance));
    }
    return is_image ? result.y : reshape_like(result.y, x, 1, {channels});
  }

 private:
  static DType parameter_dtype(const Output& x) {
    return x.dtype() == kFloat64 ? kFloat64 : kFloat32;
  }
};

BatchNormOptions checked(BatchNormOptions options) {
  if (!(options.momentum >= 0 && options.momentum <= 1)) {
    throw invalid_argument("option `momentum` must be in [0, 1], got ", options.momentum);
  }
  if (!(options.epsilon > 0 && std::isfinite(options.epsilon))) {
    throw invalid_argument("option `epsilon` must be above 0 and finite, got ", options.epsilon);
  }
  return options;
}

}  // namespace

BatchNorm::BatchNorm(BatchNormOptions options)
    : Layer(std::make_shared<BatchNormLayer>(checked(options))) {}

Layer batch_norm_from_config(const AttrMap& config) {
  return BatchNorm(read_options<BatchNormOptions>(config));
}

}  // namespace thalweg
