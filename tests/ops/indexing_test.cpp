#include "thalweg/ops/indexing.h"

#include "ops/evaluate_output.h"
#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/reduction.h"

namespace thalweg {
namespace {

using testing::evaluate_output;
using testing::expect_error;
using testing::values;
using Doubles = std::vector<double>;

TEST(Gather, NamesIndexPositionSizeAndNodeWhenOutOfRange) {
  Graph graph(standard_ops());
  const Output table = constant(graph, Tensor::of<float>({1, 2, 3, 4, 5, 6}, {3, 2}));
  const auto rows = [&](int32_t index) {
    const Output indices = constant(graph, Tensor::of<int32_t>({0, 1, 2, index}, {2, 2}));
    return gather(table, indices, {.name = "embedding"});
  };
  EXPECT_EQ(values(evaluate_output(rows(1))), (Doubles{1, 2, 3, 4, 5, 6, 3, 4}));
  expect_error(
      Code::kInvalidArgument, [&] { evaluate_output(rows(999)); }, "embedding",
      "indices[1, 1] is 999", "[0, 3)", "dimension 0 of `params` with shape [3, 2]");
  expect_error(
      Code::kInvalidArgument, [&] { evaluate_output(rows(-1)); }, "embedding",
      "indices[1, 1] is -1", "negative");
}

TEST(GatherGradient, IsDenseAndAddsUpRepeatedRows) {
  Graph graph(standard_ops());
  const Output table = placeholder(graph, kFloat64, {kUnknownDim, 2});
  const Output indices = placeholder(graph, kInt64, {kUnknownDim});
  const Output grad = gradient(reduce_sum(gather(table, indices)), table);
  testing::Feeds feeds{{table, Tensor::zeros(kFloat64, {4, 2})},
                       {indices, Tensor::of<int64_t>({2, 0, 2})}};
  EXPECT_EQ(values(evaluate_output(grad, feeds)), (Doubles{1, 1, 0, 0, 2, 2, 0, 0}));
}

TEST(GatherGradient, CountsRowsAndCellsThatAnInt32DoesNotHold) {
  constexpr int64_t kMany = int64_t{1} << 40;
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2, kMany});
  const Output first = constant(graph, Tensor::of<int32_t>({0}));
  EXPECT_EQ(gradient(gather(reshape(x, {-1}), first), x).shape(), (Shape{2, kMany}));
  const Output one_each = constant(graph, Tensor::of<int32_t>({0, 1}, {2, 1}));
  const Output picked = gather(x, one_each, {.axis = 1, .batch_dims = 1});
  EXPECT_EQ(picked.shape(), (Shape{2, 1}));
  const Output slope = gradient(picked, x);
  EXPECT_EQ(slope.shape(), (Shape{2, kMany}));
  EXPECT_EQ(gradient(top_k(x, 1).values, x).shape(), (Shape{2, kMany}));
}

TEST(GatherGradient, AddsUpRowsOfBatchesThatOnlyTheRunKnows) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, kUnknownDim});
  const Output indices = placeholder(graph, kInt32, {kUnknownDim, 2});
  const Output picked = gather(x, indices, {.axis = 1, .batch_dims = 1});
  testing::Feeds feeds{{x, Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3})},
                       {indices, Tensor::of<int32_t>({0, 0, 2, 1}, {2, 2})}};
  EXPECT_EQ(values(evaluate_output(gradient(picked, x), feeds)), (Doubles{2, 0, 0, 0, 1, 1}));
}

TEST(StridedSlice, TakesStridesOfOneByDefault) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3}));
  EXPECT_EQ(values(evaluate_output(strided_slice(x, {0, -2}, {1, 3}))), (Doubles{2, 3}));
  EXPECT_EQ(strided_slice(x, {1}, {0}, {}, {.shrink_axis_mask = 1}).shape(), Shape{3});
}

TEST(StridedSlice, GivesItsVectorsOneType) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 2, 3}));
  const Output all = strided_slice(x, {1}, {int64_t{1} << 40});
  EXPECT_EQ(all.node()->input(1).dtype(), kInt64);
  EXPECT_EQ(values(evaluate_output(all)), (Doubles{2, 3}));
}

TEST(StridedSliceShape, KeepsUnknownDimensionsOpen) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 5});
  EXPECT_EQ(strided_slice(x, {0, 1}, {2, 4}).shape(), (Shape{kUnknownDim, 3}));
  EXPECT_EQ(strided_slice(x, {0}, {0}, {1}, {.shrink_axis_mask = 1}).shape(), Shape{5});
  const Output row = placeholder(graph, kInt32, {1});
  EXPECT_EQ(strided_slice(x, row, row, {1}, {.shrink_axis_mask = 1}).shape(), Shape{5});
}

TEST(SliceShape, TellsWhatIsLeftOfKnownDimensions) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 5});
  EXPECT_EQ(slice(x, {0, 2}, {-1, -1}).shape(), (Shape{kUnknownDim, 3}));
  EXPECT_EQ(slice(x, {0, 2}, {4, 1}).shape(), (Shape{4, 1}));
}

TEST(OneHot, TakesItsValuesAndType) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<int64_t>({1, 5}));
  const Tensor result = evaluate_output(one_hot(x, 2, {.on = 3, .off = -1, .dtype = kInt32}));
  EXPECT_EQ(result.dtype(), kInt32);
  EXPECT_EQ(values(result), (Doubles{-1, 3, -1, -1}));
}

TEST(TopK, ReturnsValuesAndIndices) {
  Graph graph(standard_ops());
  const auto [largest, indices] = top_k(constant(graph, Tensor::of<float>({3, 9, 5})), 2);
  EXPECT_EQ(values(evaluate_output(largest)), (Doubles{9, 5}));
  EXPECT_EQ(values(evaluate_output(indices)), (Doubles{1, 2}));
}

TEST(Where, HasAsManyRowsAsTheRunFinds) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kBool, {2, 2});
  const Output found = where(x);
  EXPECT_EQ(found.shape(), (Shape{kUnknownDim, 2}));
  testing::Feeds feeds{{x, Tensor::of<bool>({false, true, true, false}, {2, 2})}};
  EXPECT_EQ(values(evaluate_output(found, feeds)), (Doubles{0, 1, 1, 0}));
}

}  // namespace
}  // namespace thalweg
