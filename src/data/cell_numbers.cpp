#include "data/cell_numbers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "thalweg/base/printable.h"
#include "thalweg/base/strings.h"

namespace thalweg::data {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Whether `text` is digits, or digits with a point among them, and perhaps an exponent, each
/// behind a sign that its part allows.
bool is_decimal(std::string_view text, char decimal) {
  size_t i = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  size_t digits = 0;
  for (bool point = false; i < text.size(); ++i) {
    if (is_digit(text[i])) {
      ++digits;
    } else if (text[i] == decimal && !point) {
      point = true;
    } else {
      break;
    }
  }
  if (digits == 0) return false;
  if (i == text.size()) return true;
  if (text[i] != 'e' && text[i] != 'E') return false;
  ++i;
  if (i < text.size() && (text[i] == '-' || text[i] == '+')) ++i;
  return i < text.size() &&
         std::all_of(text.begin() + static_cast<std::ptrdiff_t>(i), text.end(), is_digit);
}

/// Of what is_decimal(); false when no float64 is near it.
bool decimal_value(std::string_view text, char decimal, double& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::string with_point;
  if (decimal != '.') {
    with_point = text;
    std::ranges::replace(with_point, decimal, '.');
    text = with_point;
  }
  return std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
}

bool is_word(std::string_view text, std::string_view word) {
  return std::ranges::equal(text, word, {},
                            [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr size_t kLongest = 40;
  if (text.size() <= kLongest) return str('"', printable(text), '"');
  size_t cut = kLongest;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return str('"', printable(text.substr(0, cut)), "...\"");
}

bool strict_integer(std::string_view text, int64_t& value) {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || !std::ranges::all_of(digits, is_digit)) return false;
  if (digits[0] == '0' && text != "0") return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool strict_real(std::string_view text, char decimal, double& value) {
  if (text.starts_with('+') || !is_decimal(text, decimal)) return false;
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.size() > 1 && digits[0] == '0' && is_digit(digits[1])) return false;
  if (std::ranges::all_of(digits, is_digit)) {
    int64_t integer = 0;
    if (text == "-0") {
      value = -0.0;
      return true;
    }
    if (!strict_integer(text, integer) || !is_exact_real(integer)) return false;
    value = static_cast<double>(integer);
    return true;
  }
  return decimal_value(text, decimal, value);
}

bool lenient_integer(std::string_view text, int64_t& value) {
  if (text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || (text[0] == '-' && text.size() == 1)) return false;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool lenient_real(std::string_view text, char decimal, double& value) {
  if (is_decimal(text, decimal)) return decimal_value(text, decimal, value);
  const bool negative = text.starts_with('-');
  const std::string_view word = text.substr(negative || text.starts_with('+') ? 1 : 0);
  if (!is_word(word, "inf") && !is_word(word, "infinity")) return false;
  value = std::numeric_limits<double>::infinity();
  if (negative) value = -value;
  return true;
}

}  // namespace thalweg::data
