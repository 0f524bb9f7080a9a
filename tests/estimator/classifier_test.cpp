#include <limits>
#include <numeric>

#include "estimator_testing.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/train/hook.h"

namespace thalweg {
namespace {

constexpr double kFastRate = 0.02;

ClassifierOptions fast(std::string folder = {}) {
  return {.optimizer = NamedOptimizer{.learning_rate = kFastRate},
          .batch_size = 16,
          .model_folder = std::move(folder)};
}

TEST(Classifier, LearnsToTellCloudsApart) {
  const Rows data = clouds(150);
  Classifier model(small_network(3), fast());
  const FitReport report = model.fit(data.features, data.labels, {.epochs = 20});
  EXPECT_EQ(report.training.reason, EndReason::kFinished);
  EXPECT_EQ(report.training.steps, 20 * 9);  // 135 rows in batches of 16
  EXPECT_GT(figure(report.validation, "accuracy"), 0.9);
  EXPECT_NEAR(figure(report.baseline, "accuracy"), 1.0 / 3, 1e-9);

  const Rows unseen = clouds(60, 7);
  const EvaluationReport evaluation = model.evaluate(unseen.features, unseen.labels);
  EXPECT_GT(evaluation["accuracy"], 0.95);
  EXPECT_LT(evaluation["loss"], 0.3);
  EXPECT_EQ(evaluation.examples, 60);
  EXPECT_NEAR(figure(evaluation.baseline, "accuracy"), 1.0 / 3, 1e-9);
  ASSERT_EQ(evaluation.confusion.size(), 3u);
  for (const auto& row : evaluation.confusion) {
    EXPECT_EQ(std::accumulate(row.begin(), row.end(), int64_t{0}), 20);
  }
}

TEST(Classifier, PredictsClassNamesAndProbabilitiesInRowOrder) {
  const Rows data = clouds(150);
  ClassifierOptions options = fast();
  options.class_names = {"top", "left", "right"};
  Classifier model(small_network(3), options);
  model.fit(data.features, data.labels, {.epochs = 20});
  const auto predictions = model.predict(Tensor::of<float>({3, -2, 0, 3, -3, -2}, {3, 2}));
  ASSERT_EQ(predictions.size(), 3u);
  EXPECT_EQ(predictions[0].name, "right");
  EXPECT_EQ(predictions[1].name, "top");
  EXPECT_EQ(predictions[2].name, "left");
  EXPECT_EQ(predictions[2].index, 1);
  float sum = 0;
  for (const float p : predictions[0].probabilities) sum += p;
  EXPECT_NEAR(sum, 1, 1e-5);
  EXPECT_GT(predictions[0].probabilities[2], 0.8f);
}

TEST(Classifier, PredictsNoRowsAndMoreRowsThanOneBatch) {
  const Rows data = clouds(300);
  Classifier model(small_network(3), fast());
  model.fit(data.features, data.labels, {.epochs = 1});
  EXPECT_TRUE(model.predict(Tensor(kFloat32, {0, 2})).empty());
  const Tensor all = model.predict_values(data.features);
  const Tensor last = model.predict_values(data.features.rows(299, 300));
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(all.at(299 * 3 + i), last.at(i), 1e-6);
}

TEST(Classifier, KeepsTheOriginalLabels) {
  const Rows data = clouds(90);
  Tensor shifted(kInt64, {90});
  Tensor texts(kString, {90});
  for (int64_t i = 0; i < 90; ++i) {
    shifted.mutable_data<int64_t>()[i] = 3 + i % 3;
    texts.mutable_data<std::string>()[i] = i % 3 == 0 ? "10" : i % 3 == 1 ? "2" : "1";
  }
  Classifier numbers(small_network(3), fast());
  numbers.fit(data.features, shifted, {.epochs = 15});
  EXPECT_EQ(numbers.class_names(), (std::vector<std::string>{"3", "4", "5"}));
  EXPECT_EQ(numbers.predict(data.features.rows(2, 3))[0].name, "5");
  EXPECT_GT(numbers.evaluate(data.features, shifted)["accuracy"], 0.9);

  Classifier words(small_network(3), fast());
  words.fit(data.features, texts, {.epochs = 15});
  EXPECT_EQ(words.class_names(), (std::vector<std::string>{"1", "2", "10"}));
  EXPECT_EQ(words.predict(data.features.rows(0, 1))[0].name, "10");
  EXPECT_EQ(words.record().label.class_counts, (std::vector<int64_t>{30, 30, 30}));
}

TEST(Classifier, RefusesLabelsItHasNotLearnt) {
  const Rows data = clouds(30);
  Classifier model(small_network(3), fast());
  model.fit(data.features, data.labels, {.epochs = 1});
  expect_error(
      Code::kInvalidArgument,
      [&] {
        model.evaluate(data.features.rows(0, 2), Tensor::of<int64_t>({0, 7}));
      },
      "'7'", "row 2", "0 to 2");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        model.evaluate(data.features.rows(0, 2), Tensor::of<float>({0, 1}));
      },
      "float32", "Regressor");
}

TEST(Classifier, NeedsTwoClasses) {
  Classifier model(small_network(2), fast());
  expect_error(
      Code::kInvalidArgument,
      [&] {
        model.fit(clouds(4).features, Tensor::of<int64_t>({5, 5, 5, 5}));
      },
      "'5'", "two classes");
}

TEST(Classifier, SaysWhenTheNetworkHasOtherOutputsThanThereAreClasses) {
  const Rows data = clouds(30);
  Classifier model(small_network(4), fast());
  expect_error(
      Code::kInvalidArgument, [&] { model.fit(data.features, data.labels); }, "[?, 4]", "3 classes",
      "Dense of 3 units");
}

TEST(Classifier, SplitsOffValidationRowsOfEachClass) {
  const Rows data = clouds(90);
  Classifier model(small_network(3), fast());
  model.fit(data.features, data.labels, {.epochs = 1, .validation_split = 0.2});
  EXPECT_EQ(model.record().run.validation_rows, 18);
  EXPECT_EQ(model.record().run.training_rows, 72);
  // Of each class alike, so the commonest class is right in a third.
  const FitReport report =
      model.fit(data.features, data.labels, {.epochs = 1, .validation_split = 0.2});
  EXPECT_NEAR(figure(report.baseline, "accuracy"), 6.0 / 18, 1e-9);
}

TEST(Classifier, TakesValidationRowsOfOnesOwnAndDataFromAGenerator) {
  const Rows data = clouds(40);
  const Dataset table = Dataset::from_tensors({data.features, data.labels});
  const Dataset stream = Dataset::from_generator(table.spec(), [table](int64_t) -> data::Generator {
    auto pass = std::make_shared<data::Iterator>(table.iterate());
    return [pass] { return pass->next(); };
  });
  Classifier model(small_network(3), fast());
  expect_error(
      Code::kInvalidArgument, [&] { model.fit(stream, {.epochs = 1}); }, "random access",
      "validation_split");
  const FitReport report = model.fit(stream, {.epochs = 2, .validation = table.take(10)});
  EXPECT_EQ(report.training.steps, 2 * 3);
  EXPECT_EQ(model.record().run.validation_rows, 10);
  EXPECT_FALSE(report.validation.empty());
}

// Keeps what predicting in the middle of a training gives, and does so twice.
class PredictingHook : public Hook {
 public:
  PredictingHook(const Classifier& model, Tensor features)
      : model_(model), features_(std::move(features)) {}
  void end_epoch(LoopState&, const EpochRecord&) override {
    values_.push_back(model_.predict_values(features_));
    EXPECT_TRUE(values_.back().same_bits(model_.predict_values(features_)));
  }
  const std::vector<Tensor>& values() const { return values_; }

 private:
  const Classifier& model_;
  Tensor features_;
  std::vector<Tensor> values_;
};

TEST(Classifier, PredictsWithoutDropoutAlsoBetweenEpochs) {
  const Rows data = clouds(60);
  Classifier quiet(small_network(3, 0.5), fast());
  quiet.fit(data.features, data.labels, {.epochs = 3, .validation_split = 0});

  Classifier watched(small_network(3, 0.5), fast());
  const auto hook = std::make_shared<PredictingHook>(watched, data.features);
  watched.fit(data.features, data.labels, {.epochs = 3, .validation_split = 0, .hooks = {hook}});
  ASSERT_EQ(hook->values().size(), 3u);
  EXPECT_FALSE(hook->values()[0].same_bits(hook->values()[1]));
  // Looking on has not changed the training, so dropout was neither left off nor drawn from.
  expect_same_weights(quiet, watched);
  const Tensor row = data.features.rows(0, 1);
  const Tensor first = watched.predict_values(row);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(first.same_bits(watched.predict_values(row)));
}

TEST(Classifier, ComputesTheSameFromTheSameSeed) {
  const Rows data = clouds(60);
  const auto fitted = [&](uint64_t seed) {
    ClassifierOptions options = fast();
    options.seed = seed;
    Classifier model(small_network(3, 0.3), options);
    model.fit(data.features, data.labels, {.epochs = 2});
    return model.predict_values(data.features);
  };
  EXPECT_TRUE(fitted(5).same_bits(fitted(5)));
  EXPECT_FALSE(fitted(5).same_bits(fitted(6)));
}

TEST(Classifier, ScalesPixelsInOnePlace) {
  Tensor images(kUInt8, {40, 4, 4});
  Tensor labels(kInt64, {40});
  for (int64_t i = 0; i < 40; ++i) {
    labels.mutable_data<int64_t>()[i] = i % 2;
    for (int k = 0; k < 16; ++k) {
      images.mutable_data<uint8_t>()[i * 16 + k] = (k < 8) == (i % 2 == 0) ? 255 : 0;
    }
  }
  Classifier model(make_network("cnn", 2), fast());
  model.fit(images, labels, {.epochs = 5});
  EXPECT_EQ(model.record().input.network_shape(), Shape({kUnknownDim, 4, 4, 1}));
  EXPECT_DOUBLE_EQ(model.record().input.scale, 1.0 / 255);
  EXPECT_EQ(model.evaluate(images, labels)["accuracy"], 1);
  expect_error(
      Code::kInvalidArgument, [&] { model.predict(images.cast(kFloat32)); }, "float32", "uint8");
}

TEST(Classifier, SaysWhatIsMissingBeforeFit) {
  const Classifier model(small_network(3), fast());
  expect_error(
      Code::kFailedPrecondition, [&] { model.predict(clouds(3).features); }, "fit()");
  expect_error(
      Code::kInvalidArgument, [] { Classifier(small_network(3), {.batch_size = 0}); },
      "batch_size");
  expect_error(
      Code::kInvalidArgument,
      [] { Classifier(small_network(3), {.optimizer = NamedOptimizer{.name = "adan"}}); }, "adan",
      "adam");
}

// Its rows are known only when it runs.
TEST(Classifier, RefusesPredictionsThatAreNotARowForEachRow) {
  const Rows data = clouds(60);
  Layer dense = Dense({.units = 6});
  const Network network = [dense](Output x, Mode mode) mutable {
    const Output y = dense(x, mode);
    return mode == Mode::kTraining ? slice(y, {0, 0}, {-1, 3}) : reshape(y, {-1, 3});
  };
  Classifier model(network, {});
  model.fit(data.features, data.labels, {.epochs = 1, .validation_split = 0});
  expect_error(
      Code::kInvalidArgument, [&] { model.predict(data.features); }, "[120, 3]", "[60, 3]");
  expect_error(Code::kInvalidArgument, [&] { model.evaluate(data.features, data.labels); });
}

TEST(Classifier, GivesNoClassWhereProbabilitiesAreNoNumbers) {
  const Rows data = clouds(60);
  Classifier model(small_network(3), {});
  model.fit(data.features, data.labels, {.epochs = 1});
  Tensor features = data.features.clone();
  for (const size_t row : {0, 1, 4}) {
    features.mutable_data<float>()[2 * row] = std::numeric_limits<float>::quiet_NaN();
  }
  const auto predictions = model.predict(features);
  EXPECT_EQ(predictions[0].index, -1);
  EXPECT_EQ(predictions[0].name, "");
  EXPECT_EQ(predictions[0].probabilities.size(), 3u);
  EXPECT_GE(predictions[2].index, 0);
  const EvaluationReport report = model.evaluate(features, data.labels);
  EXPECT_EQ(report.not_finite, (std::vector<int64_t>{1, 2, 0}));  // labels 0, 1 and 1
  EXPECT_EQ(report.examples, 60);
  int64_t told = 0, right = 0;
  for (size_t i = 0; i < 3; ++i) {
    for (const int64_t count : report.confusion[i]) told += count;
    right += report.confusion[i][i];
  }
  EXPECT_EQ(told, 57);
  EXPECT_DOUBLE_EQ(report["accuracy"], static_cast<double>(right) / 60);
  EXPECT_DOUBLE_EQ(figure(report.baseline, "accuracy"), 1 / 3.0);
}

TEST(Classifier, RefusesANameForTwoClasses) {
  const Rows data = clouds(30);
  Classifier model(small_network(3), {.class_names = {"cat", "dog", "cat"}});
  expect_error(
      Code::kInvalidArgument, [&] { model.fit(data.features, data.labels, {.epochs = 1}); },
      "class_names", "'cat'", "twice");
}

TEST(Classifier, SummarisesAndLoadsNetworksOfIds) {
  TemporaryFolder folder;
  Tensor ids(kInt32, {40, 4}), labels(kInt64, {40});
  for (int64_t i = 0; i < 160; ++i) ids.mutable_data<int32_t>()[static_cast<size_t>(i)] = i % 7;
  for (size_t i = 0; i < 40; ++i) labels.mutable_data<int64_t>()[i] = static_cast<int64_t>(i % 2);
  Classifier model(
      Sequential({Embedding({.vocabulary = 7, .units = 3}), Flatten(), Dense({.units = 2})}),
      {.model_folder = folder / "m"});
  model.fit(ids, labels, {.epochs = 1});
  EXPECT_NE(model.summary().find("embedding (Embedding)"), std::string::npos) << model.summary();
  EXPECT_EQ(Estimator::load(folder / "m")->summary(), model.summary());
}

TEST(Classifier, RefusesEpochsThatNobodyCanCount) {
  const Rows data = clouds(30);
  Classifier model(small_network(3), {.batch_size = std::numeric_limits<int64_t>::max()});
  for (const int64_t epochs : {int64_t{0}, kMostEpochs + 1, std::numeric_limits<int64_t>::max()}) {
    expect_error(
        Code::kInvalidArgument, [&] { model.fit(data.features, data.labels, {.epochs = epochs}); },
        "epochs is", "1 to 1000000000");
  }
}

}  // namespace
}  // namespace thalweg
