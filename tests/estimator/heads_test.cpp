// Expected figures of reports: scikit-learn 1.9.1, of the same numbers.
#include <cmath>
#include <limits>

#include "estimator/head.h"
#include "gtest/gtest.h"
#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using Words = std::vector<std::string>;
using Floats = std::vector<float>;

constexpr double kSingle = 1e-6;

template <class F, class... Text>
void expect_invalid(F&& f, const Text&... words) {
  testing::expect_error(Code::kInvalidArgument, f, words...);
}

template <class T>
Tensor vector_of(const std::vector<T>& values) {
  return Tensor::from(std::span<const T>(values), {static_cast<int64_t>(values.size())});
}
Tensor floats(const Floats& values) { return vector_of(values); }
Tensor matrix(int64_t columns, const Floats& values) {
  return vector_of(values).reshape({static_cast<int64_t>(values.size()) / columns, columns});
}
Tensor places(const std::vector<int64_t>& values) { return vector_of(values); }
Tensor texts(const Words& values) { return vector_of(values); }
Floats values_of(const Tensor& tensor) {
  const auto values = tensor.data<float>();
  return {values.begin(), values.end()};
}
void expect_near(const Tensor& tensor, const Floats& expected, double tolerance = kSingle) {
  const Floats values = values_of(tensor);
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance) << i;
}

LabelSpec classes(Words names) {
  LabelSpec label;
  label.class_names = std::move(names);
  return label;
}
std::unique_ptr<Head> class_head(Words names, HeadSpec spec = heads::classification("y")) {
  return make_head(spec, classes(std::move(names)));
}

// What a head makes of a batch, with and without weights.
struct Outcome {
  double loss;
  Tensor slope;  // of the output
  Tensor predictions;
  std::vector<Figure> metrics;
};
Outcome run(const Head& head, const Tensor& labels, const Tensor& output,
            const Tensor& weights = {}) {
  Graph graph(standard_ops());
  const Output y = placeholder(graph, head.label_dtype(), head.label_shape(kUnknownDim));
  const Output z = placeholder(graph, kFloat32, {kUnknownDim, head.outputs()});
  const Output w = weights.is_valid() ? placeholder(graph, kFloat32, {kUnknownDim}) : Output();
  head.check_output(z);
  const Output loss = head.loss(y, z, w);
  std::vector<Output> fetches = {loss, gradients({loss}, {z})[0], head.predictions(z)};
  const std::vector<Metric> metrics = head.metrics(y, z, w);
  for (const Metric& metric : metrics) {
    fetches.push_back(metric.total);
    fetches.push_back(metric.weight);
  }
  std::vector<Feed> feeds = {{y, labels}, {z, output}};
  if (w) feeds.push_back({w, weights});
  Session session(graph);
  const std::vector<Tensor> results = session.run(feeds, fetches);
  EXPECT_EQ(results[2].shape(), head.prediction_shape(labels.dim(0)));
  EXPECT_EQ(static_cast<int64_t>(head.prediction_names().size()), results[2].dim(1));
  Outcome outcome{results[0].at(0), results[1], results[2], {}};
  for (size_t i = 0; i < metrics.size(); ++i) {
    outcome.metrics.push_back(
        {metrics[i].name, results[3 + 2 * i].at(0) / results[4 + 2 * i].at(0)});
  }
  return outcome;
}

EvaluationReport report_of(const Head& head, const Tensor& labels, const Tensor& predictions,
                           const Tensor& weights = {}, double loss = 0) {
  const auto score = head.make_score();
  score->add(labels, predictions, weights, loss);
  return score->report();
}

std::string reason_of(const EvaluationReport& report, std::string_view name) {
  for (const auto& [undefined, reason] : report.undefined) {
    if (undefined == name) return reason;
  }
  return {};
}

// -log(sigmoid(z)).
double softplus(double z) { return std::log1p(std::exp(-z)); }

TEST(ClassificationHead, HasOneLogitForTwoClasses) {
  const auto head = class_head({"no", "yes"});
  EXPECT_EQ(head->outputs(), 1);
  const Outcome outcome = run(*head, places({1, 0, 0}), matrix(1, {2, -1, 3}));
  EXPECT_NEAR(outcome.loss, (softplus(2) + softplus(1) + softplus(-3)) / 3, kSingle);
  expect_near(outcome.predictions,
              {0.1192029F, 0.8807971F, 0.7310586F, 0.2689414F, 0.0474259F, 0.9525741F});
  EXPECT_NEAR(figure(outcome.metrics, "accuracy"), 2.0 / 3, kSingle);
  expect_invalid(
      [&] {
        Graph graph(standard_ops());
        head->check_output(placeholder(graph, kFloat32, {kUnknownDim, 2}));
      },
      "[?, 1]", "no, yes");
}

TEST(ClassificationHead, KeepsSmallProbabilitiesOfBothClasses) {
  const auto head = class_head({"no", "yes"});
  const Tensor p = run(*head, places({0, 1}), matrix(1, {30, -30})).predictions;
  const Floats values = values_of(p);
  EXPECT_NEAR(values[0] / 9.3576e-14, 1, 1e-3);
  EXPECT_NEAR(values[3] / 9.3576e-14, 1, 1e-3);
}

TEST(ClassificationHead, HasALogitForEachOfMoreClasses) {
  const auto head = class_head({"a", "b", "c"});
  EXPECT_EQ(head->outputs(), 3);
  const Outcome outcome = run(*head, places({0, 2}), matrix(3, {2, 0, 0, 0, 1, 0}));
  const double e = std::exp(1.0);
  EXPECT_NEAR(outcome.loss, (std::log(1 + 2 / (e * e)) + std::log(2 + e)) / 2, kSingle);
  EXPECT_NEAR(figure(outcome.metrics, "accuracy"), 0.5, kSingle);
}

TEST(ClassificationHead, OfAClassifierHasTwoLogits) {
  const auto head = make_head("classifier", classes({"0", "1"}));
  EXPECT_EQ(head->outputs(), 2);
  EXPECT_EQ(head->kind(), "classifier");
  EXPECT_EQ(class_head({"0", "1"})->kind(), "classification");
}

TEST(ClassificationHead, WeighsExamples) {
  const auto head = class_head({"no", "yes"});
  const Outcome outcome = run(*head, places({1, 0, 0}), matrix(1, {2, -1, 3}), floats({1, 3, 0}));
  EXPECT_NEAR(outcome.loss, (softplus(2) + 3 * softplus(1)) / 4, kSingle);
  EXPECT_EQ(figure(outcome.metrics, "accuracy"), 1);
  EXPECT_EQ(values_of(outcome.slope)[2], 0);
}

TEST(Heads, GiveLossAndSlopeZeroForABatchWithoutWeight) {
  const Tensor none = floats({0, 0});
  const auto check = [&](const Head& head, const Tensor& labels, const Tensor& output) {
    const Outcome outcome = run(head, labels, output, none);
    EXPECT_EQ(outcome.loss, 0) << head.kind();
    for (const float slope : values_of(outcome.slope)) EXPECT_EQ(slope, 0) << head.kind();
  };
  check(*class_head({"a", "b"}), places({0, 1}), matrix(1, {1, 2}));
  check(*class_head({"a", "b", "c"}), places({0, 2}), matrix(3, {1, 2, 3, 4, 5, 6}));
  check(*make_head(heads::multi_label({"a", "b"}), {}), matrix(2, {0, 1, 1, 1}),
        matrix(2, {1, 2, 3, 4}));
  check(*make_head(heads::regression({"y"}), {}), floats({1, 2}), matrix(1, {1, 5}));
  check(*make_head(heads::regression({"y", "z"}), {}), matrix(2, {1, 2, 3, 4}),
        matrix(2, {5, 6, 7, 8}));
  check(*make_head(heads::poisson("y"), {}), floats({1, 2}), matrix(1, {1, 2}));
  check(*make_head(heads::quantile("y", {0.5}), {}), floats({1, 2}), matrix(1, {4, 5}));
}

TEST(ClassificationHead, BalancesClassesByTheTrainingRows) {
  HeadSpec spec = heads::classification("y");
  spec.class_weights.balanced = true;
  const auto head = class_head({"a", "b", "c"}, spec);
  const Tensor labels = places({0, 0, 0, 1, 1, 2});
  head->learn_training_labels(labels, {});
  EXPECT_NEAR(head->label().class_weights[0], 2.0 / 3, 1e-12);  // compute_class_weight
  EXPECT_NEAR(head->label().class_weights[1], 1, 1e-12);
  EXPECT_NEAR(head->label().class_weights[2], 2, 1e-12);
  expect_near(head->training_weights(places({2, 0}), {}), {2, 0.6666667F});
  expect_near(head->training_weights(places({2, 0}), floats({0.5, 3})), {1, 2});
  EXPECT_NEAR(head->label().prior[0], 0.5, 1e-12);
  // A copy, and one that is loaded, weigh alike.
  expect_near(head->clone()->training_weights(places({1, 2}), {}), {1, 2});
  expect_near(make_head(spec, head->label())->training_weights(places({1, 2}), {}), {1, 2});
}

TEST(ClassificationHead, TakesTheClassWeightsThatAreGiven) {
  HeadSpec spec = heads::classification("y");
  spec.class_weights.given = {{"b", 5}};
  const auto head = class_head({"a", "b"}, spec);
  head->learn_training_labels(places({0, 1}), {});
  expect_near(head->training_weights(places({0, 1}), {}), {1, 5});  // a class not named: 1
  spec.class_weights.given = {{"d", 5}};
  expect_invalid([&] { class_head({"a", "b"}, spec); }, "'d'", "a, b");
  spec.class_weights.given = {{"a", 0}, {"b", 0}};
  expect_invalid(
      [&] {
        class_head({"a", "b"}, spec)->learn_training_labels(places({0, 1}), {});
      },
      "all 2 training rows are 0");
}

TEST(Heads, RefuseWeightsThatNothingCanBeLearntFrom) {
  const auto check = [](Head& head, const Tensor& labels) {
    expect_invalid([&] { head.learn_training_labels(labels, floats({0, 0})); }, "are 0", "2");
    expect_invalid([&] { head.learn_training_labels(labels, floats({1, -1})); }, "row 2", "-1");
    expect_invalid([&] { head.learn_training_labels(labels, floats({1, NAN})); }, "row 2");
    expect_invalid([&] { head.learn_training_labels(labels, floats({1})); }, "[2]");
  };
  check(*class_head({"a", "b"}), places({0, 1}));
  check(*make_head(heads::multi_label({"a", "b"}), {}), matrix(2, {0, 1, 1, 1}));
  check(*make_head(heads::regression({"y"}), {}), floats({1, 2}));
}

TEST(ClassificationHead, ChoosesThePositiveClass) {
  HeadSpec spec = heads::classification("y");
  spec.positive = "ill";
  const auto head = class_head({"ill", "well"}, spec);
  const Tensor labels = places({0, 0, 1, 1, 1});
  const Tensor p = matrix(2, {.75, .25, .25, .75, .625, .375, .125, .875, 0, 1});
  const EvaluationReport report = report_of(*head, labels, p);
  EXPECT_NEAR(report["precision"], 0.5, 1e-12);
  EXPECT_NEAR(report["recall"], 0.5, 1e-12);
  EXPECT_NEAR(report["auc"], 5.0 / 6, 1e-12);
  EXPECT_NEAR(report["label_mean"], 0.4, 1e-12);
  EXPECT_NEAR(report["prediction_mean"], 1.75 / 5, 1e-12);
  spec.positive = "sick";
  expect_invalid([&] { class_head({"ill", "well"}, spec); }, "'sick'", "ill, well");
  spec.positive = "a";
  expect_invalid([&] { class_head({"a", "b", "c"}, spec); }, "3 classes");
}

const std::vector<int64_t> kTruth = {1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0};
const Floats kSixteenths = {14, 2, 8, 8, 8, 5, 11, 11, 3, 1, 15, 6};
const Floats kWeights = {1, 2, .5, 3, 1, 0, 2, 1.5, 1, .25, 4, 1};

Tensor binary_predictions() {
  Floats values;
  for (const float s : kSixteenths) values.insert(values.end(), {1 - s / 16, s / 16});
  return matrix(2, values);
}

TEST(ClassReport, OfTwoClassesIsScikitLearns) {
  const auto head = class_head({"no", "yes"});
  const EvaluationReport r = report_of(*head, places(kTruth), binary_predictions(), {}, 0.25);
  EXPECT_EQ(r["loss"], 0.25);
  EXPECT_NEAR(r["accuracy"], 0.6666666666666666, 1e-12);
  EXPECT_NEAR(r["auc"], 0.7916666666666667, 1e-12);
  EXPECT_NEAR(r["pr_auc"], 0.7964285714285714, 1e-12);
  EXPECT_NEAR(r["log_loss"], 0.5443415641784668, kSingle);
  EXPECT_NEAR(r["brier"], 0.1881510466337204, kSingle);
  EXPECT_NEAR(r["precision"], 0.75, 1e-12);
  EXPECT_NEAR(r["recall"], 0.5, 1e-12);
  EXPECT_NEAR(r["f1"], 0.6, 1e-12);
  EXPECT_NEAR(r["macro_f1"], 0.6571428571428571, 1e-12);
  EXPECT_NEAR(r["weighted_precision"], 0.6875, 1e-12);
  EXPECT_NEAR(r["calibration_error"], 0.20833333333333334, 1e-12);
  EXPECT_EQ(r["label_mean"], 0.5);
  EXPECT_EQ(r.confusion, (std::vector<std::vector<int64_t>>{{5, 1}, {3, 3}}));
  EXPECT_TRUE(r.weighted_confusion.empty());
  EXPECT_EQ(r.examples, 12);
  EXPECT_EQ(r.weight, 12);
  EXPECT_EQ(r.roc.size(), 10u);
  EXPECT_FALSE(r.precision_recall.empty());
  EXPECT_EQ(r.calibration.size(), 10u);
  EXPECT_TRUE(r.undefined.empty());
}

TEST(ClassReport, WeighsExamplesOverSeveralBatches) {
  const auto head = class_head({"no", "yes"});
  const auto score = head->make_score();
  const Tensor labels = places(kTruth), p = binary_predictions(), w = floats(kWeights);
  score->add(labels.rows(0, 5), p.rows(0, 5), w.rows(0, 5), 1);
  score->add(labels.rows(5, 12), p.rows(5, 12), w.rows(5, 12), 3);
  const EvaluationReport r = score->report();
  EXPECT_NEAR(r["loss"], (7.5 * 1 + 9.75 * 3) / 17.25, 1e-12);
  EXPECT_NEAR(r["accuracy"], 0.6521739130434783, 1e-12);
  EXPECT_NEAR(r["auc"], 0.8185255198487713, 1e-12);
  EXPECT_NEAR(r["pr_auc"], 0.8904911797494917, 1e-12);
  EXPECT_NEAR(r["log_loss"], 0.4888196289539337, kSingle);
  EXPECT_NEAR(r["brier"], 0.1677422970533371, kSingle);
  EXPECT_NEAR(r["precision"], 0.8235294117647058, 1e-12);
  EXPECT_NEAR(r["recall"], 0.6086956521739131, 1e-12);
  EXPECT_NEAR(r["macro_f1"], 0.643103448275862, 1e-12);
  EXPECT_NEAR(r["weighted_f1"], 0.6620689655172414, 1e-12);
  EXPECT_EQ(r.weight, 17.25);
  EXPECT_EQ(r.confusion, (std::vector<std::vector<int64_t>>{{5, 1}, {3, 3}}));
  EXPECT_EQ(r.weighted_confusion, (std::vector<std::vector<double>>{{4.25, 1.5}, {4.5, 7}}));
}

TEST(ClassReport, OfThreeClassesIsScikitLearns) {
  const auto head = class_head({"a", "b", "c"});
  Floats p = {8,  4, 4, 4, 8, 4, 2, 2,  12, 6, 8, 2,  8, 6, 2,
              10, 4, 2, 4, 4, 8, 2, 12, 2,  4, 2, 10, 1, 5, 10};
  for (float& value : p) value /= 16;
  const EvaluationReport r = report_of(*head, places({0, 1, 2, 2, 1, 0, 2, 1, 0, 2}), matrix(3, p),
                                       floats({1, .5, 2, 1, 3, 1, 0, .25, 2, 1}));
  EXPECT_NEAR(r["accuracy"], 0.48936170212765956, 1e-12);
  EXPECT_NEAR(r["auc"], 0.7851254480286737, 1e-12);
  EXPECT_NEAR(r["pr_auc"], 0.6919296572679091, 1e-12);
  EXPECT_NEAR(r["log_loss"], 0.8869388103485107, kSingle);
  EXPECT_NEAR(r["brier"], 0.5359042286872864, kSingle);
  EXPECT_NEAR(r["macro_recall"], 0.48333333333333334, 1e-12);
  EXPECT_NEAR(r.classes[1].precision, 0.42857142857142855, 1e-12);
  EXPECT_EQ(r.classes[2].name, "c");
  EXPECT_TRUE(r.roc.empty());
  EXPECT_TRUE(std::isnan(r["precision"]));  // there is none of that name
}

TEST(ClassReport, SaysWhyOneClassCannotBeRanked) {
  const auto head = class_head({"no", "yes"});
  const EvaluationReport r =
      report_of(*head, places({0, 0, 0}), matrix(2, {.75, .25, .5, .5, .25, .75}));
  EXPECT_TRUE(std::isnan(r["auc"]));
  EXPECT_NE(reason_of(r, "auc").find("'no'"), std::string::npos) << reason_of(r, "auc");
  EXPECT_FALSE(reason_of(r, "pr_auc").empty());
  EXPECT_FALSE(reason_of(r, "recall").empty());
  EXPECT_NEAR(r["accuracy"], 2.0 / 3, 1e-12);
  EXPECT_NEAR(r["log_loss"], -(std::log(.75) + std::log(.5) + std::log(.25)) / 3, kSingle);
  const auto three = class_head({"a", "b", "c"});
  const EvaluationReport two_of_three =
      report_of(*three, places({0, 1}), matrix(3, {.5, .25, .25, .25, .5, .25}));
  EXPECT_EQ(two_of_three["auc"], 1);  // over the classes that occur
}

TEST(ClassReport, CountsPredictionsThatAreNoNumbersAsWrong) {
  const auto head = class_head({"no", "yes"});
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const EvaluationReport r =
      report_of(*head, places({0, 1, 1}), matrix(2, {.75, .25, nan, nan, .25, .75}));
  EXPECT_NEAR(r["accuracy"], 2.0 / 3, 1e-12);
  EXPECT_EQ(r.not_finite, (std::vector<int64_t>{0, 1}));
  EXPECT_NEAR(r["recall"], 0.5, 1e-12);
  for (const char* name : {"auc", "log_loss", "brier", "calibration_error"}) {
    EXPECT_TRUE(std::isnan(r[name])) << name;
    EXPECT_NE(reason_of(r, name).find("no numbers"), std::string::npos) << name;
  }
}

TEST(ClassReport, IsUndefinedWhenAllWeightsAreZero) {
  const auto head = class_head({"no", "yes"});
  const EvaluationReport r =
      report_of(*head, places({0, 1}), matrix(2, {.75, .25, .25, .75}), floats({0, 0}));
  EXPECT_EQ(r.examples, 2);
  EXPECT_TRUE(std::isnan(r["accuracy"]));
  EXPECT_NE(reason_of(r, "accuracy").find("weights"), std::string::npos);
}

TEST(ClassReport, HasABaselineOfTheSharesInTraining) {
  const auto head = class_head({"no", "yes"});
  head->learn_training_labels(places({0, 0, 0, 1}), {});
  const EvaluationReport r =
      report_of(*head, places({0, 1, 1, 1}), matrix(2, {1, 0, 0, 1, 0, 1, 0, 1}));
  EXPECT_NEAR(figure(r.baseline, "accuracy"), 0.25, 1e-12);
  EXPECT_EQ(figure(r.baseline, "auc"), 0.5);
  EXPECT_EQ(figure(r.baseline, "pr_auc"), 0.75);
  EXPECT_NEAR(figure(r.baseline, "log_loss"), -(std::log(.75) + 3 * std::log(.25)) / 4, kSingle);
  EXPECT_NEAR(figure(r.baseline, "brier"), (.0625 + 3 * .5625) / 4, 1e-12);
  const auto figures = head->baseline(places({0, 1, 1, 1}), {});
  EXPECT_NEAR(figure(figures, "log_loss"), figure(r.baseline, "log_loss"), 1e-12);
}

TEST(ClassReport, LeavesTheConfusionOfManyClassesOut) {
  Words names;
  for (int i = 0; i < 2000; ++i) names.push_back(str(i));
  const auto head = class_head(names);
  Floats p(4000, 0);
  p[7] = 1, p[2000 + 9] = 1;
  const EvaluationReport r = report_of(*head, places({7, 8}), matrix(2000, p));
  EXPECT_EQ(r["accuracy"], 0.5);
  EXPECT_TRUE(r.confusion.empty());
  EXPECT_EQ(r.classes.size(), 2000u);
}

TEST(MultiLabelHead, LearnsEachLabelForItself) {
  const auto head = make_head(heads::multi_label({"a", "b"}), {});
  const Outcome outcome = run(*head, matrix(2, {1, 0, 0, 1}), matrix(2, {1, 2, -3, 0}));
  EXPECT_NEAR(outcome.loss, (softplus(1) + softplus(-2) + softplus(3) + softplus(0)) / 4, kSingle);
  expect_near(outcome.predictions, {0.7310586F, 0.8807971F, 0.0474259F, 0.5F});
  expect_invalid([&] { head->learn_labels(matrix(2, {0, 2})); }, "'b'", "row 1", "2");
}

TEST(MultiLabelHead, ReportsAsScikitLearn) {
  const auto head = make_head(heads::multi_label({"a", "b", "c"}), {});
  const Tensor labels = matrix(3, {1, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 0, 0});
  Floats p = {12, 4, 10, 4, 6, 6, 6, 10, 4, 10, 14, 12, 14, 2, 6};
  for (float& value : p) value /= 16;
  head->learn_labels(labels);
  head->learn_training_labels(labels, {});
  EXPECT_EQ(head->label().class_counts, (std::vector<int64_t>{3, 2, 3}));
  const EvaluationReport r = report_of(*head, labels, matrix(3, p));
  EXPECT_NEAR(r["accuracy"], 0.4, 1e-12);
  EXPECT_NEAR(r["label_accuracy"], 0.8, 1e-12);
  EXPECT_NEAR(r["auc"], 0.9166666666666666, 1e-12);
  EXPECT_NEAR(r["pr_auc"], 0.9444444444444443, 1e-12);
  EXPECT_NEAR(r["log_loss"], 0.44410043954849243, kSingle);
  EXPECT_NEAR(r["micro_precision"], 0.8571428571428571, 1e-12);
  EXPECT_NEAR(r["micro_recall"], 0.75, 1e-12);
  EXPECT_NEAR(r["micro_f1"], 0.8, 1e-12);
  EXPECT_NEAR(r["macro_precision"], 0.8888888888888888, 1e-12);
  EXPECT_NEAR(r["macro_recall"], 0.7777777777777777, 1e-12);
  EXPECT_NEAR(r["macro_f1"], 0.8222222222222223, 1e-12);
  EXPECT_NEAR(figure(r.baseline, "label_accuracy"), 0.6, 1e-12);
}

TEST(MultiLabelHead, SaysWhatIsUndefinedWithoutASign) {
  const auto head = make_head(heads::multi_label({"a", "b"}), {});
  const Tensor labels = matrix(2, {0, 1, 0, 1});
  head->learn_labels(labels);
  head->learn_training_labels(labels, {});
  const EvaluationReport r = report_of(*head, labels, matrix(2, {0.1f, 0.2f, 0.3f, 0.4f}));
  EXPECT_TRUE(std::isnan(r["micro_precision"]));
  EXPECT_FALSE(std::signbit(r["micro_precision"]));
}

TEST(RegressionHead, StandardisesEachOutput) {
  LabelSpec label;
  label.standardized = true;
  const auto head = make_head(heads::regression({"y", "z"}), label);
  const Tensor labels = matrix(2, {1, 100, 3, 300});
  head->learn_labels(labels);
  head->learn_training_labels(labels, {});
  EXPECT_EQ(head->label().mean, (std::vector<double>{2, 200}));
  EXPECT_EQ(head->label().deviation, (std::vector<double>{1, 100}));
  const Outcome outcome = run(*head, labels, matrix(2, {-1, -1, 0, 1.5}));
  EXPECT_NEAR(outcome.loss, (0 + 0 + 1 + .25) / 4, kSingle);
  expect_near(outcome.predictions, {1, 100, 2, 350});
  EXPECT_NEAR(figure(outcome.metrics, "mse"), (1 + 2500) / 4.0, 1e-3);
  EXPECT_EQ(head->prediction_names(), (Words{"prediction_y", "prediction_z"}));
  head->learn_training_labels(labels, floats({3, 1}));
  EXPECT_EQ(head->label().mean, (std::vector<double>{1.5, 150}));
}

TEST(RegressionHead, ReportsAsScikitLearn) {
  const auto head = make_head(heads::regression({"y", "z"}), {});
  const Tensor labels = matrix(2, {3, 1, -.5, 2, 2, 0, 7, 4});
  const Tensor values = matrix(2, {2.5, 1.5, 0, 2, 2, -1, 8, 4});
  head->learn_training_labels(labels, {});
  const EvaluationReport r = report_of(*head, labels, values);
  EXPECT_NEAR(r["mae"], 0.4375, 1e-12);
  EXPECT_NEAR(r["mse"], 0.34375, 1e-12);
  EXPECT_NEAR(r["rmse"], 0.585694715035371, 1e-12);
  EXPECT_NEAR(r["r2"], 0.9028754970939126, 1e-12);
  EXPECT_NEAR(r["r2/y"], 0.9486081370449678, 1e-8);
  EXPECT_NEAR(r["r2/z"], 0.8571428571428571, 1e-12);
  EXPECT_NEAR(r["median_absolute_error"], 0.375, 1e-12);
  EXPECT_NE(reason_of(r, "mape").find("1 label is 0"), std::string::npos);
  EXPECT_NEAR(figure(r.baseline, "r2"), 0, 1e-12);
  const EvaluationReport w = report_of(*head, labels, values, floats({1, 2, .5, 1}));
  EXPECT_NEAR(w["mae"], 0.3888888888888889, 1e-12);
  EXPECT_NEAR(w["rmse"], 0.5159289274630933, 1e-12);
  EXPECT_NEAR(w["r2"], 0.9235693551731288, 1e-12);
  EXPECT_NEAR(w["median_absolute_error"], 0.25, 1e-12);
}

TEST(RegressionHead, SaysWhatIsUndefined) {
  const auto head = make_head(heads::regression({"y"}), {});
  const EvaluationReport equal = report_of(*head, floats({2, 2}), matrix(1, {1, 2}));
  EXPECT_TRUE(std::isnan(equal["r2"]));
  EXPECT_EQ(reason_of(equal, "r2"), "all labels are equal");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const EvaluationReport bad = report_of(*head, floats({1, 2}), matrix(1, {1, nan}));
  EXPECT_NE(reason_of(bad, "mse").find("no numbers"), std::string::npos);
  EXPECT_TRUE(std::isnan(bad["median_absolute_error"]));
}

TEST(RegressionHead, OfARegressorTakesVectors) {
  const auto head = make_head("regressor", {});
  Graph graph(standard_ops());
  head->check_output(placeholder(graph, kFloat32, {kUnknownDim}));
  EXPECT_EQ(head->prediction_shape(3), Shape{3});
  EXPECT_EQ(make_head(heads::regression({"y"}), {})->prediction_shape(3), (Shape{3, 1}));
}

TEST(PoissonHead, LearnsTheLogarithmOfTheMean) {
  const auto head = make_head(heads::poisson("n"), {});
  const double log2 = std::log(2.0);
  const Outcome outcome =
      run(*head, floats({0, 2, 3}), matrix(1, {0, static_cast<float>(log2), 1}));
  const double third = std::exp(1.0) - 3 + 3 * std::log(3.0) - 3;
  EXPECT_NEAR(outcome.loss, (1 + 0 + third) / 3, kSingle);
  expect_near(outcome.predictions, {1, 2, 2.7182818F});
  expect_near(outcome.slope, {1.0F / 3, 0, (2.7182818F - 3) / 3});
  expect_invalid([&] { head->learn_labels(floats({1, -1})); }, "row 2", "-1");
}

TEST(PoissonHead, ReportsTheDevianceOfScikitLearn) {
  const auto head = make_head(heads::poisson("n"), {});
  const Tensor labels = floats({0, 1, 3, 2, 0, 5}), means = matrix(1, {.5, 1, 2, 2.5, .25, 4});
  head->learn_training_labels(labels, {});
  EXPECT_NEAR(report_of(*head, labels, means)["deviance"], 0.3786086594223741, 1e-12);
  EXPECT_NEAR(report_of(*head, labels, means, floats({1, 2, .5, 1, .25, 3}))["deviance"],
              0.2765326010959929, 1e-12);
  EXPECT_GT(figure(report_of(*head, labels, means).baseline, "deviance"), 1);
}

TEST(QuantileHead, SortsWhatCrosses) {
  LabelSpec label;
  label.standardized = true;
  const auto head = make_head(heads::quantile("y", {0.9, 0.1, 0.5}), label);
  EXPECT_EQ(head->prediction_names(), (Words{"q0.1", "q0.5", "q0.9"}));
  const Tensor labels = floats({1, 2, 3, 4, 5});
  head->learn_training_labels(labels, {});
  EXPECT_EQ(head->label().prior, (std::vector<double>{1, 3, 5}));
  const auto deviation = static_cast<float>(head->label().deviation[0]);
  const Outcome outcome = run(*head, floats({3}), matrix(3, {1, -1, 0}));
  expect_near(outcome.predictions, {3 - deviation, 3, 3 + deviation});
  // The loss is of the outputs as they are: 0.9 of 1 above the lowest, half of 1, 0.9 of 0.
  EXPECT_NEAR(outcome.loss, (0.9 + 0.5 + 0) / 3, kSingle);
}

TEST(QuantileHead, ReportsPinballLossAndCoverage) {
  const auto head = make_head(heads::quantile("y", {0.1, 0.5, 0.9}), {});
  const Tensor labels = floats({3, -.5, 2, 7, 10, 4.25});
  head->learn_training_labels(labels, {});
  Floats values;
  for (const float v : {2.5F, 0.0F, 2.0F, 8.0F, 7.0F, 4.5F}) values.insert(values.end(), 3, v);
  const EvaluationReport r = report_of(*head, labels, matrix(3, values));
  EXPECT_NEAR(r["pinball/q0.1"], 0.32083333333333336, 1e-12);
  EXPECT_NEAR(r["pinball/q0.5"], 0.4375, 1e-12);
  EXPECT_NEAR(r["pinball/q0.9"], 0.5541666666666667, 1e-12);
  EXPECT_NEAR(r["coverage/q0.5"], 4.0 / 6, 1e-12);
  EXPECT_NEAR(r["mae"], 0.875, 1e-12);
  EXPECT_GT(figure(r.baseline, "pinball"), 0);
}

HeadSpec two_heads() {
  HeadSpec kind = heads::classification("kind");
  kind.class_weights.given = {{"b", 3}};
  return heads::multi({{.name = "kind", .head = kind, .weight = 2},
                       {.name = "size", .head = heads::regression({"size"}), .weight = 0.5}});
}
LabelSpec two_labels() {
  LabelSpec label;
  label.parts = {classes({"a", "b"}), {}};
  return label;
}

TEST(MultiHead, AddsWeightedLosses) {
  const auto head = make_head(two_heads(), two_labels());
  EXPECT_EQ(head->outputs(), 2);
  const Tensor labels = matrix(2, {0, 5, 1, 7});
  head->learn_labels(labels);
  head->learn_training_labels(labels, {});
  const Outcome outcome = run(*head, labels, matrix(2, {-1, 5, 2, 6}));
  const double kind = (softplus(1) + 3 * softplus(2)) / 4;
  EXPECT_NEAR(outcome.loss, 2 * kind + 0.5 * 0.5, kSingle);
  expect_near(outcome.predictions, {0.7310586F, 0.2689414F, 5, 0.1192029F, 0.8807971F, 6});
  EXPECT_EQ(figure(outcome.metrics, "accuracy/kind"), 1);
  EXPECT_NEAR(figure(outcome.metrics, "mae/size"), 0.5, kSingle);
  EXPECT_EQ(head->prediction_names(), (Words{"kind/a", "kind/b", "size/prediction"}));
  EXPECT_EQ(head->clone()->label().parts[0].class_weights, (std::vector<double>{1, 3}));
  const Outcome weighted = run(*head, labels, matrix(2, {-1, 5, 2, 6}), floats({1, 0}));
  EXPECT_NEAR(weighted.loss, 2 * softplus(1), kSingle);
}

TEST(MultiHead, ReportsEachHead) {
  const auto head = make_head(two_heads(), two_labels());
  const Tensor labels = matrix(2, {0, 5, 1, 7});
  head->learn_training_labels(labels, {});
  const EvaluationReport r = report_of(*head, labels, matrix(3, {.75, .25, 5, .5, .5, 6}), {}, 1.5);
  EXPECT_EQ(r["loss"], 1.5);
  EXPECT_EQ(r["accuracy/kind"], 0.5);
  EXPECT_EQ(r["auc/kind"], 1);
  EXPECT_EQ(r["mae/size"], 0.5);
  EXPECT_EQ(figure(r.baseline, "mae/size"), 1);
  EXPECT_EQ(figure(r.baseline, "accuracy/kind"), 0.5);
  ASSERT_EQ(r.parts.size(), 2u);
  EXPECT_EQ(r.parts[0].head, "kind");
  EXPECT_EQ(r.parts[0].confusion, (std::vector<std::vector<int64_t>>{{1, 0}, {1, 0}}));
  EXPECT_EQ(r.examples, 2);
  EXPECT_EQ(head->baseline(labels, {}).size(), r.baseline.size());
  expect_invalid([&] { head->learn_labels(matrix(2, {0, INFINITY})); }, "head 'size'", "row 1");
}

TEST(ClassificationHead, LearnsClassesFromTextsToo) {
  const auto head = make_head(heads::classification("y"), LabelSpec());
  head->learn_labels(texts({"dog", "cat", "dog"}));
  EXPECT_EQ(head->label().class_names, (Words{"cat", "dog"}));
  EXPECT_EQ(head->label().class_counts, (std::vector<int64_t>{1, 2}));
  const Tensor encoded = head->encode(texts({"cat", "dog"}));
  EXPECT_EQ(encoded.data<int64_t>()[1], 1);
  expect_invalid([&] { head->encode(texts({"cow"})); }, "'cow'", "cat, dog");
}

}  // namespace
}  // namespace thalweg
