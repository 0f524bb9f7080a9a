#include "thalweg/data/split.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "data_testing.h"

namespace thalweg::data {
namespace {

int64_t count_of(const std::vector<int64_t>& rows, const Tensor& labels, int64_t label) {
  return std::ranges::count_if(
      rows, [&](int64_t row) { return labels.data<int64_t>()[static_cast<size_t>(row)] == label; });
}

void expect_all_rows(const RowSplit& split, int64_t rows) {
  EXPECT_TRUE(std::ranges::is_sorted(split.training));
  EXPECT_TRUE(std::ranges::is_sorted(split.validation));
  Values all = split.training;
  all.insert(all.end(), split.validation.begin(), split.validation.end());
  std::ranges::sort(all);
  EXPECT_EQ(all, values_of(numbers(rows)));
}

TEST(StratifiedSplit, KeepsTheShareOfEachClass) {
  Tensor labels = Tensor::zeros(kInt64, {100});
  for (size_t i = 0; i < 100; ++i) labels.mutable_data<int64_t>()[i] = i < 60 ? 0 : i < 90 ? 5 : 9;
  const RowSplit split = stratified_split(labels, 0.2, 1);
  expect_all_rows(split, 100);
  EXPECT_EQ(count_of(split.validation, labels, 0), 12);
  EXPECT_EQ(count_of(split.validation, labels, 5), 6);
  EXPECT_EQ(count_of(split.validation, labels, 9), 2);
  EXPECT_EQ(stratified_split(labels, 0.2, 1).validation, split.validation);
  EXPECT_NE(stratified_split(labels, 0.2, 2).validation, split.validation);
}

TEST(StratifiedSplit, RoundsTheTotalNotEachClass) {
  const Tensor labels = Tensor::of<int64_t>({0, 0, 1, 1, 2, 2, 3, 3, 4, 4});
  const RowSplit split = stratified_split(labels, 0.2, 1);
  EXPECT_EQ(split.validation.size(), 2u);
  expect_all_rows(split, 10);
}

TEST(StratifiedSplit, LeavesEveryClassARowForTraining) {
  const Tensor labels = Tensor::of<int64_t>({0, 0, 0, 0, 1, 2, 2});
  const RowSplit split = stratified_split(labels, 0.9, 1);
  for (const int64_t label : {0, 1, 2}) EXPECT_EQ(count_of(split.training, labels, label), 1);
  expect_all_rows(split, 7);
}

TEST(StratifiedSplit, GivesAllRowsThatItPromisesThoughManyClassesHaveNoneToGive) {
  Tensor labels = Tensor::zeros(kInt64, {20});  // ten rows of class 0, ten classes of one row
  for (size_t i = 10; i < 20; ++i) labels.mutable_data<int64_t>()[i] = static_cast<int64_t>(i);
  for (const double fraction : {0.3, 0.4, 0.45}) {
    const RowSplit split = stratified_split(labels, fraction, 1);
    EXPECT_EQ(split.validation.size(), static_cast<size_t>(std::lround(20 * fraction)));
    expect_all_rows(split, 20);
  }
  EXPECT_EQ(stratified_split(labels, 0.9, 1).validation.size(), 9u);
}

TEST(StratifiedSplit, TakesStringsAndEmptyLists) {
  const RowSplit split = stratified_split(Tensor::of<std::string>({"a", "b", "a", "b"}), 0.5, 1);
  EXPECT_EQ(split.validation.size(), 2u);
  EXPECT_NE(split.validation[0] % 2, split.validation[1] % 2);
  EXPECT_TRUE(stratified_split(Tensor::zeros(kInt64, {0}), 0.5, 1).training.empty());
  EXPECT_TRUE(stratified_split(Tensor::of<int64_t>({1, 1}), 0, 1).validation.empty());
}

TEST(StratifiedSplit, RejectsWhatHasNoClasses) {
  const Tensor labels = Tensor::of<int64_t>({1, 2});
  expect_error(
      Code::kInvalidArgument, [&] { stratified_split(labels, 1, 1); }, "fraction 1");
  expect_error(
      Code::kInvalidArgument, [&] { stratified_split(labels, -0.1, 1); }, "-0.1");
  expect_error(Code::kInvalidArgument,
               [&] { stratified_split(labels, std::numeric_limits<double>::quiet_NaN(), 1); });
  expect_error(
      Code::kInvalidArgument,
      [&] {
        stratified_split(Tensor::of<float>({1, 2}), 0.5, 1);
      },
      "float32", "random_split");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        stratified_split(Tensor::zeros(kInt64, {2, 2}), 0.5, 1);
      },
      "vector");
}

TEST(RandomSplit, DividesAllRows) {
  const RowSplit split = random_split(10, 0.3, 1);
  EXPECT_EQ(split.validation.size(), 3u);
  expect_all_rows(split, 10);
  EXPECT_EQ(random_split(1, 0.9, 1).training.size(), 1u);
  EXPECT_TRUE(random_split(0, 0.9, 1).training.empty());
}

}  // namespace
}  // namespace thalweg::data
