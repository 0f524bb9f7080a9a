#include "nn/input_checks.h"
#include "nn/layer_types.h"
#include "nn/options.h"
#include "thalweg/nn/layers.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/random.h"

namespace thalweg {

template <class Visitor>
void visit_options(Visitor& v, DropoutOptions& o) {
  v("rate", o.rate);
}

namespace {

class DropoutLayer : public OptionLayer<DropoutOptions> {
 public:
  using OptionLayer::OptionLayer;
  std::string_view type() const override { return "Dropout"; }

  Output call(Output x, Mode mode) override {
    require_floating(x);
    if (mode == Mode::kPredicting || options_.rate == 0) return identity(x);
    // Half precision is too coarse to meet the rate.
    const DType dtype = x.dtype() == kFloat64 ? kFloat64 : kFloat32;
    const IntVector shape =
        x.shape().is_fully_defined() ? IntVector(x.shape()) : IntVector(shape_of(x));
    const Output uniform = random_uniform(x.graph(), shape, {.dtype = dtype});
    // A selection rather than a product, so that a dropped infinity is 0.
    return select(greater_equal(uniform, options_.rate), x * (1 / (1 - options_.rate)), 0.0);
  }
};

DropoutOptions checked(DropoutOptions options) {
  if (!(options.rate >= 0 && options.rate < 1)) {
    throw invalid_argument("option `rate` must be in [0, 1), got ", options.rate,
                           "; it is the share that is dropped");
  }
  return options;
}

}  // namespace

Dropout::Dropout(DropoutOptions options)
    : Layer(std::make_shared<DropoutLayer>(checked(options))) {}

Layer dropout_from_config(const AttrMap& config) {
  return Dropout(read_options<DropoutOptions>(config));
}

}  // namespace thalweg
