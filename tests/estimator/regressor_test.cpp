#include <cmath>

#include "estimator_testing.h"

namespace thalweg {
namespace {

TEST(Regressor, LearnsAPlaneInTheLabelsOwnUnits) {
  TemporaryFolder folder;
  const Rows data = plane(200);
  Regressor model(make_network("linear", 1), {.optimizer = NamedOptimizer{.learning_rate = 0.05},
                                              .batch_size = 20,
                                              .standardize = true,
                                              .model_folder = folder / "m"});
  const FitReport report = model.fit(data.features, data.labels, {.epochs = 40});
  EXPECT_GT(figure(report.baseline, "rmse"), 500);

  const Rows unseen = plane(50, 9);
  const EvaluationReport evaluation = model.evaluate(unseen.features, unseen.labels);
  EXPECT_GT(evaluation["r2"], 0.999);
  EXPECT_LT(evaluation["mae"], 20);
  EXPECT_NEAR(evaluation["rmse"], std::sqrt(evaluation["mse"]), 1e-6);
  EXPECT_TRUE(evaluation.confusion.empty());
  EXPECT_LE(figure(evaluation.baseline, "r2"), 0);

  const std::vector<float> values = model.predict(Tensor::of<float>({1, 0, 0, 1}, {2, 2}));
  ASSERT_EQ(values.size(), 2u);
  EXPECT_NEAR(values[0], 5300, 60);
  EXPECT_NEAR(values[1], 4800, 60);

  const auto loaded = Regressor::load(folder / "m");
  EXPECT_EQ(loaded.predict(unseen.features), model.predict(unseen.features));
  EXPECT_EQ(loaded.record().label.mean, model.record().label.mean);
}

TEST(Regressor, LeavesRSquaredOpenWhenAllLabelsAreEqual) {
  Regressor model(make_network("linear", 1), {.standardize = true});
  const Rows data = plane(12);
  const Tensor same = Tensor::of<float>({7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7});
  model.fit(data.features, same, {.epochs = 1});
  const EvaluationReport report = model.evaluate(data.features, same);
  EXPECT_TRUE(std::isnan(report["r2"]));
  EXPECT_TRUE(std::isfinite(report["mse"]));
}

TEST(Regressor, TakesIntegerLabelsAndColumnsOfLabels) {
  const Rows data = plane(10);
  Regressor model(make_network("linear", 1));
  model.fit(data.features, Tensor::of<int64_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}).reshape({10, 1}),
            {.epochs = 1});
  EXPECT_EQ(model.predict(data.features).size(), 10u);
}

TEST(Regressor, RefusesWhatIsNoNumber) {
  const Rows data = plane(3);
  Regressor model(make_network("linear", 1));
  expect_error(
      Code::kInvalidArgument,
      [&] {
        model.fit(data.features, Tensor::of<float>({1, NAN, 2}));
      },
      "row 2", "finite");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        model.fit(data.features, Tensor::of<std::string>({"a", "b", "c"}));
      },
      "Classifier");
  Regressor wide(make_network("linear", 2));
  expect_error(
      Code::kInvalidArgument, [&] { wide.fit(data.features, data.labels); }, "[?, 2]", "1 unit");
}

TEST(InputSpec, LearnsMeanAndDeviationOfEachColumn) {
  InputSpec spec = InputSpec::of({"features", kFloat32, {2}});
  spec.standardize(Tensor::of<float>({1, 5, 3, 5}, {2, 2}));
  EXPECT_EQ(spec.mean, (std::vector<float>{2, 5}));
  EXPECT_EQ(spec.deviation, (std::vector<float>{1, 1}));  // the second never changes
}

TEST(InputSpec, KnowsPixelsFromOtherNumbers) {
  EXPECT_TRUE(InputSpec::of({"x", kUInt8, {28, 28}}).add_channel);
  EXPECT_FALSE(InputSpec::of({"x", kUInt8, {28, 28, 3}}).add_channel);
  EXPECT_EQ(InputSpec::of({"x", kFloat32, {28, 28}}).scale, 1);
  expect_error(
      Code::kInvalidArgument,
      [] {
        InputSpec::of({"x", kString, {2}});
      },
      "string");
  expect_error(
      Code::kInvalidArgument,
      [] {
        InputSpec::of({"x", kFloat32, {kUnknownDim}});
      },
      "'x'");
}

}  // namespace
}  // namespace thalweg
