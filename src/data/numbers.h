// Numbers as people write them in tables.
#pragma once

#include <string>
#include <string_view>

namespace thalweg::data {

/// What a cell holds. One meaning of "missing" for every reader.
struct Number {
  enum Kind { kFinite, kMissing, kInfinite, kText };
  Kind kind = kText;
  double value = 0;
  bool exact = true;  // false for an integer that a double rounds
};

/// Missing: empty, NA, N/A, NaN, null, None, ? (any case). Beyond the range of double counts as
/// infinite.
Number parse_number(std::string_view text);

/// A class may well be called "none" or "?", so for labels only empty, NA, N/A and NaN are missing.
bool is_missing_label(std::string_view text);

/// Whether float32, which a table becomes, takes the differences between numbers away.
class RoundedSpread {
 public:
  void add(double value);
  /// Whether rounding takes more than a hundredth of the way from the least to the largest.
  bool is_lost() const;
  /// "reaches from ... to ..., ...": for a warning, when they are lost.
  std::string text() const;

 private:
  double least_ = 0, most_ = 0, error_ = 0;
  bool is_empty_ = true;
};

}  // namespace thalweg::data
