#include "estimator/json_text.h"

#include <algorithm>

namespace thalweg {
namespace {

// What stands at `at`, for a message: the rest of the line, cut.
std::string found_at(std::string_view text, size_t at) {
  constexpr size_t kLongest = 20;
  if (at >= text.size()) return "the text ends too early";
  if (text[at] == '\n' || text[at] == '\r') return "the line ends too early";
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte < 0x20) return str("unexpected byte of value ", int{byte});
  std::string_view rest = text.substr(at, text.find_first_of("\r\n", at) - at);
  if (rest.size() > kLongest) {
    size_t end = kLongest;  // between characters of UTF-8
    while (end > 0 && (static_cast<unsigned char>(rest[end]) & 0xC0) == 0x80) --end;
    return str("unexpected `", rest.substr(0, end), "...`");
  }
  return str("unexpected `", rest, "`");
}

// Lines end with \n, \r\n or \r.
std::string place_of(std::string_view text, size_t at) {
  int64_t line = 1;
  size_t begin = 0;
  for (size_t i = 0; i < at; ++i) {
    if (text[i] != '\n' && (text[i] != '\r' || text.substr(i + 1, 1) == "\n")) continue;
    ++line;
    begin = i + 1;
  }
  return str("line ", line, ", column ", at - begin + 1);
}

Error fault_at(std::string_view text, size_t at) {
  at = std::min(at, text.size());
  return invalid_argument(place_of(text, at), ": ", found_at(text, at));
}

// Where lists and objects begin that are nested deeper than anything of ours; the text's end when
// none are. What reads the values calls itself, and so would run out of stack.
size_t too_deep_at(std::string_view text) {
  int depth = 0;
  bool in_text = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text && c == '\\') {
      ++i;
    } else if (c == '"') {
      in_text = !in_text;
    } else if (!in_text && (c == '[' || c == '{')) {
      if (++depth > kDeepestJson) return i;
    } else if (!in_text && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return text.size();
}

}  // namespace

Json parse_json(std::string_view text) {
  if (const size_t at = too_deep_at(text); at < text.size()) {
    throw invalid_argument(place_of(text, at), ": lists and objects are nested more than ",
                           kDeepestJson, " deep");
  }
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::parse_error& error) {
    throw fault_at(text, error.byte == 0 ? 0 : error.byte - 1);  // the last byte it read, from 1
  } catch (const nlohmann::json::exception&) {
    throw invalid_argument("a number is too large");
  }
}

std::string_view kind_of(const Json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "a list";
  if (json.is_string()) return "a text";
  if (json.is_boolean()) return "true or false";
  return json.is_number() ? "a number" : "null";
}

const Json& json_at(const Json& object, const char* key) {
  if (!object.is_object()) {
    throw invalid_argument("there is ", kind_of(object), " where an object with `", key,
                           "` is expected");
  }
  const auto found = object.find(key);
  if (found == object.end()) throw invalid_argument("`", key, "` is missing");
  return *found;
}

}  // namespace thalweg
