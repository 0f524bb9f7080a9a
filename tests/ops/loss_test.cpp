#include "thalweg/ops/loss.h"

#include <cmath>

#include "ops/evaluate_output.h"
#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/normalization.h"

namespace thalweg {
namespace {

using testing::evaluate_output;
using testing::expect_error;
using testing::values;
using Doubles = std::vector<double>;

class Losses : public ::testing::Test {
 protected:
  Output floats(std::initializer_list<float> list, const Shape& shape) {
    return constant(graph_, Tensor::of<float>(list, shape));
  }
  Output floats(std::initializer_list<float> list) {
    return floats(list, Shape{static_cast<int64_t>(list.size())});
  }

  Graph graph_{standard_ops()};
};

// The cases of failures B12, from scores.
TEST_F(Losses, SigmoidCrossEntropyIsTheScoreItselfForAConfidentError) {
  const Output logits = floats({-100, 100, -100, 100});
  const Output labels = floats({1, 0, 0, 1});
  const Output loss = sigmoid_cross_entropy_with_logits(logits, labels);
  const Doubles losses = values(evaluate_output(loss));
  EXPECT_FLOAT_EQ(losses[0], 100);
  EXPECT_FLOAT_EQ(losses[1], 100);
  EXPECT_NEAR(losses[2], 0, 1e-30);
  EXPECT_NEAR(losses[3], 0, 1e-30);
  const Doubles gradients = values(evaluate_output(gradient(loss, logits)));
  EXPECT_FLOAT_EQ(gradients[0], -1);
  EXPECT_FLOAT_EQ(gradients[1], 1);
  EXPECT_NEAR(gradients[2], 0, 1e-30);
  EXPECT_NEAR(gradients[3], 0, 1e-30);
}

TEST_F(Losses, SigmoidCrossEntropyHasTheRightGradientAtTheKink) {
  const Output logits = floats({0, 0});
  const Output loss = sigmoid_cross_entropy_with_logits(logits, floats({0, 1}));
  const double half = std::log(2.0);
  const Doubles losses = values(evaluate_output(loss));
  EXPECT_FLOAT_EQ(losses[0], half);
  EXPECT_FLOAT_EQ(losses[1], half);
  EXPECT_EQ(values(evaluate_output(gradient(loss, logits))), (Doubles{0.5, -0.5}));
}

TEST_F(Losses, SigmoidCrossEntropyTakesAName) {
  const Output x = floats({0});
  EXPECT_EQ(sigmoid_cross_entropy_with_logits(x, x, {.name = "loss"}).name(), "loss:0");
}

TEST_F(Losses, TheGradientOfTheFusedLossIsProbabilitiesMinusLabels) {
  const Output logits = floats({1000, 0, -1000, -431, 279, 427}, {2, 3});
  const Output labels = constant(graph_, Tensor::of<int64_t>({2, 2}));
  const Output loss = sparse_softmax_cross_entropy_with_logits(logits, labels);
  EXPECT_EQ(values(evaluate_output(loss)), (Doubles{2000, 0}));
  EXPECT_EQ(values(evaluate_output(gradient(loss, logits))), (Doubles{1, 0, -1, 0, 0, 0}));
}

TEST_F(Losses, SparseAndDenseLabelsAgree) {
  const Output logits = floats({1, 2, 3, 0, -1, 0.5}, {2, 3});
  const Output sparse = sparse_softmax_cross_entropy_with_logits(
      logits, constant(graph_, Tensor::of<int32_t>({2, 0})));
  const Output dense =
      softmax_cross_entropy_with_logits(logits, floats({0, 0, 1, 1, 0, 0}, {2, 3}));
  EXPECT_EQ(values(evaluate_output(sparse)), values(evaluate_output(dense)));
  EXPECT_EQ(values(evaluate_output(gradient(sparse, logits))),
            values(evaluate_output(gradient(dense, logits))));
}

TEST_F(Losses, AnUnknownBatchStaysUnknown) {
  const Output logits = placeholder(graph_, kFloat32, {kUnknownDim, 3});
  const Output labels = placeholder(graph_, kInt64, {kUnknownDim});
  EXPECT_EQ(sparse_softmax_cross_entropy_with_logits(logits, labels).shape(), Shape{kUnknownDim});
  expect_error(
      Code::kInvalidArgument,
      [&] {
        softmax_cross_entropy_with_logits(logits, floats({1, 0}, {1, 2}));
      },
      "labels", "[?, 3]", "[1, 2]");
}

TEST_F(Losses, L2NormalizeGivesUnitLengthAndStaysFiniteAtZero) {
  const Output x = floats({3, 4, 0, 0}, {2, 2});
  const Output y = l2_normalize(x);
  const Doubles unit = values(evaluate_output(y));
  EXPECT_FLOAT_EQ(unit[0], 0.6);
  EXPECT_FLOAT_EQ(unit[1], 0.8);
  EXPECT_EQ(unit[2], 0);
  for (double slope : values(evaluate_output(gradient(y, x)))) EXPECT_TRUE(std::isfinite(slope));
}

}  // namespace
}  // namespace thalweg
