// Elements moved by tables of offsets, in runs, against one at a time.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "kernels/reference/elements.h"

namespace thalweg::reference {
namespace {

// Tables of every kind: dense ones that join their neighbours, strided, backward, repeated, single.
Offsets some_offsets(std::mt19937& random) {
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random()) % n; };
  Offsets offsets(static_cast<size_t>(below(5)));
  int64_t stride = 1;
  for (size_t i = offsets.size(); i-- > 0;) {
    const int64_t size = 1 + below(5);
    switch (below(5)) {
      case 0: offsets[i] = evenly(below(3), 2 * stride, size); break;
      case 1: offsets[i] = evenly((size - 1) * stride, -stride, size); break;
      case 2: offsets[i] = Ints(static_cast<size_t>(size), stride); break;
      default: offsets[i] = evenly(below(2) * stride, stride, size);
    }
    stride *= size + 1 + below(2);
  }
  return offsets;
}

TEST(Moves, GatherWhatTheTablesName) {
  std::mt19937 random(3);
  std::vector<int32_t> source(100000);
  std::iota(source.begin(), source.end(), 1);
  for (int round = 0; round < 2000; ++round) {
    const Offsets offsets = some_offsets(random);
    std::vector<int32_t> expected;
    for_each_offset(offsets, [&](int64_t, int64_t offset) {
      expected.push_back(source.at(static_cast<size_t>(offset)));
    });
    std::vector<int32_t> got(expected.size() + 1, -1);
    gather_elements(kInt32, offsets, source.data(), got.data());
    EXPECT_EQ(got.back(), -1) << "written past the end";
    got.pop_back();
    ASSERT_EQ(got, expected);
  }
}

TEST(Moves, ScatterInOrderSoThatTheLastOneStays) {
  std::mt19937 random(4);
  std::vector<int32_t> source(5000);
  std::iota(source.begin(), source.end(), 1);
  for (int round = 0; round < 2000; ++round) {
    const Offsets offsets = some_offsets(random);
    std::vector<int32_t> expected(100000, 0), got(100000, 0);
    for_each_offset(offsets, [&](int64_t n, int64_t offset) {
      expected.at(static_cast<size_t>(offset)) = source.at(static_cast<size_t>(n));
    });
    scatter_elements(kInt32, offsets, source.data(), got.data());
    ASSERT_EQ(got, expected);
  }
}

TEST(Moves, MoveNothingWhereATableIsEmpty) {
  const int32_t source = 7;
  int32_t target = 1;
  gather_elements(kInt32, {{0}, {}}, &source, &target);
  scatter_elements(kInt32, {{}, {0, 1}}, &source, &target);
  EXPECT_EQ(target, 1);
  gather_elements(kInt32, {}, &source, &target);
  EXPECT_EQ(target, 7) << "a scalar";
}

TEST(Moves, MoveStringsAndManyElements) {
  const std::vector<std::string> words = {"a", "b", "c", "d"};
  std::vector<std::string> got(4);
  gather_elements(kString, {{2, 0}, {0, 1}}, words.data(), got.data());
  EXPECT_EQ(got, (std::vector<std::string>{"c", "d", "a", "b"}));

  // Enough to be shared out among threads.
  std::vector<int64_t> numbers(1 << 20), turned(1 << 20);
  std::iota(numbers.begin(), numbers.end(), 0);
  gather_elements(kInt64, {evenly(0, 1, 1024), evenly(0, 1024, 1024)}, numbers.data(),
                  turned.data());
  for (size_t i = 0; i < turned.size(); i += 999)
    EXPECT_EQ(turned[i], static_cast<int64_t>(i % 1024 * 1024 + i / 1024));
}

}  // namespace
}  // namespace thalweg::reference
