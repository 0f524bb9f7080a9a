#include "thalweg/train/early_stopping.h"

#include <cmath>

#include "testing.h"

namespace thalweg {
namespace {

using testing::expect_error;

TEST(EarlyStopping, CountsEvaluationsWithoutImprovement) {
  EarlyStopping stopping({.patience = 2});
  std::vector<int64_t> waits;
  for (const double loss : {1.0, 0.8, 0.9, 0.7, 0.7, 0.71}) {
    stopping.update(loss);
    waits.push_back(stopping.wait());
  }
  EXPECT_EQ(waits, (std::vector<int64_t>{0, 0, 1, 0, 1, 2}));
  EXPECT_TRUE(stopping.should_stop());
}

TEST(EarlyStopping, NeedsMoreThanMinDelta) {
  EarlyStopping stopping({.patience = 1, .higher_is_better = true, .min_delta = 0.5});
  stopping.update(1.0);
  stopping.update(2.0);
  EXPECT_EQ(stopping.wait(), 0);
  stopping.update(2.5);
  EXPECT_TRUE(stopping.should_stop());
}

TEST(EarlyStopping, TakesNaNForNoImprovement) {
  EarlyStopping stopping({.patience = 3});
  stopping.update(std::nan(""));
  EXPECT_EQ(stopping.wait(), 1);
  stopping.update(5.0);
  EXPECT_EQ(stopping.wait(), 0);
}

TEST(EarlyStopping, NeverStopsWithoutPatience) {
  EarlyStopping stopping;
  for (int i = 0; i < 100; ++i) stopping.update(1.0);
  EXPECT_FALSE(stopping.should_stop());
}

TEST(EarlyStopping, SurvivesACheckpoint) {
  EarlyStopping stopping({.patience = 3});
  for (const double loss : {1.0, 2.0, 3.0}) stopping.update(loss);
  EarlyStopping restored({.patience = 3});
  restored.restore(stopping.to_tensor());
  EXPECT_EQ(restored.wait(), 2);
  restored.update(1.5);
  EXPECT_TRUE(restored.should_stop());
  expect_error(
      Code::kInvalidArgument, [&] { restored.restore(Tensor(1.0)); }, "float64[2]");
}

TEST(EarlyStopping, RejectsNegativeOptions) {
  expect_error(
      Code::kInvalidArgument, [] { EarlyStopping({.patience = -1}); }, "patience is -1");
  expect_error(
      Code::kInvalidArgument, [] { EarlyStopping({.min_delta = -1}); }, "min_delta is -1");
}

}  // namespace
}  // namespace thalweg
