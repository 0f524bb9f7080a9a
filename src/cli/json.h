// Figures as JSON; only the program's sources see the JSON library.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/console.h"
#include "thalweg/train/train_spec.h"

namespace thalweg::cli {

using Json = nlohmann::ordered_json;

/// An object with a key a figure; undefined ones are null.
inline Json figures_to_json(const std::vector<Figure>& figures) {
  Json json = Json::object();
  for (const Figure& f : figures) {
    json[f.name] = std::isfinite(f.value) ? Json(f.value) : Json(nullptr);
  }
  return json;
}

/// Text for stdout; bytes that are no UTF-8 are replaced. `indent` -1: one line.
inline std::string dump(const Json& json, int indent = 2) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace thalweg::cli
