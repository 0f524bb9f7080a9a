#include <cmath>
#include <limits>

#include "nn/nn_testing.h"
#include "thalweg/nn/layers.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::GraphTest;

constexpr Mode kTraining = Mode::kTraining;
constexpr Mode kPredicting = Mode::kPredicting;

class DropoutTest : public GraphTest {
 protected:
  Tensor ones(int64_t rows, int64_t columns) {
    Tensor tensor(kFloat32, {rows, columns});
    for (float& x : tensor.mutable_data<float>()) x = 1;
    return tensor;
  }
};

TEST_F(DropoutTest, DropsTheRateAndScalesTheRest) {
  const Output y = Dropout({.rate = 0.25})(given(ones(100, 100)), kTraining);
  int dropped = 0;
  for (const double v : numbers(y)) {
    dropped += v == 0;
    EXPECT_TRUE(v == 0 || std::abs(v - 1 / 0.75) < 1e-6) << v;
  }
  EXPECT_NEAR(dropped / 10000.0, 0.25, 0.02);
}

TEST_F(DropoutTest, DrawsAnewInEachRun) {
  const Output y = Dropout()(given(ones(4, 16)), kTraining);
  EXPECT_NE(numbers(y), numbers(y));
}

TEST_F(DropoutTest, RepeatsItselfInAnotherSession) {
  const Output y = Dropout()(given(ones(4, 16)), kTraining);
  const std::vector<double> first = numbers(y);
  session_.reset();
  EXPECT_EQ(numbers(y), first);
}

TEST_F(DropoutTest, DropsDifferentElementsInDifferentLayers) {
  const Output x = given(ones(4, 16));
  EXPECT_NE(numbers(Dropout()(x, kTraining)), numbers(Dropout()(x, kTraining)));
}

TEST_F(DropoutTest, PredictsTheSameAlwaysAlsoBetweenTrainingSteps) {
  const Sequential net({Dense({.units = 32}), Dropout(), Dense({.units = 1})});
  const Output x = given(ones(1, 4));
  const Output trained = net(x, kTraining), predicted = net(x, kPredicting);
  const double expected = number(predicted);
  double sum = 0;
  constexpr int kRuns = 2000;
  for (int i = 0; i < kRuns; ++i) {
    sum += number(trained);
    if (i % 20 == 0) {
      EXPECT_EQ(number(predicted), expected);
    }
  }
  // Both layers are linear, so that the mean of training passes is the prediction.
  EXPECT_NEAR(sum / kRuns, expected, 0.05);
}

TEST_F(DropoutTest, DropsAnInfinityToZero) {
  Tensor x(kFloat32, {64});
  for (float& v : x.mutable_data<float>()) v = std::numeric_limits<float>::infinity();
  for (const double v : numbers(Dropout()(given(x), kTraining))) EXPECT_FALSE(std::isnan(v));
}

TEST_F(DropoutTest, WithRateZeroHandsThrough) {
  EXPECT_EQ(numbers(Dropout({.rate = 0})(given(ones(2, 2)), kTraining)),
            (std::vector<double>{1, 1, 1, 1}));
}

TEST_F(DropoutTest, TakesAnOpenShape) {
  const Output x = input(Shape::unknown());
  EXPECT_EQ(run(Dropout()(x, kTraining), {{x, ones(3, 5)}}).shape(), (Shape{3, 5}));
}

TEST(DropoutOptions, AreCheckedWhenTheLayerIsMade) {
  expect_error(
      Code::kInvalidArgument, [] { Dropout({.rate = 1}); }, "rate", "[0, 1)");
  expect_error(
      Code::kInvalidArgument, [] { Dropout({.rate = -0.1}); }, "rate");
}

}  // namespace
}  // namespace thalweg
