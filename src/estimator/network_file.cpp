#include "thalweg/estimator/network_file.h"

#include <charconv>

#include "estimator/json_text.h"
#include "thalweg/nn/layers.h"

namespace thalweg {
namespace {

AttrValue to_attr(const std::string& name, const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number_integer()) return value.get<int64_t>();
  if (value.is_number()) return value.get<float>();
  if (value.is_string()) return value.get<std::string>();
  const auto is_integer = [](const Json& item) { return item.is_number_integer(); };
  if (value.is_array() && std::all_of(value.begin(), value.end(), is_integer)) {
    return value.get<std::vector<int64_t>>();
  }
  throw invalid_argument("option `", name, "` is ", value.dump(),
                         ", expected a number, true, false, a text or a list of integers");
}

// Layers are read one by one, as a Sequential's may hold others again.
class NetworkReader {
 public:
  NetworkReader(int64_t outputs, const LayerMakers& makers) : outputs_(outputs), makers_(makers) {}

  Layer read(const Json& json) const {
    if (!json.is_object() || !json.contains("layers")) {
      throw invalid_argument("expected an object {\"layers\": [...]}");
    }
    for (const auto& [key, value] : json.items()) {
      if (key == "layers" || key == "name") continue;
      throw invalid_argument("unknown key `", key, "`; a network has \"layers\" and \"name\"");
    }
    return read_layers(json, true);
  }

 private:
  Layer read_layers(const Json& json, bool ends_network) const {
    const Json& list = json.at("layers");
    if (!list.is_array() || list.empty()) {
      throw invalid_argument("\"layers\" is a list of at least one layer");
    }
    std::vector<Layer> layers;
    for (size_t i = 0; i < list.size(); ++i) {
      try {
        layers.push_back(read_layer(list[i], ends_network && i + 1 == list.size()));
      } catch (Error& error) {
        error.add_context(str("layer ", i));
        throw;
      }
    }
    SequentialOptions options;
    if (json.contains("name")) {
      if (!json["name"].is_string()) throw invalid_argument("\"name\" is a text");
      options.name = json["name"].get<std::string>();
    }
    return Sequential(std::move(layers), std::move(options));
  }

  Layer read_layer(const Json& json, bool ends_network) const {
    if (!json.is_object() || !json.contains("type") || !json["type"].is_string()) {
      throw invalid_argument("expected an object with a \"type\", e.g. {\"type\": \"Flatten\"}");
    }
    const auto type = json["type"].get<std::string>();
    if (type == "Sequential" && json.contains("layers")) return read_layers(json, ends_network);
    AttrMap config;
    for (const auto& [key, value] : json.items()) {
      if (key != "type") config.emplace(key, to_attr(key, value));
    }
    if (ends_network && type == "Dense") config.emplace("units", outputs_);
    return make_layer(type, config, makers_);
  }

  int64_t outputs_;
  const LayerMakers& makers_;
};

Json from_attr(const AttrValue& value) {
  if (const auto* v = std::get_if<int64_t>(&value)) return *v;
  if (const auto* v = std::get_if<bool>(&value)) return *v;
  if (const auto* v = std::get_if<std::string>(&value)) return *v;
  if (const auto* v = std::get_if<std::vector<int64_t>>(&value)) return *v;
  if (const auto* v = std::get_if<float>(&value)) {
    // Through the shortest text: 0.1, not 0.10000000149.
    const std::string digits = str(*v);
    double exact = *v;
    std::from_chars(digits.data(), digits.data() + digits.size(), exact);
    return exact;
  }
  throw invalid_argument("a layer's option of kind ", attr_kind(value),
                         " cannot be written to a model file");
}

// Each Sequential is an object and a list; what is around it in a model file is less.
constexpr int kDeepestLayers = kDeepestJson / 2 - 5;

Json layer_to_json(const Layer& layer, int depth = 0) {
  if (depth > kDeepestLayers) {
    throw invalid_argument("layers are nested more than ", kDeepestLayers,
                           " deep, which no file can hold");
  }
  Json json = {{"type", layer.type()}};
  if (layer.type() == "Sequential") {
    if (!layer.base().name().empty()) json["name"] = layer.base().name();
    json["layers"] = Json::array();
    for (const Layer& part : layer.layers())
      json["layers"].push_back(layer_to_json(part, depth + 1));
    return json;
  }
  for (const auto& [name, value] : layer.config()) json[name] = from_attr(value);
  return json;
}

}  // namespace

Layer parse_network(std::string_view text, int64_t outputs, const LayerMakers& makers) {
  Json json;
  try {
    json = parse_json(text);
  } catch (const Error& error) {
    throw invalid_argument("the network is no JSON: ", error.message());
  }
  try {
    return NetworkReader(outputs, makers).read(json);
  } catch (Error& error) {
    error.add_context("network");
    throw;
  }
}

std::string network_to_json(const Layer& network) {
  Json json = layer_to_json(network);
  if (network.type() == "Sequential") {
    json.erase("type");
  } else {
    json = Json{{"layers", Json::array({json})}};
  }
  return json.dump(2);
}

}  // namespace thalweg
