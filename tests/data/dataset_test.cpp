#include "thalweg/data/dataset.h"

#include <algorithm>

#include "data_testing.h"

namespace thalweg::data {
namespace {

TEST(FromTensors, SlicesAlongTheFirstDimensionWithoutCopying) {
  const Tensor x = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const Tensor y = Tensor::of<int64_t>({7, 8, 9});
  const Dataset dataset = Dataset::from_tensors({x, y});
  EXPECT_EQ(to_string(dataset.spec()), "features float32[2], label int64[]");
  EXPECT_EQ(dataset.size(), 3);
  EXPECT_TRUE(dataset.has_random_access());
  Iterator pass = dataset.iterate();
  pass.next();
  const Example second = *pass.next();
  EXPECT_EQ(second[0].to_string(), "float32[2] [3, 4]");
  EXPECT_EQ(second[0].raw(), x.data<float>().data() + 2);
  EXPECT_EQ(second[1].item<int64_t>(), 8);
  EXPECT_TRUE(pass.next());
  EXPECT_FALSE(pass.next());
  EXPECT_FALSE(pass.next());
}

TEST(FromTensors, RejectsWhatHasNoCommonRows) {
  const Tensor x = Tensor::zeros(kFloat32, {3, 2});
  expect_error(
      Code::kInvalidArgument, [&] { Dataset::from_tensors({}); }, "at least one");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        Dataset::from_tensors({x, Tensor(1.f)});
      },
      "'label'", "scalar");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        Dataset::from_tensors({x, Tensor::zeros(kInt64, {4})});
      },
      "'label'", "4 rows", "'features' has 3");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        Dataset::from_tensors({x}, {"a", "b"});
      },
      "2 names", "1 tensors");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        Dataset::from_tensors({x, x}, {"a", "a"});
      },
      "'a'", "differ");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        Dataset::from_tensors({x, Tensor()});
      },
      "'label'", "empty Tensor");
}

TEST(FromTensors, CarriesStrings) {
  const Dataset dataset = Dataset::from_tensors({Tensor::of<std::string>({"a", "b", "c"})});
  EXPECT_EQ(dataset.iterate({.index = 1}).next()->at(0).item<std::string>(), "b");
  const Example batch = *dataset.skip(1).batch(2).iterate().next();
  EXPECT_TRUE(batch[0].same_bits(Tensor::of<std::string>({"b", "c"})));
  const Example stacked = *dataset.prefetch(1).batch(3).iterate().next();
  EXPECT_TRUE(stacked[0].same_bits(Tensor::of<std::string>({"a", "b", "c"})));
}

TEST(FromGenerator, GivesWhatTheFunctionMakesAndKnowsItsEpoch) {
  const Dataset dataset =
      Dataset::from_generator({{"n", kInt64, {}}}, [](int64_t epoch) -> Generator {
        return [epoch, count = 0]() mutable -> std::optional<Example> {
          if (count++ == 2) return std::nullopt;
          return Example{Tensor(epoch * 10 + count)};
        };
      });
  EXPECT_FALSE(dataset.size());
  EXPECT_FALSE(dataset.has_random_access());
  EXPECT_EQ(values_of(dataset), (Values{1, 2}));
  EXPECT_EQ(values_of(dataset, {.epoch = 3}), (Values{31, 32}));
  EXPECT_EQ(values_of(dataset.repeat(2), {.epoch = 1}), (Values{21, 22, 31, 32}));
}

TEST(FromGenerator, ChecksElementsAgainstTheSpec) {
  const auto making = [](Example example) {
    return Dataset::from_generator({{"x", kFloat32, {kUnknownDim, 2}}}, [=](int64_t) -> Generator {
      return [=] { return std::optional(example); };
    });
  };
  EXPECT_TRUE(making({Tensor::zeros(kFloat32, {5, 2})}).iterate().next());
  expect_error(
      Code::kInvalidArgument,
      [&] {
        making({Tensor::zeros(kFloat32, {5, 3})}).iterate().next();
      },
      "epoch 0, element 0", "'x'", "float32[5, 3]", "float32[?, 2]");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        making({Tensor::zeros(kInt32, {5, 2})}).iterate().next();
      },
      "int32");
  expect_error(
      Code::kInvalidArgument, [&] { making({}).iterate().next(); }, "0 components", "expected 1");
}

TEST(Batch, KeepsTheShortLastBatchUnlessTold) {
  const Dataset all = numbers(5).batch(2);
  EXPECT_EQ(all.size(), 3);
  EXPECT_EQ(to_string(all.spec()), "n int64[?]");
  Iterator pass = all.iterate();
  EXPECT_EQ(pass.next()->at(0).to_string(), "int64[2] [0, 1]");
  EXPECT_EQ(pass.next()->at(0).to_string(), "int64[2] [2, 3]");
  EXPECT_EQ(pass.next()->at(0).to_string(), "int64[1] [4]");
  EXPECT_FALSE(pass.next());

  for (const Dataset& source : {numbers(5), generated(5)}) {
    const Dataset whole = source.batch(2, {.drop_remainder = true});
    EXPECT_EQ(to_string(whole.spec()), "n int64[2]");
    EXPECT_EQ(values_of(whole), (Values{0, 1, 2, 3}));
  }
  EXPECT_EQ(numbers(5).batch(2, {.drop_remainder = true}).size(), 2);
}

TEST(Batch, StacksBatchesOfBatches) {
  const Example example = *numbers(6).batch(2).batch(2).iterate().next();
  EXPECT_EQ(example[0].to_string(), "int64[2, 2] [[0, 1], [2, 3]]");
}

TEST(Batch, NamesElementsThatDoNotStack) {
  const Dataset ragged = numbers(5).batch(2).batch(3);
  expect_error(
      Code::kInvalidArgument, [&] { ragged.iterate().next(); }, "batch(3)", "n int64[?]",
      "int64[2]", "number 3", "int64[1]");
}

TEST(Batch, GathersRowsOfEveryComponent) {
  const Dataset dataset =
      Dataset::from_tensors({Tensor::of<float>({1, 2, 3, 4, 5, 6}, {3, 2}),
                             Tensor::of<uint8_t>({7, 8, 9}), Tensor::zeros(kInt32, {3, 0})});
  const Example batch = *dataset.select({2, 0, 2}).batch(8).iterate().next();
  EXPECT_EQ(batch[0].to_string(), "float32[3, 2] [[5, 6], [1, 2], [5, 6]]");
  EXPECT_EQ(batch[1].to_string(), "uint8[3] [9, 7, 9]");
  EXPECT_EQ(batch[2].shape(), (Shape{3, 0}));
}

TEST(Batch, GivesMemoryBackForTheNextBatch) {
#if defined(__SANITIZE_ADDRESS__)
  GTEST_SKIP() << "buffers are not kept under AddressSanitizer";
#endif
  const Dataset dataset = Dataset::from_tensors({Tensor::zeros(kFloat32, {1024, 784})}).batch(128);
  Iterator pass = dataset.iterate();
  const void* first = pass.next()->at(0).raw();
  EXPECT_EQ(pass.next()->at(0).raw(), first);
}

TEST(TakeAndSkip, ChooseAndKnowTheirSize) {
  EXPECT_EQ(values_of(numbers(5).take(2)), (Values{0, 1}));
  EXPECT_EQ(values_of(numbers(5).skip(3)), (Values{3, 4}));
  EXPECT_EQ(values_of(numbers(5).skip(9)), Values{});
  EXPECT_EQ(values_of(numbers(9).skip(2).take(4).skip(1)), (Values{3, 4, 5}));
  EXPECT_EQ(values_of(generated(5).skip(1).take(2)), (Values{1, 2}));
  EXPECT_EQ(numbers(5).take(9).size(), 5);
  EXPECT_EQ(numbers(5).skip(9).size(), 0);
  EXPECT_EQ(numbers(5).repeat().take(7).size(), 7);
}

TEST(Repeat, ChainsPassesAndStopsOnEmptyOnes) {
  EXPECT_EQ(values_of(numbers(2).repeat(3)), (Values{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(values_of(numbers(2).repeat(0)), Values{});
  EXPECT_EQ(values_of(numbers(2).repeat().take(5)), (Values{0, 1, 0, 1, 0}));
  EXPECT_EQ(values_of(numbers(0).repeat()), Values{});
  EXPECT_EQ(values_of(generated(0).repeat()), Values{});
  EXPECT_TRUE(numbers(2).repeat().is_infinite());
  EXPECT_FALSE(numbers(2).repeat().size());
  EXPECT_EQ(numbers(2).repeat(3).size(), 6);
  EXPECT_EQ(to_string(numbers(2).repeat().batch(4).spec()), "n int64[4]");
}

TEST(Repeat, OfAGeneratorMayProveEmptySoTakingFromItHasNoKnownSize) {
  EXPECT_TRUE(generated(0).repeat().is_infinite());
  EXPECT_TRUE(generated(0).repeat().shuffle(3, 1).batch(2).repeat(2).is_infinite());
  EXPECT_FALSE(generated(0).repeat().take(5).size());
  EXPECT_FALSE(generated(0).repeat().take(5).is_infinite());
  EXPECT_FALSE(generated(0).repeat().skip(1).take(5).batch(2).size());
  EXPECT_EQ(generated(3).repeat().take(0).size(), 0);
  EXPECT_EQ(values_of(generated(3).repeat().take(5)), (Values{0, 1, 2, 0, 1}));
  EXPECT_EQ(to_string(generated(2).repeat().batch(4).spec()), "n int64[4]");
}

TEST(Shuffle, IsAPermutationThatDependsOnSeedAndEpoch) {
  const Dataset shuffled = numbers(50).shuffle(50, 7);
  const Values first = values_of(shuffled);
  EXPECT_EQ(values_of(shuffled), first);
  EXPECT_NE(values_of(shuffled, {.epoch = 1}), first);
  EXPECT_NE(values_of(numbers(50).shuffle(50, 8)), first);
  Values sorted = first;
  std::ranges::sort(sorted);
  EXPECT_EQ(sorted, values_of(numbers(50)));
  EXPECT_NE(first, sorted);
}

TEST(Shuffle, DrawsANewOrderForEachRepeat) {
  const Dataset once = numbers(20).shuffle(20, 3);
  Values expected = values_of(once);
  const Values second = values_of(once, {.epoch = 1});
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(values_of(once.repeat(2)), expected);
}

TEST(Shuffle, GivesTheSameOrderWithAndWithoutRandomAccess) {
  EXPECT_EQ(values_of(numbers(30).shuffle(8, 5)), values_of(generated(30).shuffle(8, 5)));
}

TEST(Shuffle, LooksNoFurtherAheadThanItsBuffer) {
  const Values values = values_of(numbers(100).shuffle(5, 1));
  for (size_t i = 0; i < values.size(); ++i) EXPECT_LT(values[i], static_cast<int64_t>(i) + 5);
  EXPECT_EQ(values_of(numbers(10).shuffle(1, 1)), values_of(numbers(10)));
}

TEST(Shuffle, PutsEveryElementEverywhereEquallyOften) {
  std::vector<int> counts(16);
  const Dataset shuffled = numbers(4).shuffle(4, 11);
  for (int64_t epoch = 0; epoch < 4000; ++epoch) {
    const Values values = values_of(shuffled, {.epoch = epoch});
    for (size_t i = 0; i < 4; ++i) ++counts[i * 4 + static_cast<size_t>(values[i])];
  }
  for (const int count : counts) EXPECT_NEAR(count, 1000, 120);  // four standard deviations
}

TEST(Select, TakesTheListedElements) {
  EXPECT_EQ(values_of(numbers(9).select({8, 0, 3, 3})), (Values{8, 0, 3, 3}));
  EXPECT_EQ(values_of(numbers(9).skip(4).select({1, 0}).select({1})), (Values{4}));
  EXPECT_EQ(values_of(numbers(9).map(plus(10)).select({2})), (Values{12}));
  EXPECT_EQ(values_of(numbers(9).select({})), Values{});
  expect_error(
      Code::kOutOfRange, [] { numbers(9).take(3).select({3}); }, "element 3", "has 3");
  expect_error(
      Code::kOutOfRange, [] { numbers(9).select({-1}); }, "-1");
  expect_error(
      Code::kInvalidArgument, [] { numbers(9).shuffle(9, 1).select({0}); }, "before shuffle");
  expect_error(
      Code::kInvalidArgument, [] { generated(9).select({0}); }, "random access");
}

TEST(Steps, RejectSettingsThatMakeNoSense) {
  const Dataset dataset = numbers(3);
  expect_error(
      Code::kInvalidArgument, [&] { dataset.batch(0); }, "batch(0)");
  expect_error(
      Code::kInvalidArgument, [&] { dataset.shuffle(0, 1); }, "shuffle(0)");
  expect_error(
      Code::kInvalidArgument, [&] { dataset.repeat(-2); }, "repeat(-2)");
  expect_error(
      Code::kInvalidArgument, [&] { dataset.take(-1); }, "take(-1)");
  expect_error(
      Code::kInvalidArgument, [&] { dataset.skip(-1); }, "skip(-1)");
  expect_error(
      Code::kInvalidArgument, [&] { dataset.prefetch(0); }, "prefetch(0)");
  expect_error(
      Code::kInvalidArgument, [&] { dataset.map(plus(1), {.parallel = 0}); }, "parallel is 0");
}

TEST(Component, GathersOneComponentOfAllElements) {
  const Dataset dataset =
      Dataset::from_tensors({Tensor::zeros(kFloat32, {3, 2}), Tensor::of<int64_t>({5, 6, 7})});
  EXPECT_EQ(dataset.select({2, 0}).component(1).to_string(), "int64[2] [7, 5]");
  EXPECT_EQ(dataset.take(0).component(0).shape(), (Shape{0, 2}));
  expect_error(
      Code::kInvalidArgument, [&] { dataset.component(2); }, "component 2", "label");
  expect_error(
      Code::kInvalidArgument, [&] { dataset.repeat().component(1); }, "endless");
}

TEST(Fingerprint, TellsDataAndStepsApart) {
  const Tensor x = Tensor::of<float>({1, 2, 3});
  const uint64_t print = Dataset::from_tensors({x}).fingerprint();
  EXPECT_EQ(Dataset::from_tensors({x.clone()}).fingerprint(), print);
  EXPECT_NE(Dataset::from_tensors({Tensor::of<float>({1, 2, 4})}).fingerprint(), print);
  EXPECT_NE(Dataset::from_tensors({x}, {"other"}).fingerprint(), print);
  EXPECT_NE(Dataset::from_tensors({x}).batch(2).fingerprint(), print);
  EXPECT_NE(Dataset::from_tensors({x}).shuffle(2, 1).fingerprint(),
            Dataset::from_tensors({x}).shuffle(2, 2).fingerprint());
  EXPECT_EQ(Dataset::from_tensors({x}).prefetch(2).fingerprint(), print);
  EXPECT_NE(Dataset::from_tensors({Tensor::of<std::string>({"ab", "c"})}).fingerprint(),
            Dataset::from_tensors({Tensor::of<std::string>({"a", "bc"})}).fingerprint());
}

}  // namespace
}  // namespace thalweg::data
