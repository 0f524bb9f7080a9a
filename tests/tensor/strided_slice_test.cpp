#include "thalweg/tensor/strided_slice.h"

#include <limits>

#include "testing.h"
#include "thalweg/tensor/range.h"
#include "thalweg/tensor/reshape.h"

namespace thalweg {
namespace {

using testing::expect_error;
using MaybeInts = std::vector<std::optional<int64_t>>;

TEST(StridedSlice, TellsTheShapeFromWhatIsKnown) {
  const MaybeInts unknown(2);
  EXPECT_EQ(resolve_strided_slice({5, 6}, unknown, unknown, unknown, {}).shape,
            (Shape{kUnknownDim, kUnknownDim}));
  EXPECT_EQ(
      resolve_strided_slice({5, 6}, unknown, unknown, MaybeInts{2, -1}, {.begin = 3, .end = 3})
          .shape,
      (Shape{3, 6}));
  EXPECT_EQ(resolve_strided_slice({5, 6}, unknown, unknown, unknown, {.shrink_axis = 1}).shape,
            Shape{kUnknownDim});
  EXPECT_EQ(
      resolve_strided_slice({kUnknownDim, 6}, MaybeInts{1}, MaybeInts{3}, MaybeInts{1}, {}).shape,
      (Shape{kUnknownDim, 6}));
}

TEST(StridedSlice, WalksBackwardsThroughTheFirstElement) {
  const auto slice =
      resolve_strided_slice({5}, MaybeInts{-1}, MaybeInts{0}, MaybeInts{-2}, {.end = 1});
  EXPECT_EQ(slice.ranges[0].begin, 4);
  EXPECT_EQ(slice.ranges[0].stride, -2);
  EXPECT_EQ(slice.ranges[0].size, 3);
}

TEST(StridedSlice, TakesAnEntryForAnEllipsisFirst) {
  // The same entry marked as an ellipsis and a new axis is an ellipsis.
  const auto slice = resolve_strided_slice({2, 3}, MaybeInts{0}, MaybeInts{0}, MaybeInts{1},
                                           {.ellipsis = 1, .new_axis = 1});
  EXPECT_EQ(slice.shape, (Shape{2, 3}));
}

TEST(Reshape, FillsInTheOpenDimension) {
  EXPECT_EQ(resolve_reshape({2, 6}, {3, kUnknownDim}), (Shape{3, 4}));
  EXPECT_EQ(resolve_reshape({0, 3, 4}, {0, kUnknownDim}), (Shape{0, 12}));
  EXPECT_EQ(resolve_reshape({0, 3}, {kUnknownDim, 3}), (Shape{0, 3}));
  expect_error(
      Code::kInvalidArgument,
      [] {
        resolve_reshape({2, 3}, {4, kUnknownDim});
      },
      "[2, 3]", "[4, ?]");
  expect_error(
      Code::kInvalidArgument,
      [] {
        resolve_reshape({2, 3}, {0, kUnknownDim});
      },
      "6 elements");
}

TEST(Reshape, FindsTheOpenDimensionOfNothing) {
  EXPECT_EQ(resolve_reshape({0, 3}, {0, kUnknownDim, 2}), (Shape{0, 1, 2}));
  const int64_t large = int64_t{1} << 40;
  EXPECT_EQ(resolve_reshape({large, large, 0}, {kUnknownDim}), (Shape{0}));
  EXPECT_EQ(resolve_reshape({large, large, 0}, {0}), (Shape{0}));
}

// As TensorFlow, which rounds every step: 1 / 0.1 is 10.0024 in float, but 10 in half.
TEST(RangeLength, RoundsToItsOwnType) {
  const auto length = [](DType dtype) {
    const auto number = [dtype](float x) { return Tensor(x).cast(dtype); };
    return range_length(number(0), number(1), number(0.1f));
  };
  EXPECT_EQ(length(kFloat16), 10);
  EXPECT_EQ(length(kBFloat16), 10);
  EXPECT_EQ(length(kFloat32), 10);
}

TEST(RangeLength, RefusesMoreThanCanBeCounted) {
  const int64_t least = std::numeric_limits<int64_t>::min();
  const int64_t most = std::numeric_limits<int64_t>::max();
  expect_error(
      Code::kInvalidArgument,
      [&] { range_length(Tensor(least), Tensor(most), Tensor(int64_t{1})); }, "too long");
  EXPECT_EQ(range_length(Tensor(int64_t{0}), Tensor(most), Tensor(int64_t{1})), most);
}

TEST(RangeLength, SurvivesTheWidestIntegers) {
  const int64_t least = std::numeric_limits<int64_t>::min();
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(range_length(Tensor(least), Tensor(most), Tensor(most)), 3);
  EXPECT_EQ(range_length(Tensor(int32_t{5}), Tensor(int32_t{-1}), Tensor(int32_t{-4})), 2);
  expect_error(
      Code::kInvalidArgument, [] { range_length(Tensor(0.0f), Tensor(1.0f), Tensor(1e-30f)); },
      "too long");
}

}  // namespace
}  // namespace thalweg
