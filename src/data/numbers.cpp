#include "data/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string>

namespace thalweg::data {
namespace {

bool is_any_of(std::string_view text, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) {
    return std::ranges::equal(
        text, word, {}, [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  });
}

constexpr std::array<std::string_view, 4> kMissingLabels = {"", "na", "n/a", "nan"};
constexpr std::array<std::string_view, 3> kMissingNumbers = {"null", "none", "?"};
constexpr double kTwoTo53 = 9007199254740992;

/// Whether the integer written is the double read; only asked where it may not be.
bool is_exact_integer(std::string_view text, double value) {
  if (text.find_first_of(".eE") != std::string_view::npos || std::abs(value) < kTwoTo53)
    return true;
  std::array<char, 400> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                 std::chars_format::fixed, 0)
                       .ptr;
  return text == std::string_view(digits.data(), static_cast<size_t>(end - digits.data()));
}

}  // namespace

Number parse_number(std::string_view text) {
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  const char* end = digits.data() + digits.size();
  Number result;
  const auto [stop, status] = std::from_chars(digits.data(), end, result.value);
  if (stop != end || status == std::errc::invalid_argument) {
    const bool missing = is_missing_label(text) || is_any_of(text, kMissingNumbers);
    return {.kind = missing ? Number::kMissing : Number::kText};
  }
  if (status == std::errc::result_out_of_range) {
    result.value = std::strtod(std::string(digits).c_str(), nullptr);  // tells 1e999 from 1e-999
  }
  result.kind = std::isnan(result.value)   ? Number::kMissing
                : std::isinf(result.value) ? Number::kInfinite
                                           : Number::kFinite;
  if (result.kind == Number::kFinite) result.exact = is_exact_integer(digits, result.value);
  return result;
}

bool is_missing_label(std::string_view text) { return is_any_of(text, kMissingLabels); }

}  // namespace thalweg::data
