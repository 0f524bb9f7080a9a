// How many of MNIST's test digits a model of somebody else gets right.
#pragma once

#include <functional>
#include <string>

#include "thalweg/tensor/tensor.h"

namespace thalweg::interop {

/// In percent. `classify` takes images of `shape` with pixels/255 and gives scores, [batch, 10].
double mnist_accuracy(const std::string& data, const Shape& shape,
                      const std::function<Tensor(const Tensor&)>& classify);

/// "96.36 %"; throws internal_error when it is not the known figure.
std::string check_percent(double percent, double known);

}  // namespace thalweg::interop
