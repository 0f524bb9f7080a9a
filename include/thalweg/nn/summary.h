// A network on one page: its layers, their shapes and parameters.
#pragma once

#include <string>

#include "thalweg/nn/layer.h"

namespace thalweg {

/// A table with a line for each layer (those of a Sequential one by one, unless it has a name):
/// name and type, shape of the output with `?` for what is open (the batch), number of parameters;
/// then the totals. `input` holds the batch dimension. Throws what calling the layer throws.
///
///     Layer (type)       Output shape  Parameters
///     dense (Dense)      [?, 128]         100,480
///     dropout (Dropout)  [?, 128]               0
///     dense_1 (Dense)    [?, 10]            1,290
///     Total 101,770: trainable 101,770, non-trainable 0
std::string summary(const Layer& layer, const Shape& input, DType dtype = kFloat32);

}  // namespace thalweg
