#include "thalweg/graph/einsum.h"

#include "testing.h"

namespace thalweg {
namespace {

using testing::expect_error;

TEST(EinsumEquation, SeparatesOperandsAndResult) {
  const EinsumEquation equation = parse_einsum(" b...i, ij -> b...j ", 2);
  EXPECT_EQ(equation.inputs, (std::vector<std::string>{"b.i", "ij"}));
  EXPECT_EQ(equation.output, "b.j");
}

TEST(EinsumEquation, TakesScalars) {
  const EinsumEquation equation = parse_einsum(",->", 2);
  EXPECT_EQ(equation.inputs, (std::vector<std::string>{"", ""}));
  EXPECT_EQ(einsum_loops(equation, {Shape{}, Shape{}}).output(), Shape{});
}

TEST(EinsumEquation, NamesWhatItCannotRead) {
  expect_error(
      Code::kInvalidArgument, [] { parse_einsum("ij", 1); }, "\"ij\"", "->");
  expect_error(
      Code::kInvalidArgument, [] { parse_einsum("i1->i", 1); }, "`1`");
  expect_error(
      Code::kInvalidArgument, [] { parse_einsum("i..->i", 1); }, "`.`");
  expect_error(
      Code::kInvalidArgument, [] { parse_einsum("......->i", 1); }, "twice");
  expect_error(
      Code::kInvalidArgument, [] { parse_einsum("i->ii", 1); }, "label i", "twice");
  expect_error(
      Code::kInvalidArgument, [] { parse_einsum("i->...i", 1); }, "no operand");
}

TEST(EinsumLoops, PutResultDimensionsFirst) {
  const EinsumLoops loops = einsum_loops(parse_einsum("ij,kj->ki", 2), {Shape{2, 3}, Shape{4, 3}});
  EXPECT_EQ(loops.extents, (std::vector<int64_t>{4, 2, 3}));
  EXPECT_EQ(loops.inputs, (std::vector<std::vector<int>>{{1, 2}, {0, 2}}));
  EXPECT_EQ(loops.output(), (Shape{4, 2}));
}

TEST(EinsumLoops, BroadcastUnderAnEllipsisAlone) {
  const EinsumEquation equation = parse_einsum("...i,...i->...", 2);
  const EinsumLoops loops = einsum_loops(equation, {Shape{5, 1, 2}, Shape{3, 2}});
  EXPECT_EQ(loops.output(), (Shape{5, 3}));
  EXPECT_EQ(loops.inputs[0], (std::vector<int>{0, -1, 2}));
  expect_error(
      Code::kInvalidArgument,
      [&] {
        einsum_loops(equation, {Shape{2, 1}, Shape{2, 2}});
      },
      "dimension i");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        einsum_loops(equation, {Shape{2, 2}, Shape{3, 2}});
      },
      "...");
}

TEST(EinsumLoops, KeepUnknownExtentsUntilTheyAreKnown) {
  const EinsumLoops loops = einsum_loops(parse_einsum("bi,ij->bj", 2),
                                         {Shape{kUnknownDim, kUnknownDim}, Shape{3, kUnknownDim}});
  EXPECT_EQ(loops.extents, (std::vector<int64_t>{kUnknownDim, kUnknownDim, 3}));
}

}  // namespace
}  // namespace thalweg
