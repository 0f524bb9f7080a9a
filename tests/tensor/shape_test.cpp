#include "thalweg/tensor/shape.h"

#include <limits>

#include "testing.h"

namespace thalweg {
namespace {

using testing::expect_error;
constexpr int64_t kAny = kUnknownDim;

TEST(Shape, IsAScalarByDefault) {
  EXPECT_EQ(Shape().rank(), 0);
  EXPECT_EQ(Shape().num_elements(), 1);
  EXPECT_TRUE(Shape().is_fully_defined());
  EXPECT_EQ(Shape(), Shape{});
}

TEST(Shape, CountsDimensionsFromBothEnds) {
  const Shape shape{2, 3, kAny};
  EXPECT_EQ(shape.rank(), 3);
  EXPECT_EQ(shape.dim(0), 2);
  EXPECT_EQ(shape.dim(-1), kAny);
  EXPECT_EQ(shape.dim(-2), 3);
  EXPECT_EQ(shape[1], 3);
  expect_error(
      Code::kOutOfRange, [&] { static_cast<void>(shape.dim(3)); }, "3", "[2, 3, ?]");
  expect_error(
      Code::kOutOfRange, [&] { static_cast<void>(shape.dim(-4)); }, "-4");
}

TEST(Shape, RefusesNegativeAndTooManyDimensions) {
  expect_error(
      Code::kInvalidArgument,
      [] {
        Shape{2, -2};
      },
      "-2");
  expect_error(
      Code::kInvalidArgument, [] { Shape{1, 1, 1, 1, 1, 1, 1, 1, 1}; }, "9 dimensions", "8");
  expect_error(
      Code::kInvalidArgument, [] { Shape::unknown_of_rank(9); }, "9");
  expect_error(
      Code::kInvalidArgument, [] { Shape::unknown_of_rank(-1); }, "-1");
}

TEST(Shape, SetDimChangesOneDimensionOrNone) {
  Shape shape{2, 3};
  shape.set_dim(-1, kAny);
  EXPECT_EQ(shape, (Shape{2, kAny}));
  expect_error(
      Code::kInvalidArgument, [&] { shape.set_dim(0, -7); }, "-7");
  expect_error(
      Code::kOutOfRange, [&] { shape.set_dim(2, 1); }, "2");
  EXPECT_EQ(shape, (Shape{2, kAny}));
}

TEST(Shape, CountsElementsOrSaysUnknown) {
  EXPECT_EQ((Shape{2, 3, 4}).num_elements(), 24);
  EXPECT_EQ((Shape{2, 0}).num_elements(), 0);
  EXPECT_EQ((Shape{2, kAny}).num_elements(), kAny);
  EXPECT_EQ(Shape::unknown().num_elements(), kAny);
  const int64_t large = int64_t{1} << 40;
  expect_error(
      Code::kInvalidArgument,
      [&] {
        static_cast<void>((Shape{large, large}).num_elements());
      },
      "64 bits");
  EXPECT_EQ((Shape{large, large, 0}).num_elements(), 0);
}

TEST(Shape, PrintsUnknownAsQuestionMark) {
  EXPECT_EQ((Shape{2, kAny}).to_string(), "[2, ?]");
  EXPECT_EQ(Shape().to_string(), "[]");
  EXPECT_EQ(Shape::unknown().to_string(), "<unknown rank>");
  EXPECT_EQ(str("is ", Shape{5}), "is [5]");
}

TEST(Shape, EqualsOnlyTheSame) {
  EXPECT_EQ((Shape{2, kAny}), (Shape{2, kAny}));
  EXPECT_NE((Shape{2, kAny}), (Shape{2, 3}));
  EXPECT_NE((Shape{2}), (Shape{2, 1}));
  EXPECT_EQ(Shape::unknown(), Shape::unknown());
  EXPECT_NE(Shape::unknown(), Shape());
  EXPECT_EQ(Shape::unknown_of_rank(2), (Shape{kAny, kAny}));
  Shape shrunk{2, 3};
  EXPECT_EQ(shrunk.slice(0, 1), Shape{2});
}

TEST(Shape, IsCompatibleWhereBothAreKnownAndEqual) {
  EXPECT_TRUE((Shape{2, kAny}).is_compatible_with({kAny, 3}));
  EXPECT_TRUE(Shape::unknown().is_compatible_with({1, 2}));
  EXPECT_FALSE((Shape{2, 3}).is_compatible_with({2, 4}));
  EXPECT_FALSE((Shape{2}).is_compatible_with({2, 1}));
}

TEST(Shape, MergesWhatIsKnown) {
  EXPECT_EQ((Shape{2, kAny}).merge({kAny, 3}), (Shape{2, 3}));
  EXPECT_EQ(Shape::unknown().merge({2, kAny}), (Shape{2, kAny}));
  EXPECT_EQ((Shape{2}).merge(Shape::unknown()), Shape{2});
  expect_error(
      Code::kInvalidArgument,
      [] {
        (Shape{2, 3}).merge({2, 4});
      },
      "[2, 3]", "[2, 4]", "dimension 1", "3 against 4");
  expect_error(
      Code::kInvalidArgument,
      [] {
        (Shape{2}).merge({2, 4});
      },
      "rank", "1 against 2");
}

TEST(Shape, IsConcatenatedAndSliced) {
  EXPECT_EQ((Shape{1, 2}).concat({kAny}), (Shape{1, 2, kAny}));
  EXPECT_EQ((Shape{1}).concat(Shape::unknown()), Shape::unknown());
  expect_error(
      Code::kInvalidArgument, [] { Shape::unknown_of_rank(5).concat(Shape::unknown_of_rank(4)); },
      "9");
  const Shape shape{1, 2, 3, 4};
  EXPECT_EQ(shape.slice(1), (Shape{2, 3, 4}));
  EXPECT_EQ(shape.slice(0, -1), (Shape{1, 2, 3}));
  EXPECT_EQ(shape.slice(-2), (Shape{3, 4}));
  EXPECT_EQ(shape.slice(4), Shape());
  EXPECT_EQ(Shape::unknown().slice(1), Shape::unknown());
  expect_error(
      Code::kOutOfRange, [&] { static_cast<void>(shape.slice(3, 2)); }, "[3, 2)");
  expect_error(
      Code::kOutOfRange, [&] { static_cast<void>(shape.slice(5)); }, "5");
}

TEST(Broadcast, StretchesOnesAndMissingDimensions) {
  EXPECT_EQ(broadcast({2, 3}, {3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast({3}, {2, 1}), (Shape{2, 3}));
  EXPECT_EQ(broadcast({2, 1, 4}, {5, 1}), (Shape{2, 5, 4}));
  EXPECT_EQ(broadcast({}, {2, 3}), (Shape{2, 3}));
  EXPECT_EQ(broadcast({0}, {1}), Shape{0});
}

TEST(Broadcast, TellsWhatItCanOfUnknownDimensions) {
  EXPECT_EQ(broadcast({kAny, 3}, {3}), (Shape{kAny, 3}));
  EXPECT_EQ(broadcast({kAny}, {4}), Shape{4});
  EXPECT_EQ(broadcast({4}, {kAny}), Shape{4});
  EXPECT_EQ(broadcast({kAny}, {1}), Shape{kAny});
  EXPECT_EQ(broadcast({1}, {kAny}), Shape{kAny});
  EXPECT_EQ(broadcast({kAny}, {0}), Shape{0});
  EXPECT_EQ(broadcast(Shape::unknown(), {2}), Shape::unknown());
}

TEST(Broadcast, NamesTheDimensionThatDoesNotFit) {
  expect_error(
      Code::kInvalidArgument,
      [] {
        broadcast({2, 3}, {4});
      },
      "shapes [2, 3] and [4] cannot be broadcast together: dimension -1 is 3 against 4");
  expect_error(
      Code::kInvalidArgument,
      [] {
        broadcast({2, 3}, {0, 3});
      },
      "dimension -2 is 2 against 0");
}

}  // namespace
}  // namespace thalweg
