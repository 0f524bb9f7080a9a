// Numbers in cells. Two readings: the strict one of a guess, which takes only what comes out as it
// was written, and the lenient one where the user has said what a column holds. The fast versions
// of the strict one are in fast_numbers.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace thalweg::data {

/// `text` in quotes for a message, cut when long, with control characters written out.
std::string quoted(std::string_view text);

/// 12, -3; not 007, +1, -0 (which an integer cannot hold), nor what 64 bits cannot hold.
bool strict_integer(std::string_view text, int64_t& value);
/// Also 0.5, .5, 5., 1e-3. Not inf, nan, what is too large, and no integer that float64 rounds.
bool strict_real(std::string_view text, char decimal, double& value);
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

}  // namespace thalweg::data
