#include "thalweg/base/philox.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "testing.h"

namespace thalweg {
namespace {

TEST(Philox, MatchesTheAuthorsVectors) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(philox4x32({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, StreamReadsBlocksInOrderOfTheCounter) {
  Philox random(0x0000000200000001, 0x0000000400000003);
  for (uint32_t block = 0; block < 3; ++block) {
    for (const uint32_t word : philox4x32({block, 0, 3, 4}, {1, 2})) EXPECT_EQ(random.next(), word);
  }
}

TEST(Philox, SameSeedSameNumbersOtherStreamOthers) {
  Philox a(7), b(7), other_seed(8), other_stream(7, 1);
  for (int i = 0; i < 8; ++i) {
    const uint32_t word = a.next();
    EXPECT_EQ(word, b.next());
    EXPECT_NE(word, other_seed.next());
    EXPECT_NE(word, other_stream.next());
  }
}

TEST(Philox, UniformHasTheMomentsOfAUniform) {
  Philox random(1);
  double sum = 0, squares = 0, least = 1, most = 0;
  constexpr int kCount = 20000;
  for (int i = 0; i < kCount; ++i) {
    const double u = random.uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
    least = std::min(least, u);
    most = std::max(most, u);
  }
  EXPECT_NEAR(sum / kCount, 0.5, 0.01);
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 0.01);
  EXPECT_LT(least, 0.001);
  EXPECT_GT(most, 0.999);
}

TEST(Philox, NormalHasTheMomentsOfANormal) {
  Philox random(2);
  double sum = 0, squares = 0, fourth = 0;
  constexpr int kCount = 50000;
  for (int i = 0; i < kCount; ++i) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
  }
  EXPECT_NEAR(sum / kCount, 0, 0.02);
  EXPECT_NEAR(squares / kCount, 1, 0.03);
  EXPECT_NEAR(fourth / kCount, 3, 0.2);
}

TEST(Philox, BelowCoversItsRangeEvenly) {
  Philox random(3);
  std::vector<int> counts(6);
  for (int i = 0; i < 6000; ++i) ++counts.at(random.below(6));
  for (const int count : counts) EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(random.below(1), 0u);
  EXPECT_LT(random.below(uint64_t{1} << 63), uint64_t{1} << 63);
  testing::expect_error(
      Code::kInternal, [&] { random.below(0); }, "bound");
}

TEST(MixSeed, DerivesDistinctStableSeeds) {
  std::set<uint64_t> seen;
  for (uint64_t seed = 0; seed < 30; ++seed) {
    for (uint64_t salt = 0; salt < 30; ++salt) seen.insert(mix_seed(seed, salt));
  }
  EXPECT_EQ(seen.size(), 900u);
  EXPECT_EQ(mix_seed(1, "fc1/kernel"), mix_seed(1, "fc1/kernel"));
  EXPECT_NE(mix_seed(1, "fc1/kernel"), mix_seed(1, "fc2/kernel"));
  EXPECT_NE(mix_seed(1, "fc1/kernel"), mix_seed(2, "fc1/kernel"));
  // Part of the contract: a seed must mean the same weights in every release.
  EXPECT_EQ(mix_seed(1, 2), 4468017643470615451u);
  EXPECT_EQ(mix_seed(1, "fc1/kernel"), 4251027042670281269u);
}

}  // namespace
}  // namespace thalweg
