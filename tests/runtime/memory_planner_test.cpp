#include "runtime/memory_planner.h"

#include <gtest/gtest.h>

#include "testing.h"
#include "thalweg/base/philox.h"
#include "thalweg/tensor/buffer.h"

namespace thalweg {
namespace {

TEST(MemoryPlanner, SharesMemoryBetweenPiecesThatNeverLiveTogether) {
  const MemoryPlan plan = plan_memory({{100, 0, 1}, {100, 2, 3}, {100, 1, 2}});
  EXPECT_EQ(plan.offsets[0], plan.offsets[1]);
  EXPECT_NE(plan.offsets[0], plan.offsets[2]);
  EXPECT_EQ(plan.arena_bytes, 2 * 128u);
}

TEST(MemoryPlanner, GivesNothingToEmptyPieces) {
  const MemoryPlan plan = plan_memory({{0, 0, 5}, {64, 0, 5}});
  EXPECT_EQ(plan.arena_bytes, 64u);
}

TEST(MemoryPlanner, FillsTheSmallestGapThatSuffices) {
  // The two large pieces leave a gap where the middle one ended; the small piece fits there.
  const MemoryPlan plan = plan_memory({{1024, 0, 9}, {512, 0, 2}, {256, 0, 9}, {512, 3, 9}});
  EXPECT_EQ(plan.offsets[3], plan.offsets[1]);
}

TEST(MemoryPlanner, NeverOverlapsWhatLivesTogether) {
  Philox random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> pieces;
    for (uint64_t i = 0; i < 1 + random.below(40); ++i) {
      const int first = static_cast<int>(random.below(30));
      pieces.push_back({random.below(5000), first, first + static_cast<int>(random.below(10))});
    }
    const MemoryPlan plan = plan_memory(pieces);
    for (size_t a = 0; a < pieces.size(); ++a) {
      EXPECT_EQ(plan.offsets[a] % kAlignment, 0u);
      EXPECT_LE(plan.offsets[a] + pieces[a].bytes, plan.arena_bytes);
      for (size_t b = 0; b < a; ++b) {
        const bool together =
            pieces[a].first <= pieces[b].last && pieces[b].first <= pieces[a].last;
        if (!together || pieces[a].bytes == 0 || pieces[b].bytes == 0) continue;
        EXPECT_TRUE(plan.offsets[a] + pieces[a].bytes <= plan.offsets[b] ||
                    plan.offsets[b] + pieces[b].bytes <= plan.offsets[a]);
      }
    }
  }
}

TEST(MemoryPlanner, RefusesWhatNoMemoryHolds) {
  const size_t large = size_t{1} << 62;
  EXPECT_EQ(plan_memory({{large, 0, 1}, {large, 2, 3}}).arena_bytes, large);
  testing::expect_error(
      Code::kResourceExhausted,
      [&] {
        plan_memory({{large, 0, 1}, {large, 0, 1}});
      },
      "at once");
  // Their sum is 2^64: it would wrap around to nothing.
  testing::expect_error(
      Code::kResourceExhausted,
      [&] {
        plan_memory({{large, 0, 1}, {large, 0, 1}, {large, 0, 1}, {large, 0, 1}});
      },
      "at once");
  testing::expect_error(
      Code::kResourceExhausted,
      [&] {
        plan_memory({{SIZE_MAX, 0, 1}});
      },
      "at once");
}

}  // namespace
}  // namespace thalweg
