// Figures as JSON; only the program's sources see the JSON library.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/console.h"
#include "thalweg/base/printable.h"
#include "thalweg/train/train_spec.h"

namespace thalweg::cli {

using Json = nlohmann::ordered_json;

/// Undefined ones are null.
inline Json number_json(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// An object with a key a figure; undefined ones are null.
inline Json figures_to_json(const std::vector<Figure>& figures) {
  Json json = Json::object();
  for (const Figure& f : figures) json[f.name] = number_json(f.value);
  return json;
}

/// The same with bytes that are no UTF-8 written out ("\\xff").
inline Json to_text(const Json& json) {
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    return is_utf8(text) ? json : Json(printable(text));
  }
  if (!json.is_structured()) return json;
  Json result = json.is_array() ? Json::array() : Json::object();
  if (json.is_array()) {
    for (const Json& item : json) result.push_back(to_text(item));
  } else {
    for (const auto& [key, value] : json.items()) {
      result[is_utf8(key) ? key : printable(key)] = to_text(value);
    }
  }
  return result;
}

/// Text for stdout. `indent` -1: one line.
inline std::string dump(const Json& json, int indent = 2) {
  try {
    return json.dump(indent) + "\n";
  } catch (const Json::type_error&) {  // bytes that are no UTF-8
    return to_text(json).dump(indent) + "\n";
  }
}

}  // namespace thalweg::cli
