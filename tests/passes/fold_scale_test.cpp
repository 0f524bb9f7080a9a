// fold_scale: what folds, each way that a channel is scaled or moved, and what must stay.
#include "passes/pass_testing.h"
#include "thalweg/ops/convolution.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/normalization.h"

namespace thalweg::testing {
namespace {

Tensor ramp(const Shape& shape, DType dtype = kFloat32) {
  Tensor tensor(kFloat32, shape);
  float value = -0.9f;
  for (float& cell : tensor.mutable_data<float>()) {
    cell = value;
    value = value > 1 ? -1 : value + 0.13f;
  }
  return tensor.cast(dtype);
}

class FoldScale : public ::testing::Test {
 protected:
  // 3 channels out of 2, images of 4 x 5.
  Output convolution(DType dtype = kFloat32) {
    x_ = placeholder(graph_, dtype, {1, 4, 5, 2}, {.name = "x"});
    return conv2d(x_, constant(graph_, ramp({3, 3, 2, 3}, dtype)));
  }
  Output vector(std::initializer_list<float> values) {
    return constant(graph_, Tensor::of<float>(values));
  }
  std::map<std::string, int> counts(const std::vector<Output>& fetches) {
    return count_ops(expect_same_numbers(graph_, {x_}, {ramp(x_.shape(), x_.dtype())}, fetches));
  }
  Output batch_norm(Output y, bool training = false, const std::string& format = "NHWC") {
    return fused_batch_norm(y, vector({1, -2, 0.5f}), vector({0.1f, 0.2f, 0.3f}),
                            vector({0.3f, 0, -1}), vector({1, 4, 0.25f}),
                            {.epsilon = 1e-3f, .data_format = format, .is_training = training})
        .y;
  }

  Graph graph_{standard_ops()};
  Output x_;
};

TEST_F(FoldScale, TakesAFactorAndATermIntoAConvolutionThatFusesOn) {
  const Output y = convolution() * vector({2, -1, 0.5f}) + vector({1, 0, -1});
  const auto left = counts({relu6(y)});
  EXPECT_EQ(left.at("_FusedConv2D"), 1);
  EXPECT_FALSE(left.contains("Mul") || left.contains("Relu6") || left.contains("BiasAdd"));
  EXPECT_EQ(left.at("Const"), 2) << "the filter and the bias";
}

TEST_F(FoldScale, TakesALoneFactor) {
  const auto left = counts({convolution() * vector({2, -1, 0.5f})});
  EXPECT_EQ(left.at("Conv2D"), 1);
  EXPECT_FALSE(left.contains("Mul"));
}

TEST_F(FoldScale, TakesScalarsAndDoubles) {
  const Output y = (0.75 - convolution(kFloat64) * 3.0) - 0.5;
  const auto left = counts({y});
  EXPECT_EQ(left.at("_FusedConv2D"), 1);
  EXPECT_FALSE(left.contains("Mul") || left.contains("Sub"));
}

TEST_F(FoldScale, TakesAFactorBehindABias) {
  const Output y = bias_add(convolution(), vector({1, 2, 3})) * vector({2, -1, 0.5f});
  const auto left = counts({y - vector({0.5f, 1, 2})});
  EXPECT_EQ(left.at("_FusedConv2D"), 1);
  EXPECT_FALSE(left.contains("Mul") || left.contains("Sub"));
}

TEST_F(FoldScale, TakesABatchNormWithFixedStatistics) {
  const auto left = counts({relu(batch_norm(convolution()))});
  EXPECT_EQ(left.at("_FusedConv2D"), 1);
  EXPECT_FALSE(left.contains("FusedBatchNormV3"));
}

TEST_F(FoldScale, ScalesEachChannelOfADepthwiseFilter) {
  x_ = placeholder(graph_, kFloat32, {1, 4, 5, 2}, {.name = "x"});
  const Output y = depthwise_conv2d(x_, constant(graph_, ramp({3, 3, 2, 2})));
  const auto left = counts({relu6(y * vector({2, -1, 0.5f, 3}) + vector({1, 2, 3, 4}))});
  EXPECT_EQ(left.at("_FusedDepthwiseConv2dNative"), 1);
  EXPECT_FALSE(left.contains("Mul") || left.contains("Relu6"));
}

TEST_F(FoldScale, ScalesProductsWhicheverWayTheFilterLies) {
  for (const bool transposed : {false, true}) {
    Graph graph(standard_ops());
    const Output x = placeholder(graph, kFloat32, {2, 3}, {.name = "x"});
    const Output w = constant(graph, ramp(transposed ? Shape{4, 3} : Shape{3, 4}));
    const Output y = matmul(x, w, {.transpose_b = transposed}) *
                         constant(graph, Tensor::of<float>({1, 2, 3, 4})) +
                     1.0;
    const auto left = count_ops(expect_same_numbers(graph, {x}, {ramp({2, 3})}, {y}));
    EXPECT_EQ(left.at("_FusedMatMul"), 1);
    EXPECT_FALSE(left.contains("Mul"));
  }
}

TEST_F(FoldScale, WorksWithChannelsFirst) {
  x_ = placeholder(graph_, kFloat32, {1, 2, 4, 5}, {.name = "x"});
  const Output y = conv2d(x_, constant(graph_, ramp({3, 3, 2, 3})), {.data_format = "NCHW"});
  const Output scale = constant(graph_, Tensor::of<float>({2, -1, 0.5f}, {1, 3, 1, 1}));
  const auto left = counts({batch_norm(y * scale, false, "NCHW")});
  EXPECT_EQ(left.at("_FusedConv2D"), 1);
  EXPECT_FALSE(left.contains("Mul") || left.contains("FusedBatchNormV3"));
}

TEST_F(FoldScale, LeavesAFactorAlongAnotherDimension) {
  const Output y = convolution();
  const Output rows = constant(graph_, Tensor::of<float>({1, 2, 3, 4}, {4, 1, 1}));
  EXPECT_TRUE(counts({y * rows * rows}).at("Conv2D") == 1);
  x_ = placeholder(graph_, kFloat32, {1, 2, 4, 3}, {.name = "first"});
  const Output first = conv2d(x_, constant(graph_, ramp({1, 1, 2, 3})), {.data_format = "NCHW"});
  const auto left = counts({relu(first * vector({1, 2, 3}))});  // along the width
  EXPECT_EQ(left.at("Conv2D"), 1);
}

TEST_F(FoldScale, LeavesAFactorThatMakesTheResultLarger) {
  x_ = placeholder(graph_, kFloat32, {1, 2}, {.name = "x"});
  const Output y = matmul(x_, constant(graph_, ramp({2, 1})));
  const auto left = counts({y * constant(graph_, Tensor::of<float>({1, 2, 3}, {3, 1}))});
  EXPECT_EQ(left.at("Mul"), 1);
}

TEST_F(FoldScale, LeavesAConvolutionThatOthersReadOrFetch) {
  const Output y = convolution();
  const auto fetched = counts({y * vector({2, -1, 0.5f}), y});
  EXPECT_EQ(fetched.at("Mul"), 1);
  const auto twice = counts({exp(y * vector({2, -1, 0.5f})), y * vector({1, 2, 3})});
  EXPECT_EQ(twice.at("Conv2D"), 1);
  // A term of nothing does not hide that two read it.
  const Output same = y + constant(graph_, Tensor::zeros(kFloat32, {1, 1, 1, 3}));
  EXPECT_EQ(counts({same * vector({1, 2, 3}), same * vector({3, 2, 1})}).at("Conv2D"), 1);
}

TEST_F(FoldScale, LeavesWhatIsNotConstant) {
  const Output y = convolution();
  const Output scale = placeholder(graph_, kFloat32, {3}, {.name = "scale"});
  auto left = count_ops(
      expect_same_numbers(graph_, {x_, scale}, {ramp(x_.shape()), ramp({3})}, {y * scale}));
  EXPECT_EQ(left.at("Mul"), 1);
  const Output filter = placeholder(graph_, kFloat32, {3, 3, 2, 3}, {.name = "filter"});
  left =
      count_ops(expect_same_numbers(graph_, {x_, filter}, {ramp(x_.shape()), ramp(filter.shape())},
                                    {conv2d(x_, filter) * vector({2, -1, 0.5f})}));
  EXPECT_EQ(left.at("Mul"), 1);
}

TEST_F(FoldScale, LeavesABatchNormInTrainingOrWhoseStatisticsAreRead) {
  EXPECT_EQ(counts({batch_norm(convolution(), true)}).at("FusedBatchNormV3"), 1);
  const auto norm = fused_batch_norm(convolution(), vector({1, 2, 3}), vector({1, 2, 3}),
                                     vector({1, 2, 3}), vector({1, 2, 3}), {.is_training = false});
  EXPECT_EQ(counts({norm.y, norm.batch_mean}).at("FusedBatchNormV3"), 1);
}

// matmul([[x]], [[weight]]) * factor + term: how many products by a factor are left.
int factors_left(DType dtype, double x, double weight, double factor, double term = 0) {
  Graph graph(standard_ops());
  const Output input = placeholder(graph, dtype, {1, 1}, {.name = "x"});
  const auto number = [&](double value, const Shape& shape) {
    return constant(graph, Tensor::of<double>({value}).cast(dtype).reshape(shape));
  };
  const Output product = bias_add(matmul(input, number(weight, {1, 1})), number(term, {1}));
  const PlanGraph plan =
      expect_same_numbers(graph, {input}, {Tensor::of<double>({x}).cast(dtype).reshape({1, 1})},
                          {product * number(factor, {1})});
  const auto left = count_ops(plan);
  return (left.contains("Mul") ? 1 : 0) + (left.contains("_FusedElementwise") ? 1 : 0);
}

TEST(FoldScaleRange, LeavesFactorsThatWouldTakeAWeightOutOfRange) {
  EXPECT_EQ(factors_left(kFloat32, 1e-30, 1e30, 1e20), 1) << "overflow";
  EXPECT_EQ(factors_left(kFloat32, 1e30, 1e-30, 1e-30), 1) << "underflow";
  EXPECT_EQ(factors_left(kFloat32, 1e30, 1e-30, 1e-10), 1) << "subnormal";
  EXPECT_EQ(factors_left(kFloat64, 1e-300, 1e300, 1e200), 1) << "overflow of doubles";
  EXPECT_EQ(factors_left(kFloat32, -1e10, 1e10, 1e19, 1e20), 1) << "overflow of the bias";
  EXPECT_EQ(factors_left(kFloat64, 1e-30, 1e30, 1e20), 0);
  EXPECT_EQ(factors_left(kFloat32, 2, 3, 0), 0);
  EXPECT_EQ(factors_left(kFloat32, 2, 0, 3), 0);
}

}  // namespace
}  // namespace thalweg::testing
