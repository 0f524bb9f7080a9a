// Numbers in cells, as fast as they can be read: tables hold millions of them. Two readings: the
// strict one of a guess, which takes only what comes out as it was written, and the lenient one
// where the user has said what a column holds.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace thalweg::data {

/// `text` in quotes for a message, cut when long, with control characters written out.
std::string quoted(std::string_view text);

/// 12, -3; not 007, +1, -0 (which an integer cannot hold), nor what 64 bits cannot hold.
bool strict_integer_slow(std::string_view text, int64_t& value);
/// Also 0.5, .5, 5., 1e-3. Not inf, nan, what is too large, and no integer that float64 rounds.
bool strict_real_slow(std::string_view text, char decimal, double& value);
/// Also +1 and 007.
bool lenient_integer(std::string_view text, int64_t& value);
/// Also +1, 007, inf, and integers that are rounded; not nan.
bool lenient_real(std::string_view text, char decimal, double& value);

/// Integers whose magnitude is at most this are float64 too.
inline constexpr int64_t kMostExactReal = int64_t{1} << 53;

/// Whether float64 holds `value`.
inline bool is_exact_real(int64_t value) {
  if (value >= -kMostExactReal && value <= kMostExactReal) return true;
  const auto real = static_cast<double>(value);
  return real < 9223372036854775808.0 && static_cast<int64_t>(real) == value;
}

/// As strict_integer_slow.
inline bool strict_integer(std::string_view text, int64_t& value) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p != end && *p == '-';
  if (negative) ++p;
  const auto digits = end - p;
  if (digits < 1 || digits > 18) return strict_integer_slow(text, value);
  if (*p == '0' && (digits > 1 || negative)) return false;
  int64_t result = 0;
  for (; p != end; ++p) {
    const unsigned digit = static_cast<unsigned char>(*p) - unsigned{'0'};
    if (digit > 9) return false;
    result = result * 10 + static_cast<int64_t>(digit);
  }
  value = negative ? -result : result;
  return true;
}

inline constexpr std::array<double, 23> kPowersOfTen = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// As strict_real_slow. Decimals of few digits are an exact integer divided by an exact power of
/// ten, which rounds once and so gives the nearest float64 (Clinger 1990).
inline bool strict_real(std::string_view text, char decimal, double& value) {
  const char* p = text.data();
  const char* const end = p + text.size();
  const bool negative = p != end && *p == '-';
  if (negative) ++p;
  const char* const first = p;
  uint64_t mantissa = 0;
  const auto digit_at = [](const char* c) {
    return static_cast<unsigned char>(*c) - unsigned{'0'};
  };
  for (; p != end && digit_at(p) <= 9; ++p) mantissa = mantissa * 10 + digit_at(p);
  const auto whole = p - first;
  if (whole > 1 && *first == '0') return false;
  if (p == end || *p != decimal) return strict_real_slow(text, decimal, value);
  const char* const point = ++p;
  for (; p != end && digit_at(p) <= 9; ++p) mantissa = mantissa * 10 + digit_at(p);
  const auto places = p - point;
  if (p != end || whole + places > 18 || whole + places == 0 ||
      mantissa > uint64_t{kMostExactReal}) {
    return strict_real_slow(text, decimal, value);
  }
  const double result = static_cast<double>(mantissa) / kPowersOfTen[static_cast<size_t>(places)];
  value = negative ? -result : result;
  return true;
}

}  // namespace thalweg::data
