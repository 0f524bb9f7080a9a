// Random numbers as a function of position: which Philox block and words an element comes from, and
// how words become numbers. These are TensorFlow's conventions, so that equal seeds give its
// numbers.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <numbers>
#include <utility>

#include "thalweg/base/philox.h"
#include "thalweg/tensor/dtype.h"

namespace thalweg {

/// A sequence of Philox blocks: block n is at counter `start` + n.
struct RandomStream {
  PhiloxKey key;
  PhiloxBlock start{};

  PhiloxBlock block(uint64_t n) const {
    const uint64_t low = (uint64_t{start[1]} << 32 | start[0]) + n;
    const uint64_t high = (uint64_t{start[3]} << 32 | start[2]) + (low < n ? 1 : 0);
    return philox4x32({static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32),
                       static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)},
                      key);
  }
};

/// For stateful ops: the key is `seed`, the upper half of the counter is `seed2` in run 0 (as in
/// TensorFlow's first run) and a mix of seed2 and the run's number later.
inline RandomStream stateful_stream(int64_t seed, int64_t seed2, uint64_t run) {
  const auto key = static_cast<uint64_t>(seed);
  const uint64_t high =
      run == 0 ? static_cast<uint64_t>(seed2) : mix_seed(static_cast<uint64_t>(seed2), run);
  return {{static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)},
          {0, 0, static_cast<uint32_t>(high), static_cast<uint32_t>(high >> 32)}};
}

/// For stateless ops: the seeds are scrambled by one Philox block under a fixed key, so that it
/// does not matter which of their bits vary.
inline RandomStream stateless_stream(int64_t seed0, int64_t seed1) {
  const auto a = static_cast<uint64_t>(seed0);
  const auto b = static_cast<uint64_t>(seed1);
  const PhiloxBlock mix = philox4x32({static_cast<uint32_t>(a), static_cast<uint32_t>(a >> 32),
                                      static_cast<uint32_t>(b), static_cast<uint32_t>(b >> 32)},
                                     {0x3EC8F720u, 0x02461E29u});
  return {{mix[0], mix[1]}, {0, 0, mix[2], mix[3]}};
}

// Uniform numbers in [0, 1): random mantissa bits under the exponent of [1, 2), less 1.

inline float unit_float(uint32_t word) {
  const uint32_t bits = (word & 0x7FFFFFu) | 0x3F800000u;
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value - 1;
}

inline double unit_double(uint32_t high, uint32_t low) {
  const uint64_t bits = uint64_t{(high & 0xFFFFFu) | 0x3FF00000u} << 32 | low;
  double value;
  std::memcpy(&value, &bits, sizeof(value));
  return value - 1;
}

inline BFloat16 unit_bfloat16(uint32_t word) {
  BFloat16 value;
  value.bits = static_cast<uint16_t>((word & 0x7Fu) | 0x3F80u);
  return BFloat16(static_cast<float>(value) - 1);
}

inline Float16 unit_float16(uint32_t word) {
  Float16 value;
  value.bits = static_cast<uint16_t>((word & 0x3FFu) | 0x3C00u);
  return Float16(static_cast<float>(value) - 1);
}

// Two standard normal numbers from two uniform ones (Box and Muller 1958); u1 is kept from 0 for
// the logarithm.

inline std::pair<float, float> normal_floats(uint32_t a, uint32_t b) {
  const float u1 = std::fmax(unit_float(a), 1e-7f);
  const auto angle = static_cast<float>(2 * std::numbers::pi * static_cast<double>(unit_float(b)));
  const float radius = std::sqrt(-2.0f * std::log(u1));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

inline std::pair<double, double> normal_doubles(const PhiloxBlock& words) {
  const double u1 = std::fmax(unit_double(words[0], words[1]), 1e-7);
  const double angle = 2 * std::numbers::pi * unit_double(words[2], words[3]);
  const double radius = std::sqrt(-2.0 * std::log(u1));
  return {std::sin(angle) * radius, std::cos(angle) * radius};
}

}  // namespace thalweg
