// Layers from data: what a file that describes a model holds, and back.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "thalweg/nn/layer.h"

namespace thalweg {

/// Makes a layer of one's own type from its config.
using LayerMaker = std::function<Layer(const AttrMap& config)>;
using LayerMakers = std::map<std::string, LayerMaker, std::less<>>;

/// The types that come with the library: "Dense", "Conv2d", ..., sorted.
std::span<const std::string> layer_types();

/// The layer that Layer::type() and Layer::config() describe, with weights of its own; options that
/// `config` leaves out take their defaults. Also Sequential, whose config holds "layers", the
/// types, and under "0/", "1/", ... the config of each. `makers` are asked first. Throws
/// invalid_argument: unknown type or option, with the nearest name; an option of the wrong kind;
/// and what the layer throws.
Layer make_layer(std::string_view type, const AttrMap& config, const LayerMakers& makers = {});

}  // namespace thalweg
