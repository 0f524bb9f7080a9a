#include "thalweg/ops/array.h"

#include "ops/evaluate_output.h"
#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/reduction.h"

namespace thalweg {
namespace {

using testing::count_nodes;
using testing::evaluate_output;
using testing::expect_error;
using testing::values;
using Doubles = std::vector<double>;

TEST(IntVector, TakesBracesVectorsShapesAndOutputs) {
  Graph graph(standard_ops());
  const Output x = zeros(graph, kFloat32, {0, 3});
  EXPECT_EQ(reshape(x, {3, 0}).shape(), (Shape{3, 0}));
  EXPECT_EQ(reshape(x, {0, 1, 3}).shape(), (Shape{0, 1, 3}));
  EXPECT_EQ(reshape(x, std::vector<int64_t>{0}).shape(), Shape{0});
  EXPECT_EQ(reshape(x, x.shape()).shape(), x.shape());
  EXPECT_EQ(reshape(x, shape_of(x)).shape(), x.shape());
  EXPECT_EQ(reshape(constant(graph, Tensor::of<float>({7})), {}).shape(), Shape{});
}

TEST(IntVector, IsInt64OnlyWhenAValueNeedsIt) {
  Graph graph(standard_ops());
  EXPECT_EQ(IntVector({1, -2147483648}).in(graph).dtype(), kInt32);
  EXPECT_EQ(IntVector({1, 2147483648}).in(graph).dtype(), kInt64);
}

TEST(ReshapeShape, KeepsAnUnknownBatchOpen) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 28, 28});
  EXPECT_EQ(reshape(x, {-1, 784}).shape(), (Shape{kUnknownDim, 784}));
}

TEST(ReshapeShape, FollowsDimensionsThroughShapeArithmetic) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2, 3, 4});
  const Output first = strided_slice(shape_of(x), {0}, {1}, {}, {.shrink_axis_mask = 1});
  const Output rest = constant(graph, Tensor(int32_t{-1}));
  EXPECT_EQ(reshape(x, pack({first, rest})).shape(), (Shape{2, 12}));
  const Output y = placeholder(graph, kFloat32, {kUnknownDim, 3, 4});
  EXPECT_EQ(reshape(y, concat({shape_of(y), constant(graph, Tensor::of<int32_t>({1}))}, 0)).shape(),
            (Shape{kUnknownDim, 3, 4, 1}));
}

TEST(Transpose, ReversesDimensionsByDefault) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32);
  EXPECT_EQ(transpose(placeholder(graph, kFloat32, {2, 3, 4})).shape(), (Shape{4, 3, 2}));
  const Output y = transpose(x);
  testing::Feeds feeds{{x, Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3})}};
  const Tensor result = evaluate_output(y, feeds);
  EXPECT_EQ(result.shape(), (Shape{3, 2}));
  EXPECT_EQ(values(result), (Doubles{1, 4, 2, 5, 3, 6}));
}

TEST(Concat, HandsOneValueThrough) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 2}));
  EXPECT_EQ(values(evaluate_output(concat({x}, 0))), (Doubles{1, 2}));
  expect_error(
      Code::kInvalidArgument, [] { concat({}, 0); }, "at least one");
}

TEST(ConcatGradient, SplitsAlongDimensionsThatOnlyTheRunKnows) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 2});
  const Output y = placeholder(graph, kFloat32, Shape::unknown());
  const Output joined = concat({x, y}, 0);
  const Output weights = placeholder(graph, kFloat32, {kUnknownDim, 2});
  const auto grads = gradients({reduce_sum(joined * weights)}, {x, y});
  testing::Feeds feeds{{x, Tensor::of<float>({0, 0}, {1, 2})},
                       {y, Tensor::of<float>({0, 0, 0, 0}, {2, 2})},
                       {weights, Tensor::of<float>({1, 2, 3, 4, 5, 6}, {3, 2})}};
  EXPECT_EQ(values(evaluate_output(grads[0], feeds)), (Doubles{1, 2}));
  EXPECT_EQ(values(evaluate_output(grads[1], feeds)), (Doubles{3, 4, 5, 6}));
}

TEST(Unpack, NeedsAKnownDimension) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 2});
  EXPECT_EQ(unstack(x, 1).size(), 2u);
  expect_error(
      Code::kInvalidArgument, [&] { unpack(x); }, "dimension 0", "[?, 2]");
}

TEST(Pad, UsesPadForZeroAndPadV2ForOthers) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 2}));
  EXPECT_EQ(values(evaluate_output(pad(x, {{1, 0}}))), (Doubles{0, 1, 2}));
  EXPECT_EQ(values(evaluate_output(pad(x, {{0, 1}}, 9))), (Doubles{1, 2, 9}));
  EXPECT_EQ(count_nodes(graph, "Pad"), 1);
  EXPECT_EQ(count_nodes(graph, "PadV2"), 1);
}

TEST(Pad, TakesAmountsThatAnInt32DoesNotHold) {
  constexpr int64_t kMany = int64_t{1} << 40;
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {3});
  EXPECT_EQ(pad(x, {{1, kMany}}).shape(), (Shape{kMany + 4}));
  EXPECT_EQ(pad(x, {{0, kMany + 1}}, 2).shape(), (Shape{kMany + 4}));
  const Output exact = constant(graph, Tensor::of<int64_t>({(int64_t{1} << 60) + 1, 0}, {1, 2}));
  EXPECT_EQ(graph.add("Pad", {x, exact}).output().shape(), (Shape{(int64_t{1} << 60) + 4}));
}

TEST(Arguments, AreNotCutToAnInt32) {
  constexpr int64_t kFar = int64_t{1} << 32;  // 0 in its lower half
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {3});
  expect_error(
      Code::kInvalidArgument, [&] { expand_dims(x, kFar); }, "axis");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        concat({x, x}, kFar);
      },
      "axis");
  expect_error(
      Code::kInvalidArgument, [&] { argmax(x, kFar); }, "axis");
  expect_error(
      Code::kInvalidArgument, [&] { gather(x, constant(graph, Tensor(0)), {.axis = kFar}); },
      "axis");
}

TEST(ConcatShape, RefusesALengthThat64BitsDoNotHold) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {int64_t{1} << 62});
  expect_error(
      Code::kInvalidArgument,
      [&] {
        concat({x, x}, 0);
      },
      "too large");
  EXPECT_EQ(concat({x, placeholder(graph, kFloat32, {kUnknownDim})}, 0).shape(),
            (Shape{kUnknownDim}));
}

TEST(TileGradient, SumsCopiesOfMoreDimensionsThanFitAtOnce) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<double>({1, 2}, {1, 1, 2, 1, 1}));
  const Output y = tile(x, {2, 2, 2, 2, 2});
  EXPECT_EQ(values(evaluate_output(gradient(y, x))), (Doubles{32, 32}));
}

TEST(Zeros, AreWrittenOutOnlyWhenFew) {
  Graph graph(standard_ops());
  EXPECT_EQ(zeros(graph, kInt32, {2, 2}).node()->type(), "Const");
  EXPECT_EQ(ones(graph, kFloat32, {100, 100}).node()->type(), "Fill");
  EXPECT_EQ(values(evaluate_output(ones(graph, kBFloat16, {2}))), (Doubles{1, 1}));
  EXPECT_EQ(evaluate_output(ones(graph, kFloat64, {100, 2})).at(199), 1);
}

TEST(StopGradient, LetsNothingBack) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor(3.0));
  EXPECT_EQ(evaluate_output(gradient(x * stop_gradient(x), x)).item<double>(), 3);
}

}  // namespace
}  // namespace thalweg
