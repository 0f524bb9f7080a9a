#include "thalweg/graph/window.h"

#include <limits>

#include "testing.h"

namespace thalweg {
namespace {

using testing::expect_error;

// Failures B13.
TEST(Window, SamePutsTheOddCellAtTheEnd) {
  const Window even = make_window(2, 3, 2, 1, "SAME");
  EXPECT_EQ(even.output, 1);
  EXPECT_EQ(even.pad_before, 0);
  EXPECT_EQ(even.pad_after, 1);
  const Window image = make_window(224, 7, 2, 1, "SAME");
  EXPECT_EQ(image.output, 112);
  EXPECT_EQ(image.pad_before, 2);
  EXPECT_EQ(image.pad_after, 3);
}

TEST(Window, SameNeedsNoPaddingWhenTheStrideIsWide) {
  const Window window = make_window(7, 1, 3, 1, "SAME");
  EXPECT_EQ(window.output, 3);
  EXPECT_EQ(window.pad_before + window.pad_after, 0);
  EXPECT_EQ(window.cell(2, 0), 6);
}

TEST(Window, ValidCountsWholeWindows) {
  EXPECT_EQ(make_window(5, 2, 2, 1, "VALID").output, 2);
  EXPECT_EQ(make_window(5, 5, 1, 1, "VALID").output, 1);
}

TEST(Window, ADilatedWindowIsLonger) {
  const Window window = make_window(7, 3, 1, 2, "VALID");
  EXPECT_EQ(window.extent(), 5);
  EXPECT_EQ(window.output, 3);
  EXPECT_EQ(window.cell(1, 2), 5);
}

TEST(Window, ExplicitPaddingIsTakenAsGiven) {
  const Window window = make_window(4, 3, 1, 1, "EXPLICIT", 2, 0);
  EXPECT_EQ(window.output, 4);
  EXPECT_EQ(window.cell(0, 0), -2);
}

TEST(Window, WhatIsUnknownStaysUnknown) {
  EXPECT_EQ(make_window(kUnknownDim, 3, 2, 1, "VALID").output, kUnknownDim);
  EXPECT_EQ(make_window(kUnknownDim, 3, 2, 1, "SAME").output, kUnknownDim);
  EXPECT_EQ(make_window(5, kUnknownDim, 2, 1, "SAME").output, 3);
}

TEST(Window, AnEmptyInputHasNoWindows) { EXPECT_EQ(make_window(0, 3, 1, 1, "SAME").output, 0); }

TEST(Window, RefusesWhatCannotBe) {
  expect_error(
      Code::kInvalidArgument, [] { make_window(2, 3, 1, 1, "VALID"); }, "3 cells", "fit into 2");
  expect_error(
      Code::kInvalidArgument, [] { make_window(2, 1, 0, 1, "VALID"); }, "stride", "0");
  expect_error(
      Code::kInvalidArgument, [] { make_window(2, 1, 1, 0, "VALID"); }, "dilation", "0");
  expect_error(
      Code::kInvalidArgument, [] { make_window(2, 1, 1, 1, "FULL"); }, "FULL");
  expect_error(
      Code::kInvalidArgument, [] { make_window(2, 1, 1, 1, "EXPLICIT", -1, 0); }, "negative");
}

// Attributes of files hold any number; none may overflow.
TEST(Window, RefusesLengthsThatCannotBeCounted) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  expect_error(
      Code::kInvalidArgument, [&] { make_window(5, 3, 1, most, "VALID"); }, "dilation");
  expect_error(
      Code::kInvalidArgument, [&] { make_window(5, 3, most, 1, "SAME"); }, "stride");
  expect_error(
      Code::kInvalidArgument, [&] { make_window(5, most, 1, 1, "SAME"); }, "window");
  expect_error(
      Code::kInvalidArgument, [&] { make_window(5, 3, 1, 1, "EXPLICIT", 0, most); }, "padding");
  expect_error(
      Code::kInvalidArgument, [&] { make_window(most, 3, 1, 1, "SAME"); }, "input");
  const int64_t longest = int64_t{1} << 31;
  EXPECT_EQ(make_window(5, 3, longest, 1, "SAME").output, 1);
  EXPECT_EQ(make_window(5, longest, 1, longest, "SAME").output, 5);
}

TEST(ImageAxes, FollowTheDataFormat) {
  EXPECT_EQ(image_axes("NHWC").channels, 3);
  EXPECT_EQ(image_axes("NCHW").channels, 1);
  EXPECT_EQ(image_axes("NCHW").width, 3);
  expect_error(
      Code::kUnimplemented, [] { image_axes("NDHWC"); }, "NDHWC");
}

}  // namespace
}  // namespace thalweg
