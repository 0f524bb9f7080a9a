// What layers with a kernel and a bias share: their options, their weights, and what comes after
// the product or convolution.
#pragma once

#include "nn/options.h"
#include "thalweg/nn/activations.h"
#include "thalweg/ops/linalg.h"

namespace thalweg {

template <class Visitor, class Options>
void visit_kernel_options(Visitor& v, Options& o) {
  v("activation", o.activation);
  v("use_bias", o.use_bias);
  v("kernel_initializer", o.kernel_initializer);
  v("bias_initializer", o.bias_initializer);
  v("kernel_regularizer", o.kernel_regularizer);
  v("bias_regularizer", o.bias_regularizer);
}

template <class Options>
class KernelLayer : public OptionLayer<Options> {
 public:
  using OptionLayer<Options>::OptionLayer;

 protected:
  void add_weights(Output x, const Shape& kernel, int64_t outputs) {
    const Options& o = this->options_;
    this->add_weight(x, "kernel", kernel,
                     {.initializer = o.kernel_initializer, .regularizer = o.kernel_regularizer});
    if (!o.use_bias) return;
    this->add_weight(x, "bias", {outputs},
                     {.initializer = o.bias_initializer, .regularizer = o.bias_regularizer});
  }

  Output with_bias(Output y) {
    return this->options_.use_bias ? bias_add(y, this->weight(y.graph(), "bias")) : y;
  }
};

}  // namespace thalweg
