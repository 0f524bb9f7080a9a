// Runs a suite once for each SIMD target that this CPU supports, and measures errors in ulp.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "kernels/cpu/targets.h"

namespace thalweg::simd {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

class EachTarget : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { ASSERT_TRUE(force_target_for_test(GetParam())); }
  void TearDown() override { force_target_for_test(""); }
};

#define THALWEG_FOR_EACH_TARGET(Suite)                   \
  class Suite : public EachTarget {};                    \
  INSTANTIATE_TEST_SUITE_P(                              \
      , Suite, ::testing::ValuesIn(available_targets()), \
      [](const ::testing::TestParamInfo<const char*>& info) { return std::string(info.param); })

/// How far `got` lies from `want` in units of float's last place at `want`; 0 for two NaN and for
/// equal infinities, infinite when only one of them is such.
inline double ulp_error(float got, double want) {
  const auto rounded = static_cast<float>(want);
  if (std::isnan(got) || std::isnan(rounded))
    return std::isnan(got) && std::isnan(rounded) ? 0 : kInf;
  if (got == rounded) return 0;
  if (std::isinf(got) || std::isinf(rounded)) return kInf;
  const float size = std::fabs(rounded);
  const double unit = static_cast<double>(size) - std::nextafter(size, 0.0f);
  return std::fabs(got - want) / (size == 0 ? std::numeric_limits<float>::denorm_min() : unit);
}

/// Numbers that an eye would call arbitrary, in [low, high], the same on every machine.
inline std::vector<float> some_numbers(int64_t n, float low, float high, uint32_t seed = 1) {
  std::vector<float> values;
  uint32_t state = seed;
  for (int64_t i = 0; i < n; ++i) {
    state = state * 1664525u + 1013904223u;
    values.push_back(low + (high - low) * static_cast<float>(state >> 8) * 0x1p-24f);
  }
  return values;
}

}  // namespace thalweg::simd
