#include "thalweg/base/strings.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

TEST(Str, JoinsTextAndIntegersOfEveryWidth) {
  const std::string name = "fc1";
  EXPECT_EQ(str("layer ", name, std::string_view(" has "), 3, ' ', uint8_t{200}, "/", int8_t{-5}),
            "layer fc1 has 3 200/-5");
  EXPECT_EQ(str(std::numeric_limits<int64_t>::min()), "-9223372036854775808");
  EXPECT_EQ(str(std::numeric_limits<uint64_t>::max()), "18446744073709551615");
  EXPECT_EQ(str(size_t{7}, true, false), "7truefalse");
  EXPECT_EQ(str(), "");
}

TEST(Str, PrintsTheShortestTextThatReadsBack) {
  EXPECT_EQ(str(0.1f), "0.1");
  EXPECT_EQ(str(0.1), "0.1");
  EXPECT_EQ(str(3.0f), "3");
  EXPECT_EQ(str(1e30), "1e+30");
  EXPECT_EQ(str(-2.5), "-2.5");
  EXPECT_EQ(str(16777216.0f), "16777216");
  EXPECT_EQ(str(double{0.1f}), "0.10000000149011612");
}

TEST(Str, PrintsNaNWithoutSignAndInfinities) {
  EXPECT_EQ(str(std::nanf("")), "nan");
  EXPECT_EQ(str(-std::nan("")), "nan");
  EXPECT_EQ(str(std::numeric_limits<float>::infinity()), "inf");
  EXPECT_EQ(str(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(Str, PrintsListsInBrackets) {
  EXPECT_EQ(str(std::vector<int>{1, 2, 3}), "[1, 2, 3]");
  EXPECT_EQ(str(std::vector<std::string>{}), "[]");
  EXPECT_EQ(str(std::vector<std::string>{"a", "b"}), "[a, b]");
  EXPECT_EQ(str(std::vector<Code>{Code::kAborted}), "[aborted]");
}

TEST(Join, PutsTheSeparatorBetween) {
  const std::vector<std::string> items{"a", "", "c"};
  EXPECT_EQ(join(items, ", "), "a, , c");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(Split, KeepsEmptyPiecesAndUndoesJoin) {
  EXPECT_EQ(split("a,,c", ','), (std::vector<std::string>{"a", "", "c"}));
  EXPECT_EQ(split(",", ','), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(split("abc", ','), (std::vector<std::string>{"abc"}));
  EXPECT_TRUE(split("", ',').empty());
}

TEST(Trim, CutsWhiteSpaceAtBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b \r\n"), "a b");
  EXPECT_EQ(trim("ab"), "ab");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Nearest, FindsSlipsAndIgnoresStrangers) {
  const std::vector<std::string> options{"MatMul", "Mul", "kernel", "bias", "x"};
  EXPECT_EQ(nearest("kernal", options), "kernel");
  EXPECT_EQ(nearest("matmul", options), "MatMul");
  EXPECT_EQ(nearest("Mull", options), "Mul");
  EXPECT_EQ(nearest("Mlu", options), "Mul") << "neighbours swapped are one slip";
  EXPECT_EQ(nearest("X", options), "x");
  EXPECT_EQ(nearest("y", options), "");
  EXPECT_EQ(nearest("Convolution", options), "");
  EXPECT_EQ(nearest("", options), "");
  EXPECT_EQ(nearest("kernel", {}), "");
}

}  // namespace
}  // namespace thalweg
