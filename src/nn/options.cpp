#include "nn/options.h"

#include <algorithm>
#include <charconv>

namespace thalweg {

template <class T>
const T* OptionReader::find(std::string_view name, std::string_view kind) {
  known_.emplace_back(name);
  const auto it = config_.find(name);
  if (it == config_.end()) return nullptr;
  if (const T* value = std::get_if<T>(&it->second)) return value;
  throw invalid_argument("option `", name, "` is of kind ", attr_kind(it->second), ", ", kind,
                         " is wanted");
}

void OptionReader::operator()(std::string_view name, int64_t& value) {
  if (const auto* found = find<int64_t>(name, "int")) value = *found;
}

void OptionReader::operator()(std::string_view name, double& value) {
  const auto it = config_.find(name);
  if (it != config_.end() && std::holds_alternative<int64_t>(it->second)) {
    known_.emplace_back(name);
    value = static_cast<double>(std::get<int64_t>(it->second));
  } else if (const auto* found = find<float>(name, "float")) {
    // Through the shortest text: 0.99 was meant, not 0.9900000095.
    const std::string digits = str(*found);
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
  }
}

void OptionReader::operator()(std::string_view name, bool& value) {
  if (const auto* found = find<bool>(name, "bool")) value = *found;
}

void OptionReader::operator()(std::string_view name, std::string& value) {
  if (const auto* found = find<std::string>(name, "string")) value = *found;
}

void OptionReader::operator()(std::string_view name, std::vector<int64_t>& value) {
  if (const auto* found = find<std::vector<int64_t>>(name, "list(int)")) value = *found;
}

void OptionReader::operator()(std::string_view name, Initializer& value) {
  if (const auto* found = find<std::string>(name, "string")) value = Initializer(*found);
}

void OptionReader::operator()(std::string_view name, Regularizer& value) {
  if (const auto* found = find<std::string>(name, "string")) value = Regularizer(*found);
}

void OptionReader::finish() const {
  for (const auto& [name, value] : config_) {
    if (std::find(known_.begin(), known_.end(), name) != known_.end()) continue;
    const std::string hint = nearest(name, known_);
    throw invalid_argument("unknown option `", name,
                           hint.empty() ? str("`; the options are ", join(known_, ", "))
                                        : str("`; did you mean `", hint, "`?"));
  }
}

}  // namespace thalweg
