// Counter-based random numbers: seed and counter in, numbers out, no state.
//
// Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011), as
// TensorFlow uses it. Output i depends on key and counter only, so a range can be filled by any
// thread in any order, and a position is two integers in a checkpoint.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace thalweg {

struct PhiloxKey {
  uint32_t lo = 0;
  uint32_t hi = 0;
};
using PhiloxBlock = std::array<uint32_t, 4>;

/// One block of four words: ten Philox rounds over `counter` under `key`.
PhiloxBlock philox4x32(PhiloxBlock counter, PhiloxKey key);

/// A stream of 32-bit words for code that is not speed-critical (shuffles, initial values, tests).
class Philox {
 public:
  /// `seed` chooses the key, `stream` the upper half of the counter: different streams never
  /// overlap.
  explicit Philox(uint64_t seed, uint64_t stream = 0);

  uint32_t next();
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Standard normal (Box-Muller).
  double normal();
  /// Uniform in [0, bound) without bias; bound >= 1.
  uint64_t below(uint64_t bound);

 private:
  PhiloxKey key_;
  PhiloxBlock counter_;
  PhiloxBlock block_{};
  int used_ = 4;
};

/// A 64-bit mix (SplitMix64 finaliser) to derive independent seeds from one.
uint64_t mix_seed(uint64_t seed, uint64_t salt);
/// The same with a name as salt; stable across runs and machines.
uint64_t mix_seed(uint64_t seed, std::string_view name);

}  // namespace thalweg
