// Label texts as classes and as numbers.
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "data/numbers.h"
#include "thalweg/base/log.h"
#include "thalweg/data/numeric_csv.h"

namespace thalweg::data {

std::vector<std::string> class_names(std::span<const std::string> labels) {
  std::vector<std::string> names(labels.begin(), labels.end());
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const auto value = [](const std::string& name) { return parse_number(name).value; };
  const bool numbers = std::ranges::all_of(
      names, [](const auto& name) { return parse_number(name).kind == Number::kFinite; });
  // Stable: texts of equal value, as large ids are after rounding, stay in alphabetical order and
  // stay apart.
  if (numbers) std::ranges::stable_sort(names, {}, value);
  return names;
}

Tensor class_indices(std::span<const std::string> labels, std::span<const std::string> names) {
  std::unordered_map<std::string_view, int64_t> places;
  for (const std::string& name : names) places.emplace(name, static_cast<int64_t>(places.size()));
  Tensor result(kInt64, {static_cast<int64_t>(labels.size())});
  const auto out = result.mutable_data<int64_t>();
  for (size_t row = 0; row < labels.size(); ++row) {
    const auto found = places.find(labels[row]);
    if (found == places.end()) {
      throw invalid_argument("row ", row + 1, " has the label '", labels[row],
                             "', which is none of the classes ", join(names, ", "));
    }
    out[row] = found->second;
  }
  return result;
}

Tensor label_numbers(std::span<const std::string> labels) {
  Tensor result(kFloat32, {static_cast<int64_t>(labels.size())});
  const auto out = result.mutable_data<float>();
  RoundedSpread spread;
  for (size_t row = 0; row < labels.size(); ++row) {
    const Number number = parse_number(labels[row]);
    out[row] = static_cast<float>(number.value);
    if (number.kind == Number::kFinite && std::isfinite(out[row])) {
      spread.add(number.value);
      continue;
    }
    throw invalid_argument("row ", row + 1, " has the label '", labels[row],
                           "', expected a finite number");
  }
  if (spread.is_lost()) log_warning("data", "the label ", spread.text());
  return result;
}

}  // namespace thalweg::data
