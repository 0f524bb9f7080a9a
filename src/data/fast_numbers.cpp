#include "data/fast_numbers.h"

namespace thalweg::data::fast {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr std::array<uint64_t, 28> powers_of_five() {
  std::array<uint64_t, 28> result{1};
  for (size_t i = 1; i < result.size(); ++i) result[i] = result[i - 1] * 5;
  return result;
}
constexpr auto kPowersOfFive = powers_of_five();

}  // namespace

// 5^places fits 64 bits, so the quotient comes from one division of integers, of which the rest
// says on which side of a tie it lies. With both sides shifted up to 64 bits it has at least 62, of
// which a float64 keeps 53; nothing here comes near its smallest or largest numbers.
double exact_quotient(uint64_t digits, unsigned places) {
  const int shift = std::countl_zero(digits);
  const uint64_t five = kPowersOfFive[places];
  const int five_shift = std::countl_zero(five);
  const Uint128 above = Uint128{digits << shift} << 63;
  const uint64_t below = five << five_shift;
  auto bits = static_cast<uint64_t>(above / below);
  const bool has_rest = bits * Uint128{below} != above;
  // value = bits * 2^power
  int power = five_shift - shift - 63 - static_cast<int>(places);
  const int drop = 64 - std::countl_zero(bits) - 53;
  const uint64_t dropped = bits & ((uint64_t{1} << drop) - 1);
  const uint64_t half = uint64_t{1} << (drop - 1);
  bits >>= drop;
  power += drop;
  if (dropped > half || (dropped == half && (has_rest || (bits & 1) != 0))) ++bits;
  // 2^53 after a carry is exact too.
  const double scale = std::bit_cast<double>(static_cast<uint64_t>(1023 + power) << 52);
  return static_cast<double>(bits) * scale;
}

}  // namespace thalweg::data::fast
