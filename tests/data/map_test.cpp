#include "thalweg/data/map.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "data_testing.h"
#include "thalweg/base/parallel.h"

namespace thalweg::data {
namespace {

TEST(Map, RefusesAFunctionThatIsEmpty) {
  const Dataset numbers = Dataset::from_tensors({Tensor::of<int64_t>({1, 2, 3})});
  for (const int threads : {1, 2}) {
    expect_error(
        Code::kInvalidArgument,
        [&] { numbers.map(std::function<Example(Example)>(), {.parallel = threads}); }, "map",
        "empty");
  }
}

TEST(Map, AppliesToElementsAndToBatches) {
  EXPECT_EQ(values_of(numbers(3).map(plus(10))), (Values{10, 11, 12}));
  EXPECT_EQ(values_of(numbers(3).batch(2).map(plus(10))), (Values{10, 11, 12}));
  EXPECT_EQ(values_of(numbers(3).map(plus(10)).batch(2)), (Values{10, 11, 12}));
  EXPECT_EQ(values_of(generated(3).map(plus(10)).shuffle(1, 0)), (Values{10, 11, 12}));
}

TEST(Map, KeepsTheOrderInParallel) {
  // Later elements finish first.
  const MapFunction slow = [](Example example) {
    std::this_thread::sleep_for(
        std::chrono::microseconds(200 * (7 - example[0].item<int64_t>() % 8)));
    return example;
  };
  const Dataset dataset = numbers(64).map(slow, {.parallel = 4});
  EXPECT_EQ(values_of(dataset), values_of(numbers(64)));
  EXPECT_EQ(dataset.size(), 64);
}

TEST(Map, OnlyMapsWhatIsAskedFor) {
  std::atomic<int> calls = 0;
  const Dataset dataset = numbers(100).map([&](Example example) {
    ++calls;
    return example;
  });
  EXPECT_EQ(values_of(dataset.shuffle(100, 1).batch(10), {.index = 9}).size(), 10u);
  EXPECT_EQ(calls, 10);
}

TEST(Map, FindsTheSpecFromTheFirstElement) {
  const MapFunction pair = [](Example example) {
    return Example{example[0].cast(kFloat32), Tensor(true)};
  };
  EXPECT_EQ(to_string(numbers(3).map(pair).spec()), "n float32[], component_1 bool[]");
  EXPECT_EQ(to_string(numbers(3).batch(2).map(pair).spec()), "n float32[?], component_1 bool[]");
  EXPECT_EQ(to_string(numbers(3).map(pair, {.parallel = 2}).spec()),
            "n float32[], component_1 bool[]");
  EXPECT_EQ(to_string(numbers(0).map(pair).spec()), "n int64[]");
}

TEST(Map, ErrorsComeWithTheirElementAndInOrder) {
  const MapFunction fails = [](Example example) {
    if (example[0].item<int64_t>() == 3) throw invalid_argument("bad cell");
    return example;
  };
  for (const int parallel : {1, 3}) {
    Iterator pass = numbers(9).map(fails, {.parallel = parallel}).iterate();
    for (int i = 0; i < 3; ++i) EXPECT_EQ(pass.next()->at(0).item<int64_t>(), i);
    expect_error(
        Code::kInvalidArgument, [&] { pass.next(); }, "epoch 0, element 3: bad cell");
    expect_error(
        Code::kFailedPrecondition, [&] { pass.next(); }, "failed at epoch 0, element 3");
  }
}

TEST(Map, OtherExceptionsPassUnchanged) {
  const MapFunction fails = [](Example) -> Example { throw std::runtime_error("not ours"); };
  Iterator pass = numbers(9).map(fails, {.parallel = 2}).iterate();
  EXPECT_THROW(pass.next(), std::runtime_error);
}

TEST(Map, RejectsMoreThreadsThanAMachineGives) {
  for (const int parallel : {0, kMostMapThreads + 1, 200000}) {
    expect_error(
        Code::kInvalidArgument, [&] { numbers(9).map(plus(1), {.parallel = parallel}); },
        str("parallel is ", parallel), "1 to 1024");
  }
}

TEST(Map, WorkersStopWhenTheIteratorGoes) {
  for (int i = 0; i < 50; ++i) {
    Iterator pass = numbers(1000).repeat().map(plus(1), {.parallel = 4}).iterate();
    if (i % 2 == 0) pass.next();
  }
}

TEST(Map, WorkersComputeSerially) {
  std::atomic<int> most = 0;
  const MapFunction count = [&](Example example) {
    if (num_threads() > most) most = num_threads();
    return example;
  };
  values_of(numbers(9).map(count, {.parallel = 2}));
  EXPECT_EQ(most, 1);
}

TEST(ToFloat, ScalesBytesAndOtherTypes) {
  const Dataset bytes =
      Dataset::from_tensors({Tensor::of<uint8_t>({0, 51, 255}), Tensor::of<int64_t>({1, 2, 3})});
  const Dataset dataset = bytes.batch(3).map(to_float(1 / 255.f));
  const Example example = *dataset.iterate().next();
  EXPECT_EQ(example[0].dtype(), kFloat32);
  const auto floats = example[0].data<float>();
  EXPECT_EQ(floats[0], 0);
  EXPECT_FLOAT_EQ(floats[1], 0.2f);
  EXPECT_FLOAT_EQ(floats[2], 1);
  EXPECT_EQ(example[1].dtype(), kInt64);
  EXPECT_EQ(to_string(dataset.spec()), "features float32[?], label int64[?]");
  EXPECT_EQ(to_string(bytes.map(to_float()).spec()), "features float32[], label int64[]");
  EXPECT_EQ(values_of(numbers(3).map(to_float(2))), (Values{0, 2, 4}));
  expect_error(
      Code::kInvalidArgument, [] { numbers(3).map(to_float(1, 1)).spec(); }, "no component 1");
  expect_error(
      Code::kInvalidArgument, [] { numbers(3).map(to_float(1, 1)).iterate().next(); },
      "no component 1");
  expect_error(
      Code::kInvalidArgument, [] { to_float(1, -1); }, "component -1");
}

TEST(Cast, ConvertsOneComponent) {
  const Dataset dataset =
      Dataset::from_tensors({Tensor::of<float>({1, 2}), Tensor::of<uint8_t>({3, 4})});
  const Dataset mapped = dataset.map(cast(kInt32, 1));
  EXPECT_EQ(to_string(mapped.spec()), "features float32[], label int32[]");
  EXPECT_EQ(mapped.iterate().next()->at(1).to_string(), "int32 3");
}

}  // namespace
}  // namespace thalweg::data
