#include "thalweg/nn/metrics.h"

#include <cmath>

#include "nn/nn_testing.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::GraphTest;

class MetricTest : public GraphTest {
 protected:
  double figure(const Metric& metric) {
    MeanMetric mean;
    mean.update(number(metric.total), number(metric.weight));
    return mean.result();
  }
  Output logits() {  // largest: 2, 0, 1
    return given(Tensor::of<float>({1, 2, 3, 5, 4, 0, 0, 9, 1}, {3, 3}));
  }
  Output labels() { return given(Tensor::of<int64_t>({2, 1, 1})); }
  Output row(std::initializer_list<float> v) { return given(Tensor::of<float>(v)); }
};

TEST_F(MetricTest, AccuracyIsTheShareOfRightClasses) {
  const Metric accuracy = metrics::accuracy(labels(), logits());
  EXPECT_EQ(accuracy.name, "accuracy");
  EXPECT_EQ(number(accuracy.total), 2);
  EXPECT_EQ(number(accuracy.weight), 3);
}

TEST_F(MetricTest, AccuracyTakesColumnsAndDistributions) {
  const Output column = given(Tensor::of<int32_t>({2, 1, 1}, {3, 1}));
  EXPECT_NEAR(figure(metrics::accuracy(column, logits())), 2 / 3.0, 1e-6);
  const Output one_hot = given(Tensor::of<float>({0, 0, 1, 0, 1, 0, 0, 1, 0}, {3, 3}));
  EXPECT_NEAR(figure(metrics::accuracy(one_hot, logits())), 2 / 3.0, 1e-6);
}

TEST_F(MetricTest, CountsByWeight) {
  const Metric accuracy = metrics::accuracy(labels(), logits(), row({1, 2, 0}));
  EXPECT_NEAR(figure(accuracy), 1 / 3.0, 1e-6);
}

TEST_F(MetricTest, TopKCountsWhatIsAmongTheLargest) {
  const Metric top = metrics::top_k_accuracy(labels(), logits(), 2);
  EXPECT_EQ(top.name, "top_2_accuracy");
  EXPECT_EQ(figure(top), 1);
  EXPECT_NEAR(figure(metrics::top_k_accuracy(labels(), logits(), 1)), 2 / 3.0, 1e-6);
}

TEST_F(MetricTest, BinaryMetricsCountDecisions) {
  const Output truth = row({1, 1, 0, 0}), scores = row({0.9f, 0.2f, 0.5f, 0.1f});
  EXPECT_EQ(figure(metrics::binary_accuracy(truth, scores)), 0.5);
  EXPECT_EQ(figure(metrics::precision(truth, scores)), 0.5);
  EXPECT_EQ(figure(metrics::recall(truth, scores)), 0.5);
  EXPECT_EQ(figure(metrics::recall(truth, scores, 0.15)), 1);
  EXPECT_EQ(figure(metrics::binary_accuracy(truth, scores, 0.6)), 0.75);
}

TEST_F(MetricTest, IsUndefinedWithoutPositives) {
  EXPECT_TRUE(std::isnan(figure(metrics::recall(row({0, 0}), row({1, 0})))));
}

TEST_F(MetricTest, ErrorsAreMeansOverExamples) {
  const Output t = given(Tensor::of<float>({0, 0, 0, 0}, {2, 2}));
  const Output p = given(Tensor::of<float>({1, 2, 3, 4}, {2, 2}));
  EXPECT_NEAR(figure(metrics::mean_squared_error(t, p)), 30 / 4.0, 1e-6);
  EXPECT_NEAR(figure(metrics::mean_absolute_error(t, p, row({0, 1}))), 3.5, 1e-6);
}

// Sums of halves stop at 2048, and 1 / 300 is not one of them.
TEST_F(MetricTest, CountsHalfPrecisionInFull) {
  for (const DType dtype : {kFloat16, kBFloat16}) {
    const int64_t rows = 5000;
    const Output zeros = given(Tensor::zeros(kFloat32, {rows}));
    const Output ones = cast(given(Tensor::zeros(kFloat32, {rows})) + 1.0, dtype);
    for (const Metric& metric : {metrics::mean("m", ones), metrics::mean_squared_error(zeros, ones),
                                 metrics::mean_absolute_error(zeros, ones)}) {
      EXPECT_EQ(metric.total.dtype(), kFloat32) << metric.name;
      EXPECT_EQ(number(metric.total), rows) << metric.name;
      EXPECT_EQ(number(metric.weight), rows) << metric.name;
    }
    const Output label = row({300.5f}), value = cast(row({300.0f}), dtype);
    EXPECT_EQ(figure(metrics::mean_absolute_error(label, value)), 0.5);
  }
}

TEST_F(MetricTest, NoExampleWithANanIsRight) {
  const float nan = std::nanf("");
  const Output scores = given(Tensor::of<float>({nan, nan, nan, 5, nan, 0, 1, 3, 2}, {3, 3}));
  const Output classes = given(Tensor::of<int64_t>({0, 0, 1}));
  EXPECT_NEAR(figure(metrics::accuracy(classes, scores)), 1 / 3.0, 1e-6);
  EXPECT_NEAR(figure(metrics::top_k_accuracy(classes, scores, 2)), 1 / 3.0, 1e-6);
  EXPECT_EQ(figure(metrics::binary_accuracy(row({0, 1, 0, 1}), row({nan, nan, 0, 1}))), 0.5);
  EXPECT_EQ(figure(metrics::precision(row({0, 1, 0, 1}), row({nan, nan, 0, 1}))), 1);
  EXPECT_EQ(figure(metrics::recall(row({0, 1, 0, 1}), row({nan, nan, 0, 1}))), 0.5);
}

TEST_F(MetricTest, NamesWrongShapes) {
  expect_error(
      Code::kInvalidArgument,
      [&] {
        metrics::binary_accuracy(row({1, 0}), logits());
      },
      "binary_accuracy", "[2]", "[3, 3]");
}

TEST(MeanMetric, DoesNotDependOnTheBatchSize) {
  MeanMetric whole, parts;
  whole.update(10, 4);
  parts.update(9, 3);
  parts.update(1, 1);
  EXPECT_EQ(whole.result(), parts.result());
  parts.reset();
  EXPECT_FALSE(parts.is_defined());
  EXPECT_TRUE(std::isnan(parts.result()));
}

}  // namespace
}  // namespace thalweg
