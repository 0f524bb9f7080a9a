// JSON texts that people may have written or damaged: read with errors in our own words.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <type_traits>

#include "thalweg/base/error.h"

namespace thalweg {

using Json = nlohmann::ordered_json;

/// How deep lists and objects may be nested in each other.
inline constexpr int kDeepestJson = 100;
/// Throws invalid_argument naming line, column and what was found there.
Json parse_json(std::string_view text);

/// "a text", "a list", ...: what `json` is.
std::string_view kind_of(const Json& json);

/// What a T is written as.
template <class T>
constexpr std::string_view kKindOf = "a list of values of one kind";
template <class T>
requires(std::is_arithmetic_v<T>) constexpr std::string_view kKindOf<T> = "a number";
template <>
inline constexpr std::string_view kKindOf<bool> = "true or false";
template <>
inline constexpr std::string_view kKindOf<std::string> = "a text";
template <>
inline constexpr std::string_view kKindOf<std::map<std::string, std::string>> =
    "an object of texts";

/// The value as T. Throws invalid_argument naming `key` when it is of another kind.
template <class T>
T json_value(const Json& json, std::string_view key) {
  try {
    return json.get<T>();
  } catch (const nlohmann::json::exception&) {
    throw invalid_argument("`", key, "` is ", kind_of(json), ", expected ", kKindOf<T>);
  }
}

/// The value at `key`. Throws invalid_argument when it is missing.
const Json& json_at(const Json& object, const char* key);

template <class T>
T json_field(const Json& object, const char* key) {
  return json_value<T>(json_at(object, key), key);
}

/// The same, or `otherwise` when there is none.
template <class T>
T json_field_or(const Json& object, const char* key, T otherwise) {
  return object.contains(key) ? json_value<T>(object[key], key) : otherwise;
}

}  // namespace thalweg
