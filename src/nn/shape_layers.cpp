#include <algorithm>

#include "nn/input_checks.h"
#include "nn/layer_types.h"
#include "nn/options.h"
#include "thalweg/nn/layers.h"
#include "thalweg/ops/array.h"

namespace thalweg {

template <class Visitor>
void visit_options(Visitor&, FlattenOptions&) {}

template <class Visitor>
void visit_options(Visitor& v, ReshapeOptions& o) {
  v("shape", o.shape);
}

namespace {

void require_batch(const Output& x) {
  if (x.shape().rank() >= 1) return;
  throw invalid_argument("input ", x.shape(), " has no batch dimension, [batch, ...] is wanted");
}

// Elements of one example; kUnknownDim when that cannot be told.
int64_t example_size(const Shape& shape) { return shape.slice(1).num_elements(); }

class FlattenLayer : public OptionLayer<FlattenOptions> {
 public:
  using OptionLayer::OptionLayer;
  std::string_view type() const override { return "Flatten"; }
  Output call(Output x, Mode) override {
    require_batch(x);
    return reshape_like(x, x, x.shape().rank() - 1, {example_size(x.shape())});
  }
};

class ReshapeLayer : public OptionLayer<ReshapeOptions> {
 public:
  using OptionLayer::OptionLayer;
  std::string_view type() const override { return "Reshape"; }

  Output call(Output x, Mode) override {
    require_batch(x);
    std::vector<int64_t> tail = options_.shape;
    const auto open = std::find(tail.begin(), tail.end(), kUnknownDim);
    int64_t known = 1;
    for (const int64_t dim : tail) known *= dim == kUnknownDim ? 1 : dim;
    if (const int64_t size = example_size(x.shape()); size != kUnknownDim) {
      const bool fits = open == tail.end() ? size == known : known != 0 && size % known == 0;
      if (!fits) {
        throw invalid_argument("input ", x.shape(), " has ", size,
                               " elements an example, which does not make shape ", tail,
                               open == tail.end() ? str(" of ", known) : "");
      }
      if (open != tail.end()) *open = size / known;
    }
    return reshape_like(x, x, x.shape().rank() - 1, tail);
  }
};

ReshapeOptions checked(ReshapeOptions options) {
  const auto& shape = options.shape;
  if (std::any_of(shape.begin(), shape.end(), [](int64_t n) { return n < -1; }) ||
      std::count(shape.begin(), shape.end(), -1) > 1) {
    throw invalid_argument("option `shape` must hold sizes of at least 0 and at most one -1, got ",
                           shape);
  }
  return options;
}

}  // namespace

Flatten::Flatten(FlattenOptions options) : Layer(std::make_shared<FlattenLayer>(options)) {}

Reshape::Reshape(ReshapeOptions options)
    : Layer(std::make_shared<ReshapeLayer>(checked(options))) {}

Layer flatten_from_config(const AttrMap& config) {
  return Flatten(read_options<FlattenOptions>(config));
}

Layer reshape_from_config(const AttrMap& config) {
  return Reshape(read_options<ReshapeOptions>(config));
}

}  // namespace thalweg
