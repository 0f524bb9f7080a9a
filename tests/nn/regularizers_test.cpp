#include "thalweg/nn/regularizers.h"

#include "nn/nn_testing.h"
#include "thalweg/nn/layers.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::GraphTest;

class RegularizerTest : public GraphTest {};

TEST_F(RegularizerTest, SumsAbsoluteValuesAndSquares) {
  const Output w = given(Tensor::of<float>({-1, 2}));
  EXPECT_NEAR(number(regularizers::l1(0.1)(w)), 0.3, 1e-6);
  EXPECT_NEAR(number(regularizers::l2(0.1)(w)), 0.5, 1e-6);
  EXPECT_NEAR(number(regularizers::l1_l2(0.1, 0.2)(w)), 1.3, 1e-6);
  EXPECT_EQ(number(Regularizer()(w)), 0);
}

TEST_F(RegularizerTest, IsCollectedOnceAVariable) {
  const Dense dense({.units = 2,
                     .kernel_initializer = "ones",
                     .bias_initializer = "ones",
                     .kernel_regularizer = "l2(0.5)",
                     .bias_regularizer = regularizers::l1(1)});
  const Output x = input({kUnknownDim, 3});
  dense(x, Mode::kTraining);
  dense(x, Mode::kTraining);
  dense(x, Mode::kPredicting);
  EXPECT_EQ(graph_.collected(kRegularizationLosses).size(), 2u);
  EXPECT_NEAR(number(regularization_loss(graph_)), 0.5 * 6 + 2, 1e-6);
}

TEST_F(RegularizerTest, IsNothingWhenNothingIsPenalised) {
  Dense({.units = 2})(input({kUnknownDim, 3}), Mode::kTraining);
  EXPECT_FALSE(regularization_loss(graph_));
}

TEST(RegularizerText, ReadsBackWhatItWrites) {
  for (const char* text : {"none", "l1(0.01)", "l2(1e-4)", "l1_l2(0.1, 0.2)"}) {
    EXPECT_EQ(Regularizer(Regularizer(text).to_string()), Regularizer(text)) << text;
  }
}

TEST(RegularizerText, SaysWhatIsWrong) {
  expect_error(
      Code::kInvalidArgument, [] { Regularizer r("l3(1)"); }, "unknown regularizer", "l3");
  expect_error(
      Code::kInvalidArgument, [] { Regularizer r("l2(-1)"); }, "at least 0", "-1");
}

}  // namespace
}  // namespace thalweg
