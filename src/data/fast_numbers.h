// Numbers of cells of a table, eight digits at a time: a large table holds hundreds of millions.
//
// Eight digits in a register are added up by three multiplications; a point among them is taken out
// by a shift. Signs and first digits are as good as random, so nothing branches on them. What has
// another form goes to the plain readers of cell_numbers.h, which define what is right.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "data/cell_numbers.h"

namespace thalweg::data {

/// So many bytes before a number, and one behind it, must be readable, as they are loaded with it.
inline constexpr size_t kBytesBeforeNumber = 24;

namespace fast {

inline constexpr bool kUsable = std::endian::native == std::endian::little;
inline constexpr uint64_t kZeros = 0x3030303030303030;  // "00000000"

inline uint64_t load(const char* p) {
  uint64_t word;
  std::memcpy(&word, p, sizeof(word));
  return word;
}

/// The `count` characters before `end` (1 to 8) behind as many "0" as make eight.
inline uint64_t last_digits(const char* end, int64_t count) {
  const auto garbage = static_cast<unsigned>(8 - count) * 8;
  const uint64_t word = load(end - 8) >> garbage << garbage;
  return word | (kZeros >> (static_cast<unsigned>(count) * 8 - 8) >> 8);
}

inline bool are_digits(uint64_t word) {
  constexpr uint64_t kHigh = 0xF0F0F0F0F0F0F0F0;
  return ((word & kHigh) | (((word + 0x0606060606060606) & kHigh) >> 4)) == 0x3333333333333333;
}

inline uint64_t value_of(uint64_t word) {
  word -= kZeros;
  word = word * 10 + (word >> 8);  // pairs
  constexpr uint64_t kPairs = 0x000000FF000000FF;
  return ((word & kPairs) * (100 + (uint64_t{1000000} << 32)) +
          ((word >> 16) & kPairs) * (1 + (uint64_t{10000} << 32))) >>
         32;
}

/// The place (0 to 7) of the first `c` in `word`, 8 when there is none.
inline unsigned find(uint64_t word, char c) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  const uint64_t x = word ^ (kOnes * static_cast<unsigned char>(c));
  return static_cast<unsigned>(std::countr_zero((x - kOnes) & ~x & (kOnes << 7))) / 8;
}

/// `word` without the character at `place`: those before it move up, `first` comes to the front.
inline uint64_t take_out(uint64_t word, unsigned place, uint64_t first) {
  const uint64_t before = (uint64_t{1} << (place * 8)) - 1;
  const uint64_t behind = ~uint64_t{0} << (place * 8) << 8;
  return (word & behind) | ((word & before) << 8) | first;
}

inline constexpr std::array<double, 23> kPowersOfTen = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// digits / 10^places, rounded to the nearest float64. `digits` is not 0, `places` at most 27.
double exact_quotient(uint64_t digits, unsigned places);

inline double quotient(uint64_t digits, unsigned places) {
  // An exact integer divided by an exact power of ten rounds once (Clinger 1990).
  if (digits <= uint64_t{kMostExactReal}) return static_cast<double>(digits) / kPowersOfTen[places];
  return exact_quotient(digits, places);
}

}  // namespace fast

/// As strict_integer(), for text with kBytesBeforeNumber before it.
inline bool fast_integer(std::string_view text, int64_t& value) {
  const char* const end = text.data() + text.size();
  const char* p = text.data();
  const int64_t negative = static_cast<int64_t>(*p == '-');
  p += negative;
  const auto count = end - p;
  if (!fast::kUsable || count < 1 || count > 16) return strict_integer(text, value);
  if (static_cast<int>(*p == '0') & static_cast<int>(count + negative > 1)) return false;
  uint64_t result = 0;
  if (count <= 8) {
    const uint64_t word = fast::last_digits(end, count);
    if (!fast::are_digits(word)) return false;
    result = fast::value_of(word);
  } else {
    const uint64_t high = fast::last_digits(end - 8, count - 8), low = fast::load(end - 8);
    if (!fast::are_digits(high) || !fast::are_digits(low)) return false;
    result = fast::value_of(high) * 100000000 + fast::value_of(low);
  }
  value = (static_cast<int64_t>(result) ^ -negative) + negative;
  return true;
}

/// As strict_real(), for text with kBytesBeforeNumber before it.
inline bool fast_real(std::string_view text, char decimal, double& value) {
  using namespace fast;  // NOLINT: its own
  const char* const end = text.data() + text.size();
  const char* p = text.data();
  const int64_t negative = static_cast<int64_t>(*p == '-');
  p += negative;
  const auto count = end - p;
  if (!kUsable || count < 2 || count > 24) return strict_real(text, decimal, value);
  if (static_cast<int>(*p == '0') & static_cast<int>(p[1] != decimal))
    return strict_real(text, decimal, value);
  double result = 0;
  if (count <= 8) {
    uint64_t low = last_digits(end, count);
    unsigned places = 0;
    if (const unsigned point = find(low, decimal); point < 8) {
      places = 7 - point;
      low = take_out(low, point, '0');
    }
    if (!are_digits(low)) return strict_real(text, decimal, value);
    result = static_cast<double>(value_of(low)) / kPowersOfTen[places];
  } else if (count <= 16) {
    uint64_t high = last_digits(end - 8, count - 8), low = load(end - 8);
    unsigned places = 0;
    if (const unsigned point = find(low, decimal); point < 8) {
      places = 7 - point;
      low = take_out(low, point, high >> 56);
      high = high << 8 | '0';
    } else if (const unsigned point = find(high, decimal); point < 8) {
      places = 15 - point;
      high = take_out(high, point, '0');
    } else {
      return strict_real(text, decimal, value);
    }
    if (!are_digits(high) || !are_digits(low)) return strict_real(text, decimal, value);
    result = static_cast<double>(value_of(high) * 100000000 + value_of(low)) / kPowersOfTen[places];
  } else {
    uint64_t top = last_digits(end - 16, count - 16), high = load(end - 16), low = load(end - 8);
    unsigned places = 0;
    // Most digits follow the point.
    if (const unsigned point = find(top, decimal); point < 8) {
      places = 23 - point;
      top = take_out(top, point, '0');
    } else if (const unsigned point = find(high, decimal); point < 8) {
      places = 15 - point;
      high = take_out(high, point, top >> 56);
      top = top << 8 | '0';
    } else {
      return strict_real(text, decimal, value);
    }
    if (!are_digits(top) || !are_digits(high) || !are_digits(low))
      return strict_real(text, decimal, value);
    constexpr uint64_t kMostTop = 1800;  // so that all digits are below 2^64
    const uint64_t first = value_of(top);
    if (first >= kMostTop || places > 22) return strict_real(text, decimal, value);
    const uint64_t digits = first * 10000000000000000 + value_of(high) * 100000000 + value_of(low);
    result = quotient(digits, places);
  }
  value = std::bit_cast<double>(std::bit_cast<uint64_t>(result) ^
                                (static_cast<uint64_t>(negative) << 63));
  return true;
}

}  // namespace thalweg::data
