#include "thalweg/base/philox.h"

#include <cmath>
#include <numbers>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

constexpr uint64_t kGolden = 0x9E3779B97F4A7C15u;

uint64_t finalise(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace

PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t a = uint64_t{0xD2511F53u} * counter[0];
    const uint64_t b = uint64_t{0xCD9E8D57u} * counter[2];
    counter = {static_cast<uint32_t>(b >> 32) ^ counter[1] ^ key.lo, static_cast<uint32_t>(b),
               static_cast<uint32_t>(a >> 32) ^ counter[3] ^ key.hi, static_cast<uint32_t>(a)};
    key.lo += 0x9E3779B9u;
    key.hi += 0xBB67AE85u;
  }
  return counter;
}

Philox::Philox(uint64_t seed, uint64_t stream)
    : key_{static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)},
      counter_{0, 0, static_cast<uint32_t>(stream), static_cast<uint32_t>(stream >> 32)} {}

uint32_t Philox::next() {
  if (used_ == 4) {
    block_ = philox4x32(counter_, key_);
    used_ = 0;
    if (++counter_[0] == 0) ++counter_[1];
  }
  return block_[static_cast<size_t>(used_++)];
}

double Philox::uniform() {
  const uint64_t high = next();
  return static_cast<double>((high << 32 | next()) >> 11) * 0x1p-53;
}

double Philox::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));  // 1 - u is in (0, 1]: no log(0)
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

uint64_t Philox::below(uint64_t bound) {
  THALWEG_CHECK(bound >= 1, "bound is 0");
  // The first 2^64 mod bound values would make small results likelier; they are drawn again.
  const uint64_t skip = (0 - bound) % bound;
  for (;;) {
    const uint64_t high = next();
    const uint64_t value = high << 32 | next();
    if (value >= skip) return value % bound;
  }
}

uint64_t mix_seed(uint64_t seed, uint64_t salt) {
  return finalise(finalise(seed + kGolden) + finalise(salt + kGolden) * kGolden);
}

uint64_t mix_seed(uint64_t seed, std::string_view name) {
  uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return mix_seed(seed, hash);
}

}  // namespace thalweg
