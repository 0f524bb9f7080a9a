#include <cmath>

#include "nn/nn_testing.h"
#include "thalweg/nn/image_layers.h"
#include "thalweg/nn/layers.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::expect_near;
using testing::GraphTest;

constexpr Mode kTraining = Mode::kTraining;
constexpr Mode kPredicting = Mode::kPredicting;

class BatchNormTest : public GraphTest {
 protected:
  std::vector<double> moving(const char* what) {
    return testing::values(variable(str("batch_norm/moving_", what)));
  }
};

TEST_F(BatchNormTest, NormalisesByTheBatchWhenTraining) {
  const BatchNorm norm({.epsilon = 0.5});
  const Output y = norm(given(Tensor::of<float>({1, 10, 3, 30}, {2, 2})), kTraining);
  const double a = 1 / std::sqrt(1.5), b = 10 / std::sqrt(100.5);
  expect_near(numbers(y), {-a, -b, a, b});
}

TEST_F(BatchNormTest, CountsAllPlacesOfAnImage) {
  const Output x = given(Tensor::of<float>({1, 2, 3, 4}, {1, 2, 2, 1}));
  const double s = std::sqrt(1.25 + 1e-3);
  expect_near(numbers(BatchNorm()(x, kTraining)), {-1.5 / s, -0.5 / s, 0.5 / s, 1.5 / s});
}

TEST_F(BatchNormTest, TakesSequences) {
  const Output x = input({kUnknownDim, kUnknownDim, 1});
  const Tensor y =
      run(BatchNorm()(x, kTraining), {{x, Tensor::of<float>({1, 2, 3, 4}, {2, 2, 1})}});
  EXPECT_EQ(y.shape(), (Shape{2, 2, 1}));
  EXPECT_NEAR(y.at(0), -1.5 / std::sqrt(1.25 + 1e-3), 1e-5);
}

TEST_F(BatchNormTest, UpdatesMovingValuesWithTheNodesCollected) {
  const Output x = given(Tensor::of<float>({1, 10, 3, 30}, {2, 2}));
  const Output y = BatchNorm({.momentum = 0.75})(x, kTraining);
  run(y);
  EXPECT_EQ(moving("mean"), (std::vector<double>{0, 0}));  // a run of the output alone keeps them
  ASSERT_EQ(graph_.collected(kUpdates).size(), 2u);
  run_nodes(graph_.collected(kUpdates));
  expect_near(moving("mean"), {0.25 * 2, 0.25 * 20});
  // The batch's variances 1 and 100 count n / (n - 1) = 2 times.
  expect_near(moving("variance"), {0.75 + 0.25 * 2, 0.75 + 0.25 * 200});
  run_nodes(graph_.collected(kUpdates));
  expect_near(moving("mean"), {0.75 * 0.5 + 0.5, 0.75 * 5 + 5});
}

TEST_F(BatchNormTest, NormalisesByMovingValuesWhenPredicting) {
  const BatchNorm norm({.momentum = 0, .epsilon = 1e-3});
  const Output x = input({kUnknownDim, 1});
  norm(x, kTraining);
  const Output predicted = norm(x, kPredicting);
  const Tensor row = Tensor::of<float>({3}, {1, 1});
  expect_near(numbers(predicted, {{x, row}}), {3 / std::sqrt(1.001)});
  run_nodes(graph_.collected(kUpdates), {{x, Tensor::of<float>({1, 5}, {2, 1})}});
  expect_near(numbers(predicted, {{x, row}}), {0});  // moving mean 3
  expect_near(moving("variance"), {8});
}

TEST_F(BatchNormTest, AddsNoUpdatesWhenPredicting) {
  BatchNorm()(input({kUnknownDim, 2}), kPredicting);
  EXPECT_TRUE(graph_.collected(kUpdates).empty());
}

TEST_F(BatchNormTest, StaysFiniteWithOneValueAChannel) {
  const Sequential net({Dense({.units = 3}), BatchNorm(), Dense({.units = 1})});
  const Output x = input({kUnknownDim, 2});
  const Output trained = net(x, kTraining), predicted = net(x, kPredicting);
  const Tensor one = Tensor::of<float>({1, -2}, {1, 2});
  for (int step = 0; step < 5; ++step) {
    session().initialize();
    const Tensor y = session().run({{x, one}}, {trained}, graph_.collected(kUpdates))[0];
    EXPECT_TRUE(std::isfinite(y.at(0)));
    for (const double v : moving("variance")) EXPECT_TRUE(std::isfinite(v) && v >= 0) << v;
    for (const double m : moving("mean")) EXPECT_TRUE(std::isfinite(m)) << m;
    EXPECT_TRUE(std::isfinite(number(predicted, {{x, one}})));
  }
}

TEST_F(BatchNormTest, KeepsMovingValuesOverAnEmptyBatch) {
  const Output x = input({kUnknownDim, 2});
  BatchNorm()(x, kTraining);
  run_nodes(graph_.collected(kUpdates), {{x, Tensor(kFloat32, {0, 2})}});
  EXPECT_EQ(moving("mean"), (std::vector<double>{0, 0}));
  EXPECT_EQ(moving("variance"), (std::vector<double>{1, 1}));
}

TEST_F(BatchNormTest, TrainsGammaAndBetaOnly) {
  BatchNorm()(input({kUnknownDim, 2}), kTraining);
  std::vector<std::string> trainable;
  for (const auto& record : graph_.variables()) {
    if (record.trainable) trainable.push_back(record.name);
  }
  EXPECT_EQ(trainable, (std::vector<std::string>{"batch_norm/gamma", "batch_norm/beta"}));
  EXPECT_EQ(graph_.variables().size(), 4u);
}

TEST_F(BatchNormTest, LeavesGammaAndBetaOut) {
  const Output x = given(Tensor::of<float>({1, 3}, {2, 1}));
  const Output y = BatchNorm({.center = false, .scale = false})(x, kTraining);
  EXPECT_EQ(graph_.variables().size(), 2u);
  const double a = 1 / std::sqrt(1.001);
  expect_near(numbers(y), {-a, a});
}

TEST(BatchNormOptions, AreCheckedWhenTheLayerIsMade) {
  expect_error(
      Code::kInvalidArgument, [] { BatchNorm({.momentum = 1.5}); }, "momentum");
  expect_error(
      Code::kInvalidArgument, [] { BatchNorm({.epsilon = 0}); }, "epsilon");
  expect_error(
      Code::kInvalidArgument, [] { BatchNorm({.epsilon = HUGE_VAL}); }, "epsilon");
}

}  // namespace
}  // namespace thalweg
