#include "estimator/class_cells.h"

#include <charconv>
#include <cmath>

namespace thalweg {

std::optional<std::string> number_text(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('-')) digits.remove_prefix(1);
  if (digits.empty() || digits[0] < '0' || digits[0] > '9') return {};
  if (digits.size() > 1 && digits[0] == '0' && digits[1] >= '0' && digits[1] <= '9') return {};
  double value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return {};
  return str(value);
}

ClassPlaces::ClassPlaces(const std::vector<std::string>& names) {
  int64_t place = 0;
  for (const std::string& name : names) {
    by_text_.emplace(name, place);
    if (auto number = number_text(name)) by_number_.emplace(std::move(*number), place);
    ++place;
  }
}

std::optional<int64_t> ClassPlaces::find(std::string_view text) const {
  if (const auto found = by_text_.find(text); found != by_text_.end()) return found->second;
  const auto number = number_text(text);
  if (!number) return {};
  const auto found = by_number_.find(*number);
  return found == by_number_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<float> to_indicator(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  if (lower == "true" || lower == "yes") return 1.0F;
  if (lower == "false" || lower == "no") return 0.0F;
  const auto number = number_text(lower);
  if (number == "1") return 1.0F;
  if (number == "0" || number == "-0") return 0.0F;
  return {};
}

}  // namespace thalweg
