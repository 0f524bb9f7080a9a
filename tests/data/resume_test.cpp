// Stopping anywhere and going on gives exactly what remains.
#include <limits>

#include "data_testing.h"
#include "thalweg/base/philox.h"

namespace thalweg::data {
namespace {

TEST(Position, SurvivesATensor) {
  const Position position{.epoch = 2, .index = 37, .pipeline = 0xFEDCBA9876543210u};
  EXPECT_EQ(Position::from_tensor(position.to_tensor()), position);
  expect_error(
      Code::kInvalidArgument,
      [] {
        Position::from_tensor(Tensor::of<int64_t>({1, 2}));
      },
      "int64[3]", "int64[2]");
  expect_error(
      Code::kDataLoss,
      [] {
        Position::from_tensor(Tensor::of<int64_t>({1, -2, 0}));
      },
      "element -2");
}

TEST(Resume, RefusesAnotherPipelineAndPlacesPastTheEnd) {
  Iterator pass = numbers(9).batch(2).iterate();
  pass.next();
  const Position position = pass.position();
  EXPECT_EQ(values_of(numbers(9).batch(2).prefetch(2), position), (Values{2, 3, 4, 5, 6, 7, 8}));
  expect_error(
      Code::kFailedPrecondition, [&] { numbers(9).batch(3).iterate(position); },
      "epoch 0, element 1", "another pipeline");
  expect_error(
      Code::kFailedPrecondition, [&] { numbers(8).batch(2).iterate(position); },
      "another pipeline");
  expect_error(
      Code::kOutOfRange, [&] { numbers(9).batch(2).iterate({.index = 6}); }, "only 5 elements");
  expect_error(
      Code::kInvalidArgument, [&] { numbers(9).iterate({.index = -1}); }, "count from 0");
  EXPECT_FALSE(numbers(9).batch(2).iterate({.index = 5}).next());
}

TEST(Resume, AtTheEndOfAPassGivesNothingMore) {
  Iterator pass = numbers(4).iterate();
  while (pass.next()) {
  }
  EXPECT_EQ(pass.position().index, 4);
  EXPECT_FALSE(numbers(4).iterate(pass.position()).next());
}

TEST(Resume, JumpsOverPassesOfAnEndlessRepeat) {
  const Dataset dataset = numbers(1000).shuffle(1000, 5).repeat();
  const int64_t far = int64_t{1000} * 1'000'000'000'000 + 17;
  Iterator pass = dataset.iterate({.index = far});
  const Values order = values_of(numbers(1000).shuffle(1000, 5), {.epoch = 1'000'000'000'000});
  for (int64_t i = 17; i < 1000; ++i) {
    EXPECT_EQ(pass.next()->at(0).item<int64_t>(), order[static_cast<size_t>(i)]);
  }
  expect_error(
      Code::kOutOfRange,
      [] { numbers(3).batch(2).iterate({.index = std::numeric_limits<int64_t>::max()}); },
      "only 2 elements");
}

/// A pipeline of one to five random steps, never endless, with elements that stack.
Dataset random_pipeline(Philox& random, std::string& description) {
  const auto below = [&](uint64_t bound) { return static_cast<int64_t>(random.below(bound)); };
  const int64_t count = below(25);
  const bool has_rows = below(2) == 0;
  Dataset dataset = has_rows ? numbers(count) : generated(count);
  description = str(has_rows ? "numbers(" : "generated(", count, ")");
  bool batched = false;
  const auto note = [&](const auto&... words) { append(description, str(".", words..., ")")); };
  for (int64_t steps = 1 + below(5); steps > 0; --steps) {
    const int64_t n = 1 + below(9);
    switch (below(9)) {
      case 0:
        note("shuffle(", n);
        dataset = dataset.shuffle(n, 3);
        break;
      case 1:
        note("shuffle(", 100);
        dataset = dataset.shuffle(100, 4);
        break;
      case 2:
        if (batched) break;
        batched = true;
        note("batch(", n, ", ", n % 2 == 0);
        dataset = dataset.batch(n, {.drop_remainder = n % 2 == 0});
        break;
      case 3:
        note("repeat(", n % 4);
        dataset = dataset.repeat(n % 4);
        break;
      case 4:
        note("map(");
        dataset = dataset.map(plus(n));
        break;
      case 5:
        note("map(parallel ");
        dataset = dataset.map(plus(n), {.parallel = 3});
        break;
      case 6:
        note("prefetch(", n);
        dataset = dataset.prefetch(n);
        break;
      case 7:
        note("take(", 3 * n);
        dataset = dataset.take(3 * n);
        break;
      case 8:
        note("skip(", n);
        dataset = dataset.skip(n);
        break;
    }
  }
  return dataset;
}

std::vector<Tensor> remaining(Iterator& pass) {
  std::vector<Tensor> result;
  while (auto example = pass.next()) result.push_back(std::move(example->at(0)));
  return result;
}

TEST(Resume, AnywhereInRandomPipelinesGivesExactlyWhatRemains) {
  Philox random(2026);
  int64_t places = 0;
  for (int i = 0; i < 300; ++i) {
    std::string description;
    const Dataset dataset = random_pipeline(random, description);
    SCOPED_TRACE(description);
    const int64_t epoch = static_cast<int64_t>(random.below(3));
    Iterator whole_pass = dataset.iterate({.epoch = epoch});
    const std::vector<Tensor> whole = remaining(whole_pass);
    if (dataset.size()) {
      EXPECT_EQ(*dataset.size(), static_cast<int64_t>(whole.size()));
    }
    const size_t stride = 1 + whole.size() / 12;
    for (size_t stop = 0; stop <= whole.size(); stop += stride) {
      Iterator before = dataset.iterate({.epoch = epoch});
      for (size_t k = 0; k < stop; ++k) before.next();
      Iterator after = dataset.iterate(Position::from_tensor(before.position().to_tensor()));
      const std::vector<Tensor> rest = remaining(after);
      ASSERT_EQ(rest.size(), whole.size() - stop);
      for (size_t k = 0; k < rest.size(); ++k)
        ASSERT_TRUE(rest[k].same_bits(whole[stop + k])) << "element " << k;
      ++places;
    }
  }
  EXPECT_GT(places, 1000);
}

}  // namespace
}  // namespace thalweg::data
