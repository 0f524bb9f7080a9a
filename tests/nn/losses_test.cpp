#include "thalweg/nn/losses.h"

#include <cmath>

#include "nn/nn_testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/binary.h"

namespace thalweg {
namespace {

using losses::Reduction;
using testing::expect_error;
using testing::expect_near;
using testing::GraphTest;

class LossTest : public GraphTest {
 protected:
  Output column(std::initializer_list<float> v) {
    return given(Tensor::of<float>(v, {static_cast<int64_t>(v.size()), 1}));
  }
  Output row(std::initializer_list<float> v) { return given(Tensor::of<float>(v)); }
};

TEST_F(LossTest, AreMeansOverExamples) {
  const Output t = row({1, 2, 3}), p = row({1, 4, 0});
  EXPECT_NEAR(number(losses::mean_squared_error(t, p)), (0 + 4 + 9) / 3.0, 1e-6);
  EXPECT_NEAR(number(losses::mean_absolute_error(t, p)), 5 / 3.0, 1e-6);
  EXPECT_NEAR(number(losses::huber(t, p)), (0 + 1.5 + 2.5) / 3, 1e-6);
  EXPECT_NEAR(number(losses::huber(t, p, 2)), (0 + 2 + 4) / 3.0, 1e-6);
  EXPECT_NEAR(number(losses::hinge(row({1, 0, 1}), row({2, 0.5, -1}))), (0 + 1.5 + 2) / 3, 1e-6);
}

TEST_F(LossTest, HuberWantsAPlaceToTurn) {
  for (const double delta : {0.0, -1.0, HUGE_VAL, std::nan("")}) {
    expect_error(
        Code::kInvalidArgument, [&] { losses::huber(row({1}), row({2}), delta); }, "delta");
  }
}

TEST_F(LossTest, OfLogitsAreCrossEntropies) {
  const Output logits = given(Tensor::of<float>({0, 0, 1, 3}, {2, 2}));
  const double second = std::log1p(std::exp(2.0));
  const double want = (std::log(2.0) + second) / 2;
  EXPECT_NEAR(
      number(losses::sparse_softmax_cross_entropy(given(Tensor::of<int32_t>({1, 0})), logits)),
      want, 1e-6);
  EXPECT_NEAR(
      number(losses::softmax_cross_entropy(given(Tensor::of<float>({0, 1, 1, 0}, {2, 2})), logits)),
      want, 1e-6);
  EXPECT_NEAR(number(losses::sigmoid_cross_entropy(row({1, 0}), row({0, 2}))),
              (std::log(2.0) + std::log1p(std::exp(2.0))) / 2, 1e-6);
}

TEST_F(LossTest, OfSequencesAreMeansOverSteps) {
  const Output logits = given(Tensor::of<float>({0, 0, 1, 3, 5, 5, 7, 7}, {2, 2, 2}));
  const Output labels = given(Tensor::of<int64_t>({1, 0, 0, 1}, {2, 2}));
  const Output each = losses::sparse_softmax_cross_entropy(labels, logits, {}, Reduction::kNone);
  expect_near(numbers(each), {(std::log(2.0) + std::log1p(std::exp(2.0))) / 2, std::log(2.0)});
  const Output one_hot = given(Tensor::of<float>({0, 1, 1, 0, 1, 0, 0, 1}, {2, 2, 2}));
  expect_near(numbers(losses::softmax_cross_entropy(one_hot, logits, {}, Reduction::kNone)),
              numbers(each));
}

TEST_F(LossTest, FromScoresAreExactFarOut) {
  const Output x = row({-100});
  const Output loss = losses::sigmoid_cross_entropy(row({1}), x);
  EXPECT_EQ(number(loss), 100);
  EXPECT_EQ(number(gradient(loss, x)), -1);
}

TEST_F(LossTest, FromProbabilitiesAreZeroOrLargeButFiniteAtTheEnds) {
  const Output p = row({0, 1, 1, 0});
  const Output loss = losses::log_loss(row({0, 1, 0, 1}), p, {}, Reduction::kNone);
  const std::vector<double> got = numbers(loss);
  EXPECT_EQ(got[0], 0);
  EXPECT_EQ(got[1], 0);
  EXPECT_GT(got[2], 10);
  EXPECT_GT(got[3], 10);
  EXPECT_TRUE(std::isfinite(got[2]) && std::isfinite(got[3]));
  const std::vector<double> slope = numbers(gradient(loss, p));
  for (const double g : slope) EXPECT_TRUE(std::isfinite(g)) << g;
  EXPECT_GT(slope[2], 1e6);   // towards 0, where clipping would give 0
  EXPECT_LT(slope[3], -1e6);  // towards 1
}

TEST_F(LossTest, FromDistributionsTakeAZero) {
  const Output t = given(Tensor::of<float>({1, 0, 0, 0, 1, 0}, {2, 3}));
  const Output p = given(Tensor::of<float>({1, 0, 0, 1, 0, 0}, {2, 3}));
  for (const Output loss : {losses::categorical_log_loss(t, p, {}, Reduction::kNone),
                            losses::kl_divergence(t, p, {}, Reduction::kNone)}) {
    const std::vector<double> got = numbers(loss);
    EXPECT_NEAR(got[0], 0, 1e-6);
    EXPECT_GT(got[1], 10);
    for (const double g : numbers(gradient(loss, p))) EXPECT_TRUE(std::isfinite(g)) << g;
  }
  const Output q = given(Tensor::of<float>({0.25, 0.25, 0.5}, {1, 3}));
  const Output u = given(Tensor::of<float>({0.5, 0.25, 0.25}, {1, 3}));
  EXPECT_NEAR(number(losses::kl_divergence(u, q)), 0.25 * std::log(2.0), 1e-6);
}

TEST_F(LossTest, WeighExamples) {
  const Output t = row({0, 0, 0}), p = row({1, 2, 3});
  EXPECT_NEAR(number(losses::mean_squared_error(t, p, row({1, 0, 3}))), (1 + 27) / 4.0, 1e-6);
  EXPECT_NEAR(number(losses::mean_squared_error(t, p, column({1, 0, 3}), Reduction::kSum)), 28,
              1e-6);
  expect_near(numbers(losses::mean_squared_error(t, p, row({1, 0, 3}), Reduction::kNone)),
              {1, 0, 27});
  EXPECT_NEAR(number(losses::mean_squared_error(t, p, {}, Reduction::kSum)), 14, 1e-6);
  EXPECT_NEAR(number(losses::mean_squared_error(t, p, given(Tensor::of<int32_t>({1, 0, 3})))), 7,
              1e-6);
}

TEST_F(LossTest, OfABatchWithoutWeightAreZeroAndSoIsTheGradient) {
  const Output w = row({0, 0});
  const Output x = given(Tensor::of<float>({1, 2, 3, 4}, {2, 2}));
  const Output loss =
      losses::sparse_softmax_cross_entropy(given(Tensor::of<int64_t>({0, 1})), x, w);
  EXPECT_EQ(number(loss), 0);
  EXPECT_EQ(numbers(gradient(loss, x)), (std::vector<double>{0, 0, 0, 0}));
}

TEST_F(LossTest, CountAMissingOneAtTheEndAsEqual) {
  for (const bool labels_are_column : {true, false}) {
    const Output a = column({1, 2, 3}), b = row({1, 4, 0});
    const Output loss =
        labels_are_column ? losses::mean_squared_error(a, b) : losses::mean_squared_error(b, a);
    EXPECT_NEAR(number(loss), 13 / 3.0, 1e-6);
  }
  const Output logits = given(Tensor::of<float>({0, 0, 1, 3}, {2, 2}));
  const Output classes = given(Tensor::of<int32_t>({1, 0}, {2, 1}));
  EXPECT_EQ(losses::sparse_softmax_cross_entropy(classes, logits).shape(), Shape{});
}

TEST_F(LossTest, NeverBroadcast) {
  const auto fails = [&](const Shape& labels, const Shape& predictions) {
    const Output t = input(labels), p = input(predictions);
    for (const auto loss : {losses::mean_squared_error, losses::mean_absolute_error,
                            losses::sigmoid_cross_entropy, losses::log_loss, losses::hinge}) {
      expect_error(
          Code::kInvalidArgument, [&] { loss(t, p, {}, Reduction::kMean); }, labels.to_string(),
          predictions.to_string(), "same shape");
    }
  };
  fails({3, 1}, {1, 3});
  fails({1}, {3});
  fails({}, {3});
  fails({3, 2}, {3});
  fails({kUnknownDim, 3}, {kUnknownDim, 1});
  fails({1, 3, 1}, {3});
}

// Shapes that are open while building are checked when they are known.
TEST_F(LossTest, NeverBroadcastWhatIsKnownOnlyWhenItRuns) {
  const Output t = input({kUnknownDim}), p = input({kUnknownDim});
  const Output loss = losses::mean_squared_error(t, p);
  EXPECT_EQ(number(loss, {{t, Tensor::of<float>({1, 2})}, {p, Tensor::of<float>({1, 4})}}), 2);
  expect_error(
      Code::kInvalidArgument,
      [&] {
        run(loss, {{t, Tensor::of<float>({1})}, {p, Tensor::of<float>({1, 4})}});
      },
      "labels_shaped_as_predictions");

  const Output a = input({kUnknownDim, kUnknownDim}), b = input({kUnknownDim, kUnknownDim});
  const Output open = losses::mean_squared_error(a, b);
  expect_error(
      Code::kInvalidArgument,
      [&] {
        run(open, {{a, Tensor(kFloat32, {2, 3})}, {b, Tensor(kFloat32, {3, 2})}});
      },
      "labels_shaped_as_predictions");
}

TEST_F(LossTest, RejectWeightsOfAnotherShape) {
  const Output t = row({1, 2, 3});
  expect_error(
      Code::kInvalidArgument,
      [&] {
        losses::mean_squared_error(t, t, row({1, 2}));
      },
      "weights [2]", "[3]");
  expect_error(
      Code::kInvalidArgument, [&] { losses::mean_squared_error(t, t, given(Tensor(1.0f))); },
      "weights []", "multiply");
}

TEST_F(LossTest, SayWhichLossTakesFloatingLabels) {
  const Output logits = given(Tensor::of<float>({0, 0, 1, 3}, {2, 2}));
  expect_error(
      Code::kInvalidArgument,
      [&] {
        losses::sparse_softmax_cross_entropy(row({1, 0}), logits);
      },
      "float32", "softmax_cross_entropy");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        losses::sparse_softmax_cross_entropy(given(Tensor::of<int32_t>({1, 0, 1})), logits);
      },
      "[3]", "[2, 2]");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        losses::sparse_softmax_cross_entropy(given(Tensor::of<int32_t>({1, 0})), row({1, 0}));
      },
      "sigmoid_cross_entropy");
}

TEST_F(LossTest, CastLabels) {
  EXPECT_NEAR(number(losses::mean_squared_error(given(Tensor::of<int64_t>({1, 2})), row({1, 4}))),
              2, 1e-6);
  EXPECT_NEAR(
      number(losses::sigmoid_cross_entropy(given(Tensor::of<bool>({true, false})), row({0, 0}))),
      std::log(2.0), 1e-6);
}

}  // namespace
}  // namespace thalweg
