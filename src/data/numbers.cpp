#include "data/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <span>

#include "thalweg/base/strings.h"

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

/// Of a number that no double holds: whether it is too large rather than too small. By the place of
/// its first digit, and not by strtod, which follows the locale's decimal sign.
bool is_too_large(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const size_t e = std::min(text.find_first_of("eE"), text.size());
  const std::string_view mantissa = text.substr(0, e);
  const size_t first = std::min(mantissa.find_first_of("123456789"), mantissa.size());
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  if (e == text.size()) return first < point;
  std::string_view digits = text.substr(e + 1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  int64_t exponent = 0;
  const auto status = std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec;
  if (status == std::errc::result_out_of_range) return !digits.starts_with('-');
  const int64_t place = static_cast<int64_t>(point) - static_cast<int64_t>(first);
  return exponent > -place;
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
    result.value = is_too_large(digits) ? std::numeric_limits<double>::infinity() : 0;
    if (digits.starts_with('-')) result.value = -result.value;
  }
  result.kind = std::isnan(result.value)   ? Number::kMissing
                : std::isinf(result.value) ? Number::kInfinite
                                           : Number::kFinite;
  if (result.kind == Number::kFinite) result.exact = is_exact_integer(digits, result.value);
  return result;
}

bool is_missing_label(std::string_view text) { return is_any_of(text, kMissingLabels); }

void RoundedSpread::add(double value) {
  least_ = is_empty_ ? value : std::min(least_, value);
  most_ = is_empty_ ? value : std::max(most_, value);
  error_ = std::max(error_, std::abs(value - static_cast<double>(static_cast<float>(value))));
  is_empty_ = false;
}

bool RoundedSpread::is_lost() const {
  constexpr double kMostLost = 0.01;
  return most_ > least_ && error_ > kMostLost * (most_ - least_);
}

std::string RoundedSpread::text() const {
  return str("reaches from ", least_, " to ", most_, ", and float32 rounds off up to ", error_,
             " of its numbers, so differences are lost; take a number near all of them off");
}

}  // namespace thalweg::data
