#include "thalweg/ops/reduction.h"

#include <limits>

#include "ops/evaluate_output.h"
#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"

namespace thalweg {
namespace {

using testing::count_nodes;
using testing::evaluate_output;
using testing::values;
using Doubles = std::vector<double>;

TEST(Reductions, TakeAxesInEveryForm) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3}));
  EXPECT_EQ(reduce_sum(x).shape(), Shape{});
  EXPECT_EQ(reduce_sum(x, {}).shape(), Shape{});
  EXPECT_EQ(reduce_sum(x, Axes::all(), {.keep_dims = true}).shape(), (Shape{1, 1}));
  EXPECT_EQ(reduce_sum(x, {0}).shape(), Shape{3});
  EXPECT_EQ(reduce_sum(x, -1).shape(), Shape{2});
  EXPECT_EQ(reduce_sum(x, {0, 1}, {.keep_dims = true}).shape(), (Shape{1, 1}));
  EXPECT_EQ(reduce_sum(x, std::vector<int64_t>{}).shape(), x.shape());
  EXPECT_EQ(reduce_sum(x, constant(graph, Tensor::of<int64_t>({1}))).shape(), Shape{2});
  EXPECT_EQ(reduce_mean(x, 1, {.name = "average"}).name(), "average:0");
}

TEST(Reductions, ReduceAllAxesOfATensorOfUnknownRank) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32);
  const Output total = reduce_sum(x);
  testing::Feeds feeds{{x, Tensor::of<float>({1, 2, 3, 4}, {2, 2})}};
  EXPECT_EQ(evaluate_output(total, feeds).item<float>(), 10);
}

TEST(Reductions, TellTheRankFromTheNumberOfAxes) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2, 3, 4});
  const Output axes = placeholder(graph, kInt32, {2});
  EXPECT_EQ(reduce_max(x, axes).shape(), Shape::unknown_of_rank(1));
  EXPECT_EQ(reduce_max(x, axes, {.keep_dims = true}).shape(), Shape::unknown_of_rank(3));
}

// The slope of the product of all elements, with axes known while building and not.
void expect_product_slopes(std::initializer_list<float> elements, const Doubles& slopes) {
  for (const Shape& shape : {Shape{static_cast<int64_t>(elements.size())},
                             Shape{1, static_cast<int64_t>(elements.size()), 1}}) {
    Graph graph(standard_ops());
    const Output x = constant(graph, Tensor::of<float>(elements).reshape(shape));
    const Output axes = placeholder(graph, kInt32, {kUnknownDim});
    Tensor all(kInt32, Shape{shape.rank()});
    for (int i = 0; i < shape.rank(); ++i) all.mutable_data<int32_t>()[static_cast<size_t>(i)] = i;
    testing::Feeds feeds{{axes, all}};
    for (const Output& product : {reduce_prod(x), reduce_prod(x, axes)}) {
      const Tensor result = evaluate_output(gradient(product, x), feeds);
      EXPECT_EQ(result.shape(), shape);
      for (size_t i = 0; i < slopes.size(); ++i)
        EXPECT_FLOAT_EQ(static_cast<float>(result.at(static_cast<int64_t>(i))),
                        static_cast<float>(slopes[i]));
    }
  }
}

TEST(ProdGradient, HoldsWhereTheProductItselfLeavesTheRange) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  expect_product_slopes({1e30f, 1e20f}, {1e20, 1e30});
  expect_product_slopes({1e-30f, 1e-20f}, {1e-20, 1e-30});
  expect_product_slopes({kInf, 2}, {2, kInf});
  expect_product_slopes({0, 3, 2}, {6, 0, 0});
  expect_product_slopes({0, 3, 0}, {0, 0, 0});
  expect_product_slopes({5}, {1});
}

TEST(ProdGradient, TakesAxesThatOnlyTheRunKnows) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}));
  const Output axes = placeholder(graph, kInt32, {2});
  testing::Feeds feeds{{axes, Tensor::of<int32_t>({-1, 0})}};
  const Output slope = gradient(reduce_prod(x, axes), x);
  EXPECT_EQ(values(evaluate_output(slope, feeds)), (Doubles{60, 30, 224, 168, 12, 10, 96, 84}));
}

TEST(MaxGradient, IsSharedInEqualPartsByTies) {
  Graph graph(standard_ops());
  const Output window = constant(graph, Tensor::of<float>({1, 2, 2, 2}, {2, 2}));
  const Output zeros = constant(graph, Tensor::zeros(kFloat32, {2, 2}));
  const float third = 1.0f / 3.0f;
  EXPECT_EQ(values(evaluate_output(gradient(reduce_max(window), window))),
            (Doubles{0, third, third, third}));
  EXPECT_EQ(values(evaluate_output(gradient(reduce_max(zeros), zeros))),
            (Doubles{0.25, 0.25, 0.25, 0.25}));
  EXPECT_EQ(values(evaluate_output(gradient(reduce_min(zeros), zeros))),
            (Doubles{0.25, 0.25, 0.25, 0.25}));
  EXPECT_EQ(values(evaluate_output(gradient(reduce_min(-window), window))),
            (Doubles{0, -third, -third, -third}));
}

TEST(MaxGradient, SharesWithinEachRow) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<double>({3, 3, 1, 0, 5, 5}, {2, 3}));
  const Output weights = constant(graph, Tensor::of<double>({2, 8}));
  const Output loss = reduce_sum(reduce_max(x, 1) * weights);
  EXPECT_EQ(values(evaluate_output(gradient(loss, x))), (Doubles{1, 1, 0, 0, 4, 4}));
}

TEST(SumGradient, NeedsNoReshapeForLeadingAxes) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 4, 4, 8});
  const Output g = gradient(reduce_sum(x, {0, 1, 2}), x);
  EXPECT_EQ(g.shape().rank(), 4);
  EXPECT_EQ(count_nodes(graph, "ExpandDims") + count_nodes(graph, "Reshape"), 0);
}

TEST(MeanGradient, CountsRowsThatOnlyTheRunKnows) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat64, {kUnknownDim, 2});
  const Output g = gradient(reduce_sum(reduce_mean(x, 0)), x);
  testing::Feeds feeds{{x, Tensor::zeros(kFloat64, {4, 2})}};
  EXPECT_EQ(values(evaluate_output(g, feeds)), Doubles(8, 0.25));
}

TEST(MeanGradient, IsEmptyOverNothing) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat64, {kUnknownDim, 2});
  const Output g = gradient(reduce_mean(x), x);
  testing::Feeds feeds{{x, Tensor::zeros(kFloat64, {0, 2})}};
  EXPECT_EQ(evaluate_output(g, feeds).shape(), (Shape{0, 2}));
}

TEST(ProdGradient, IsExactAtZeros) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<double>({2, 0, 3, 0, 0, 5}, {2, 3}));
  EXPECT_EQ(values(evaluate_output(gradient(reduce_prod(x, 1), x))), (Doubles{0, 6, 0, 0, 0, 0}));
}

TEST(Positions, HaveTheTypeAskedFor) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 3, 2, 9, 7, 8}, {2, 3}));
  EXPECT_EQ(argmax(x, 1).dtype(), kInt64);
  EXPECT_EQ(argmin(x, -1, {.output_type = kInt32}).dtype(), kInt32);
  EXPECT_EQ(values(evaluate_output(argmax(x, 1))), (Doubles{1, 0}));
  EXPECT_EQ(values(evaluate_output(argmin(x, 0))), (Doubles{0, 0, 0}));
}

TEST(Cumulative, RunsAlongTheFirstAxisUnlessTold) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 2, 3, 4}, {2, 2}));
  EXPECT_EQ(values(evaluate_output(cumsum(x))), (Doubles{1, 2, 4, 6}));
  EXPECT_EQ(values(evaluate_output(cumprod(x, 1, {.exclusive = true, .reverse = true}))),
            (Doubles{2, 1, 4, 1}));
}

}  // namespace
}  // namespace thalweg
