// What shape functions can learn: known integers through shape arithmetic, rank checks,
// broadcasting.
#include "thalweg/graph/shape_context.h"

#include "testing.h"
#include "thalweg/ops/standard_ops.h"

namespace thalweg {
namespace {

using testing::expect_error;
using Ints = std::vector<int64_t>;

class ShapeArithmetic : public ::testing::Test {
 protected:
  Output constant(const Tensor& value) {
    return graph_.add("Const", {}, {{"dtype", value.dtype()}, {"value", value}}).output();
  }
  Output placeholder(DType dtype, const Shape& shape) {
    return graph_.add("Placeholder", {}, {{"dtype", dtype}, {"shape", shape}}).output();
  }
  Output op(std::string_view name, std::vector<Output> inputs, AttrMap attrs = {}) {
    return graph_.add(name, std::move(inputs), std::move(attrs)).output();
  }
  Output slice(Output x, int32_t begin, int32_t end, AttrMap attrs = {}) {
    return op("StridedSlice",
              {x, constant(Tensor::of<int32_t>({begin})), constant(Tensor::of<int32_t>({end})),
               constant(Tensor::of<int32_t>({1}))},
              std::move(attrs));
  }
  // What a shape function would see as the integers of `x`.
  std::optional<Ints> ints(Output x) {
    const Node& node = graph_.add("Identity", {x});
    std::vector<Shape> outputs(1);
    return ShapeContext(node, outputs).constant_ints(0);
  }

  Graph graph_{standard_ops()};
  Output x_ = placeholder(kFloat32, {kUnknownDim, 3, 4});
};

TEST_F(ShapeArithmetic, KnowsConstants) {
  EXPECT_EQ(ints(constant(Tensor::of<int32_t>({2, 3}))), (Ints{2, 3}));
  EXPECT_EQ(ints(constant(Tensor(int64_t{5}))), (Ints{5}));
  EXPECT_EQ(ints(constant(Tensor::of<int64_t>({int64_t{1} << 60}))), (Ints{int64_t{1} << 60}));
}

TEST_F(ShapeArithmetic, KnowsTheDimensionsOfAShape) {
  EXPECT_EQ(ints(op("Shape", {x_})), (Ints{kUnknownDim, 3, 4}));
  EXPECT_EQ(ints(op("Cast", {op("Shape", {x_})}, {{"DstT", kInt64}})), (Ints{kUnknownDim, 3, 4}));
  EXPECT_EQ(ints(op("Shape", {placeholder(kFloat32, Shape::unknown())})), std::nullopt);
}

TEST_F(ShapeArithmetic, FollowsSlices) {
  const Output shape = op("Shape", {x_});
  EXPECT_EQ(ints(slice(shape, 1, 3)), (Ints{3, 4}));
  EXPECT_EQ(ints(slice(shape, -1, 0, {{"end_mask", int64_t{1}}})), (Ints{4}));
  EXPECT_EQ(ints(slice(shape, 5, 2, {{"begin_mask", int64_t{1}}})), (Ints{kUnknownDim, 3}));
  EXPECT_EQ(ints(slice(shape, 1, 2, {{"shrink_axis_mask", int64_t{1}}})), (Ints{3}));
}

TEST_F(ShapeArithmetic, FollowsPackConcatAndGather) {
  const Output shape = op("Shape", {x_});
  const Output rows = slice(shape, 0, 1, {{"shrink_axis_mask", int64_t{1}}});
  const Output packed = op("Pack", {rows, constant(Tensor(int32_t{7}))});
  EXPECT_EQ(ints(packed), (Ints{kUnknownDim, 7}));
  EXPECT_EQ(ints(op("ConcatV2", {packed, slice(shape, 1, 3), constant(Tensor(int32_t{0}))})),
            (Ints{kUnknownDim, 7, 3, 4}));
  EXPECT_EQ(ints(op("GatherV2",
                    {shape, constant(Tensor::of<int32_t>({2, 1})), constant(Tensor(int32_t{0}))})),
            (Ints{4, 3}));
}

TEST_F(ShapeArithmetic, KnowsAtLeastALength) {
  EXPECT_EQ(ints(placeholder(kInt32, {2})), (Ints{kUnknownDim, kUnknownDim}));
  EXPECT_EQ(ints(placeholder(kInt32, {})), (Ints{kUnknownDim}));
  EXPECT_EQ(ints(placeholder(kInt32, {kUnknownDim})), std::nullopt);
}

TEST_F(ShapeArithmetic, SlicesAsTheOpDoes) {
  const Output shape = op("Shape", {x_});
  // One element is taken by its index, whatever the masks say.
  EXPECT_EQ(
      ints(slice(shape, 2, 3, {{"begin_mask", int64_t{1}}, {"shrink_axis_mask", int64_t{1}}})),
      (Ints{4}));
  EXPECT_EQ(ints(slice(shape, 0, 0, {{"ellipsis_mask", int64_t{1}}})), (Ints{kUnknownDim, 3, 4}));
  const Output back =
      op("StridedSlice", {shape, constant(Tensor::of<int32_t>({-1})),
                          constant(Tensor::of<int32_t>({0})), constant(Tensor::of<int32_t>({-1}))});
  EXPECT_EQ(ints(back), (Ints{4, 3}));
}

// Four times a hundred equal inputs would be a hundred million numbers.
TEST_F(ShapeArithmetic, GivesUpOnLongVectors) {
  const Output axis = constant(Tensor(int32_t{0}));
  Output x = op("Shape", {x_});
  for (int i = 0; i < 5; ++i) {
    std::vector<Output> inputs(100, x);
    inputs.push_back(axis);
    x = op("ConcatV2", inputs);
  }
  EXPECT_EQ(ints(x), std::nullopt);
  EXPECT_EQ(ints(placeholder(kInt32, {int64_t{1} << 50})), std::nullopt);
  // A constant is known whatever its length.
  EXPECT_EQ(ints(constant(Tensor::zeros(kInt32, {5000})))->size(), 5000u);
}

// Every node has two paths to the one before.
TEST_F(ShapeArithmetic, WalksEachNodeOnce) {
  const Output axis = constant(Tensor(int32_t{0}));
  const Output one = constant(Tensor::of<int32_t>({0}));
  Output x = op("Shape", {x_});
  for (int i = 0; i < 15; ++i) {
    std::vector<Output> inputs;
    for (int k = 0; k < 8; ++k) inputs.push_back(op("GatherV2", {x, one, axis}));
    inputs.push_back(axis);
    x = op("GatherV2", {op("ConcatV2", inputs), one, axis});
  }
  EXPECT_EQ(ints(x), (Ints{kUnknownDim}));
}

TEST_F(ShapeArithmetic, FollowsLongChainsWithoutRecursion) {
  Output x = constant(Tensor::of<int32_t>({7}));
  for (int i = 0; i < 50; ++i) x = op("Identity", {x});
  EXPECT_EQ(ints(x), (Ints{7}));
}

// An unknown bound is not the constant -1.
TEST_F(ShapeArithmetic, DoesNotGuessBounds) {
  const Output shape = op("Shape", {x_});
  const Output open = placeholder(kInt32, {1});
  const Output one = constant(Tensor::of<int32_t>({1}));
  const auto sliced =
      ints(op("StridedSlice", {shape, open, constant(Tensor::of<int32_t>({3})), one}));
  EXPECT_TRUE(!sliced || *sliced == Ints(sliced->size(), kUnknownDim));
  const Output index =
      op("StridedSlice", {shape, open, open, one}, {{"shrink_axis_mask", int64_t{1}}});
  EXPECT_EQ(ints(index), (Ints{kUnknownDim}));
}

TEST_F(ShapeArithmetic, CarriesABatchThroughAReshape) {
  const Output rows = slice(op("Shape", {x_}), 0, 1, {{"shrink_axis_mask", int64_t{1}}});
  const Output flat = op("Reshape", {x_, op("Pack", {rows, constant(Tensor(int32_t{12}))})});
  EXPECT_TRUE(flat.shape().is_compatible_with(Shape{5, 12}));
  EXPECT_EQ(flat.shape()[1], 12);
}

class Contexts : public ShapeArithmetic {};

TEST_F(Contexts, CheckRanks) {
  const Node& node = graph_.add("AddV2", {x_, placeholder(kFloat32, Shape::unknown())});
  std::vector<Shape> outputs(1);
  const ShapeContext context(node, outputs);
  EXPECT_EQ(context.with_rank(0, 3), x_.shape());
  EXPECT_EQ(context.with_rank(1, 2), Shape::unknown_of_rank(2));
  EXPECT_EQ(context.with_rank_at_least(0, 2), x_.shape());
  expect_error(
      Code::kInvalidArgument, [&] { context.with_rank(0, 2); }, "`x`", "2 dimensions", "[?, 3, 4]");
  expect_error(
      Code::kInvalidArgument, [&] { context.with_rank_at_least(0, 4); }, "`x`", "at least 4",
      "[?, 3, 4]");
}

TEST_F(Contexts, NormalizeAxes) {
  const Node& node = graph_.add("Identity", {x_});
  std::vector<Shape> outputs(1);
  const ShapeContext context(node, outputs);
  EXPECT_EQ(normalize_axis(context, -1, 3), 2);
  EXPECT_EQ(normalize_axis(context, 0, 3), 0);
  expect_error(
      Code::kInvalidArgument, [&] { normalize_axis(context, 3, 3); }, "3");
  expect_error(
      Code::kInvalidArgument, [&] { normalize_axis(context, -4, 3); }, "-4");
}

TEST_F(Contexts, BroadcastUnknownDimensions) {
  EXPECT_EQ(op("AddV2", {x_, placeholder(kFloat32, {1, 4})}).shape(), (Shape{kUnknownDim, 3, 4}));
  EXPECT_EQ(op("AddV2", {x_, placeholder(kFloat32, {5, 1, 1})}).shape(), (Shape{5, 3, 4}));
  EXPECT_FALSE(op("AddV2", {x_, placeholder(kFloat32, Shape::unknown())}).shape().has_rank());
}

}  // namespace
}  // namespace thalweg
