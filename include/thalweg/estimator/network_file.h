// Networks as JSON files that people write, and the networks that come with the library.
//
//     {"layers": [{"type": "Conv2d", "filters": 32, "kernel_size": [3, 3], "activation": "relu"},
//                 {"type": "Flatten"},
//                 {"type": "Dense"}]}
//
// Types and options are those of make_layer(). A Dense that ends the network may leave out its
// units: it gets as many as there are outputs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "thalweg/nn/layer.h"
#include "thalweg/nn/make_layer.h"

namespace thalweg {

/// The network that a model file describes. `outputs`: number of classes, or 1. Throws
/// invalid_argument naming the place in the text, or layer and option.
Layer parse_network(std::string_view json, int64_t outputs, const LayerMakers& makers = {});
/// What parse_network() reads; all options are written out.
std::string network_to_json(const Layer& network);

/// "cnn", "linear", "mlp".
std::span<const std::string> network_names();
/// The named network. Throws invalid_argument with the nearest name.
///   cnn     for images `[batch, height, width, channels]`: twice 3x3 convolution (32 and 64
///           filters), relu, batch normalisation, 2x2 max pooling; then Dense 128 relu, Dropout 0.3
///   mlp     Dense 128 relu, Dropout 0.2, Dense 64 relu, for any features
///   linear  one Dense: softmax or linear regression
Layer make_network(std::string_view name, int64_t outputs);

}  // namespace thalweg
