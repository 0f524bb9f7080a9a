// Cells of tables as classes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "thalweg/base/strings.h"
#include "thalweg/data/table.h"

namespace thalweg {

/// A number as cells of number columns are written: "1.0" as "1". None for what is no plain number
/// or has leading zeros.
std::optional<std::string> number_text(std::string_view text);

/// Finds classes by their text; where that is none, by the number that both are. Immutable.
class ClassPlaces {
 public:
  explicit ClassPlaces(const std::vector<std::string>& names);
  std::optional<int64_t> find(std::string_view text) const;

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  using Places = std::unordered_map<std::string, int64_t, Hash, std::equal_to<>>;
  Places by_text_;
  Places by_number_;
};

/// Calls f(row, text) for each cell; "" for one that is missing.
template <class F>
void each_text(const data::Column& column, F&& f) {
  const int64_t rows = column.size();
  if (column.type() == data::ColumnType::kText) {
    const data::Texts& texts = column.texts();
    for (int64_t i = 0; i < rows; ++i) {
      f(i, column.is_missing(i) ? std::string_view() : texts[i]);
    }
    return;
  }
  for (int64_t i = 0; i < rows; ++i) f(i, std::string_view(column.cell(i)));
}

/// Calls f(label) for each piece of a list, without white space at its ends; empty ones are left
/// out.
template <class F>
void each_label(std::string_view list, std::string_view separator, F&& f) {
  while (true) {
    const size_t end = list.find(separator);
    const std::string_view label = trim(list.substr(0, end));
    if (!label.empty()) f(label);
    if (end == std::string_view::npos) return;
    list.remove_prefix(end + separator.size());
  }
}

/// 0 or 1 for a cell of a label's own column: numbers 0 and 1, true and false, yes and no in any
/// case of letters. None otherwise.
std::optional<float> to_indicator(std::string_view text);

}  // namespace thalweg
