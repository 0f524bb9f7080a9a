#include "thalweg/base/clock.h"

#include <gtest/gtest.h>

namespace thalweg {
namespace {

TEST(Clock, SystemClockTellsTheTimeOfThisCentury) {
  EXPECT_GT(system_clock().wall_seconds(), 1.5e9);
  EXPECT_LT(system_clock().wall_seconds(), 4.2e9);
}

TEST(Clock, SteadySecondsNeverStepBack) {
  const double first = system_clock().steady_seconds();
  EXPECT_GE(system_clock().steady_seconds(), first);
}

TEST(Clock, FakeClockMovesOnlyWhenTold) {
  FakeClock clock(10);
  EXPECT_EQ(clock.wall_seconds(), 10);
  clock.advance(2.5);
  EXPECT_EQ(clock.wall_seconds(), 12.5);
  EXPECT_EQ(clock.steady_seconds(), 12.5);
}

}  // namespace
}  // namespace thalweg
