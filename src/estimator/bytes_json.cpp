#include "estimator/bytes_json.h"

#include "thalweg/base/printable.h"

namespace thalweg {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

std::string from_hex(const std::string& hex, std::string_view key) {
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (size_t i = 0; i + 1 < hex.size() + hex.size() % 2; i += 2) {
    const size_t high = kDigits.find(hex[i]);
    const size_t low = i + 1 < hex.size() ? kDigits.find(hex[i + 1]) : std::string_view::npos;
    if (high == std::string_view::npos || low == std::string_view::npos) {
      throw invalid_argument("`", key, "`: `hex` holds something else than pairs of 0-9 and a-f");
    }
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

std::string bytes_value(const Json& json, std::string_view key) {
  if (json.is_object()) return from_hex(json_field<std::string>(json, "hex"), key);
  return json_value<std::string>(json, key);
}

}  // namespace

Json bytes_json(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return Json{{"hex", hex}};
}

Json bytes_list_json(const std::vector<std::string>& list) {
  Json json = Json::array();
  for (const std::string& bytes : list) json.push_back(bytes_json(bytes));
  return json;
}

std::string bytes_field(const Json& object, const char* key) {
  return bytes_value(json_at(object, key), key);
}

std::vector<std::string> bytes_list_field(const Json& object, const char* key) {
  const Json& list = json_at(object, key);
  if (!list.is_array())
    throw invalid_argument("`", key, "` is ", kind_of(list), ", expected a list");
  std::vector<std::string> result;
  result.reserve(list.size());
  for (const Json& item : list) result.push_back(bytes_value(item, key));
  return result;
}

}  // namespace thalweg
