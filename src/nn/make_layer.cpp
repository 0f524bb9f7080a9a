#include "thalweg/nn/make_layer.h"

#include <algorithm>

#include "nn/layer_types.h"
#include "nn/options.h"
#include "thalweg/nn/layers.h"

namespace thalweg {
namespace {

struct LayerType {
  std::string_view name;
  Layer (*make)(const AttrMap& config);
};

// By name. Sequential is made here, as its layers may be of types of one's own.
constexpr LayerType kTypes[] = {
    {"Activation", activation_from_config},
    {"AvgPool2d", avg_pool2d_from_config},
    {"BatchNorm", batch_norm_from_config},
    {"Conv2d", conv2d_from_config},
    {"Dense", dense_from_config},
    {"DepthwiseConv2d", depthwise_conv2d_from_config},
    {"Dropout", dropout_from_config},
    {"Embedding", embedding_from_config},
    {"Flatten", flatten_from_config},
    {"GlobalAvgPool2d", global_avg_pool2d_from_config},
    {"MaxPool2d", max_pool2d_from_config},
    {"Reshape", reshape_from_config},
    {"Sequential", nullptr},
};

// The number in front of "3/units"; -1 when there is none.
int layer_index(std::string_view key) {
  const size_t slash = key.find('/');
  if (slash == std::string_view::npos || slash == 0 || slash > 6) return -1;
  int index = 0;
  for (const char c : key.substr(0, slash)) {
    if (c < '0' || c > '9') return -1;
    index = index * 10 + (c - '0');
  }
  return index;
}

Layer make_sequential(const AttrMap& config, const LayerMakers& makers) {
  const auto types = config.find("layers");
  if (types == config.end() || !std::holds_alternative<std::vector<std::string>>(types->second)) {
    throw invalid_argument("option `layers` is wanted: the list of the layers' types");
  }
  const auto& names = std::get<std::vector<std::string>>(types->second);
  std::vector<AttrMap> configs(names.size());
  SequentialOptions options;
  AttrMap own;
  for (const auto& [key, value] : config) {
    const int index = layer_index(key);
    if (index >= 0 && static_cast<size_t>(index) < names.size()) {
      configs[static_cast<size_t>(index)].emplace(key.substr(key.find('/') + 1), value);
    } else if (key != "layers") {
      own.emplace(key, value);
    }
  }
  OptionReader reader(own);
  reader("name", options.name);
  reader.finish();
  std::vector<Layer> layers;
  for (size_t i = 0; i < names.size(); ++i) {
    try {
      layers.push_back(make_layer(names[i], configs[i], makers));
    } catch (Error& error) {
      error.add_context(str("layer ", i));
      throw;
    }
  }
  return Sequential(std::move(layers), std::move(options));
}

}  // namespace

std::span<const std::string> layer_types() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const LayerType& type : kTypes) names.emplace_back(type.name);
    return names;
  }();
  return kNames;
}

Layer make_layer(std::string_view type, const AttrMap& config, const LayerMakers& makers) {
  const auto maker = makers.find(type);
  const auto* known = std::find_if(std::begin(kTypes), std::end(kTypes),
                                   [&](const LayerType& row) { return row.name == type; });
  if (maker == makers.end() && known == std::end(kTypes)) {
    std::vector<std::string> names(layer_types().begin(), layer_types().end());
    for (const auto& [name, make] : makers) names.push_back(name);
    const std::string hint = nearest(type, names);
    throw invalid_argument("unknown type of layer `", type,
                           hint.empty() ? str("`; one of ", join(names, ", "), " is wanted")
                                        : str("`; did you mean `", hint, "`?"));
  }
  try {
    if (maker != makers.end()) return maker->second(config);
    return known->make != nullptr ? known->make(config) : make_sequential(config, makers);
  } catch (Error& error) {
    error.add_context(type);
    throw;
  }
}

}  // namespace thalweg
