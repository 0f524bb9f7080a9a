// Texts in JSON that may be no UTF-8, as cells and names of tables can be: those are written as
// {"hex": "ff"}.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "estimator/json_text.h"

namespace thalweg {

Json bytes_json(std::string_view bytes);
Json bytes_list_json(const std::vector<std::string>& list);

/// Throw invalid_argument naming `key` when it is missing or something else.
std::string bytes_field(const Json& object, const char* key);
std::vector<std::string> bytes_list_field(const Json& object, const char* key);

}  // namespace thalweg
