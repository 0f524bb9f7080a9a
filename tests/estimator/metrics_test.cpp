// Expected values: scikit-learn 1.9.1 with numpy 2.4.6, of the same numbers.
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "estimator/metrics/calibration.h"
#include "estimator/metrics/class_metrics.h"
#include "estimator/metrics/macro_ranking.h"
#include "estimator/metrics/ranking.h"
#include "estimator/metrics/value_metrics.h"
#include "gtest/gtest.h"

namespace thalweg {
namespace {

constexpr double kExact = 1e-12;  // of sums in float64
constexpr double kSingle = 2e-7;  // of logarithms and squares that scikit-learn has in float32

std::vector<float> sixteenths(std::initializer_list<int> numbers) {
  std::vector<float> result;
  for (const int n : numbers) result.push_back(static_cast<float>(n) / 16);
  return result;
}

// Scores with ties within and between the classes.
const std::vector<uint8_t> kTruth = {1, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0};
const std::vector<float> kScores = sixteenths({14, 2, 8, 8, 8, 5, 11, 11, 3, 1, 15, 6});
const std::vector<float> kWeights = {1, 2, .5, 3, 1, 0, 2, 1.5, 1, .25, 4, 1};

// [rows, 2] and [rows].
std::vector<float> both(const std::vector<float>& scores) {
  std::vector<float> result;
  for (const float score : scores) result.insert(result.end(), {1 - score, score});
  return result;
}
std::vector<int64_t> classes_of(const std::vector<uint8_t>& truth) {
  return {truth.begin(), truth.end()};
}

const std::vector<int64_t> kThreeLabels = {0, 1, 2, 2, 1, 0, 2, 1, 0, 2};
const std::vector<float> kThree = sixteenths({8,  4, 4, 4, 8, 4, 2, 2,  12, 6, 8, 2,  8, 6, 2,
                                              10, 4, 2, 4, 4, 8, 2, 12, 2,  4, 2, 10, 1, 5, 10});
const std::vector<float> kThreeWeights = {1, .5, 2, 1, 3, 1, 0, .25, 2, 1};

ClassCounts counts_of(const std::vector<int64_t>& labels, const std::vector<int64_t>& predictions,
                      size_t classes, const std::vector<float>& weights = {}) {
  ClassCounts counts(classes);
  for (size_t i = 0; i < labels.size(); ++i) {
    counts.add(static_cast<size_t>(labels[i]), static_cast<size_t>(predictions[i]),
               weights.empty() ? 1 : weights[i]);
  }
  return counts;
}
const std::vector<int64_t> kThreePredictions = {0, 1, 2, 1, 0, 0, 2, 1, 2, 2};

TEST(Ranking, CountsTiesByTheirShareInTheArea) {
  EXPECT_NEAR(Ranking(kScores, kTruth).roc_auc(), 0.7916666666666667, kExact);
  EXPECT_NEAR(Ranking(kScores, kTruth, kWeights).roc_auc(), 0.8185255198487713, kExact);
}

TEST(Ranking, SumsPrecisionOverDifferentScores) {
  EXPECT_NEAR(Ranking(kScores, kTruth).average_precision(), 0.7964285714285714, kExact);
  EXPECT_NEAR(Ranking(kScores, kTruth, kWeights).average_precision(), 0.8904911797494917, kExact);
}

TEST(Ranking, DrawsTheCurveOfScikitLearn) {
  const std::vector<CurvePoint> roc = Ranking(kScores, kTruth).roc();
  const std::vector<double> x = {0, 0, 0, 1. / 6, 1. / 3, .5, 2. / 3, 2. / 3, 5. / 6, 1};
  const std::vector<double> y = {0, 1. / 6, 1. / 3, .5, 5. / 6, 5. / 6, 5. / 6, 1, 1, 1};
  const std::vector<double> threshold = {0,    .9375, .875,  .6875, .5,
                                         .375, .3125, .1875, .125,  .0625};
  ASSERT_EQ(roc.size(), x.size());
  EXPECT_TRUE(std::isinf(roc[0].threshold));
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(roc[i].x, x[i], kExact);
    EXPECT_NEAR(roc[i].y, y[i], kExact);
    if (i > 0) {
      EXPECT_EQ(roc[i].threshold, threshold[i]);
    }
  }
  const std::vector<CurvePoint> pr = Ranking(kScores, kTruth).precision_recall();
  EXPECT_NEAR(pr.front().y, 1, kExact);
  EXPECT_EQ(pr.back().x, 1);
  EXPECT_NEAR(pr.back().y, 0.6, kExact);  // 6 of the 10 scores of at least 3/16
}

TEST(Ranking, KeepsCurvesShort) {
  std::vector<float> scores;
  std::vector<uint8_t> truth;
  for (int i = 0; i < 10000; ++i) {
    scores.push_back(static_cast<float>(i) / 10000);
    truth.push_back(i * 7919 % 13 < 5 + i / 2000 ? 1 : 0);
  }
  const Ranking ranking(scores, truth);
  EXPECT_LE(ranking.roc().size(), 103u);
  EXPECT_GT(ranking.roc().size(), 80u);
  EXPECT_EQ(ranking.roc().back().x, 1);
  EXPECT_EQ(ranking.roc().back().y, 1);
  EXPECT_LE(ranking.precision_recall().size(), 103u);
}

TEST(Ranking, IsUndefinedForOneClass) {
  const std::vector<uint8_t> all(12, 1);
  EXPECT_FALSE(Ranking(kScores, all).is_defined());
  EXPECT_TRUE(std::isnan(Ranking(kScores, all).roc_auc()));
  EXPECT_TRUE(std::isnan(Ranking(kScores, all).average_precision()));
  EXPECT_TRUE(Ranking(kScores, all).roc().empty());
  EXPECT_TRUE(std::isnan(Ranking({}, {}).roc_auc()));
  // The only negative weighs nothing.
  const std::vector<float> scores = {.1F, .2F}, weights = {0, 1};
  const std::vector<uint8_t> truth = {0, 1};
  EXPECT_FALSE(Ranking(scores, truth, weights).is_defined());
}

TEST(MacroRanking, AveragesEachClassAgainstTheOthers) {
  const auto is_positive = [](size_t row, size_t c) {
    return kThreeLabels[row] == static_cast<int64_t>(c);
  };
  const MacroRanking plain = macro_ranking(kThree, 3, {}, is_positive);
  EXPECT_EQ(plain.classes, 3);
  EXPECT_NEAR(plain.roc_auc, 0.8373015873015873, kExact);
  EXPECT_NEAR(plain.average_precision, 0.7360449735449736, kExact);
  const MacroRanking weighted = macro_ranking(kThree, 3, kThreeWeights, is_positive);
  EXPECT_NEAR(weighted.roc_auc, 0.7851254480286737, kExact);
  EXPECT_NEAR(weighted.average_precision, 0.6919296572679091, kExact);
}

TEST(LogLoss, IsScikitLearns) {
  EXPECT_NEAR(log_loss(both(kScores), 2, classes_of(kTruth)), 0.5443415641784668, kSingle);
  EXPECT_NEAR(log_loss(both(kScores), 2, classes_of(kTruth), kWeights), 0.4888196289539337,
              kSingle);
  EXPECT_NEAR(log_loss(kThree, 3, kThreeLabels), 0.8041378259658813, kSingle);
  EXPECT_NEAR(log_loss(kThree, 3, kThreeLabels, kThreeWeights), 0.8869388103485107, kSingle);
}

TEST(LogLoss, StaysFiniteForASureMistake) {
  const std::vector<float> sure = {0, 1, 0, 1};
  const std::vector<int64_t> labels = {0, 1};
  EXPECT_NEAR(log_loss(sure, 2, labels), 7.971192359924316, 1e-6);
}

TEST(BrierScore, IsScikitLearns) {
  EXPECT_NEAR(brier_score(both(kScores), 2, classes_of(kTruth)), 0.1881510466337204, kSingle);
  EXPECT_NEAR(brier_score(both(kScores), 2, classes_of(kTruth), kWeights), 0.1677422970533371,
              kSingle);
  EXPECT_NEAR(brier_score(kThree, 3, kThreeLabels), 0.4554687440395355, kSingle);
  EXPECT_NEAR(brier_score(kThree, 3, kThreeLabels, kThreeWeights), 0.5359042286872864, kSingle);
}

TEST(ClassFigures, AreScikitLearns) {
  const std::vector<std::string> names = {"a", "b", "c"};
  const auto classes =
      class_figures(counts_of(kThreeLabels, kThreePredictions, 3, kThreeWeights), names);
  const std::array<double, 3> precision = {0.4, 0.42857142857142855, 0.6};
  const std::array<double, 3> recall = {0.5, 0.2, 0.75};
  const std::array<double, 3> f1 = {0.4444444444444444, 0.2727272727272727, 0.6666666666666666};
  for (size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(classes[k].name, names[k]);
    EXPECT_NEAR(classes[k].precision, precision[k], kExact);
    EXPECT_NEAR(classes[k].recall, recall[k], kExact);
    EXPECT_NEAR(classes[k].f1, f1[k], kExact);
  }
  EXPECT_EQ(classes[1].support, 3.75);
  const ClassAverages macro = macro_average(classes);
  EXPECT_NEAR(macro.precision, 0.4761904761904761, kExact);
  EXPECT_NEAR(macro.recall, 0.48333333333333334, kExact);
  EXPECT_NEAR(macro.f1, 0.46127946127946123, kExact);
  const ClassAverages weighted = weighted_average(classes);
  EXPECT_NEAR(weighted.precision, 0.4772036474164134, kExact);
  EXPECT_NEAR(weighted.recall, 0.48936170212765956, kExact);
  EXPECT_NEAR(weighted.f1, 0.46529120997206097, kExact);
}

TEST(ClassFigures, SayWhereTheyAreUndefined) {
  // The third class is never predicted; the fourth neither occurs nor is predicted.
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  const auto classes = class_figures(counts_of({0, 0, 1, 1, 2}, {0, 1, 1, 1, 0}, 4), names);
  EXPECT_TRUE(std::isnan(classes[2].precision));
  EXPECT_EQ(classes[2].recall, 0);
  EXPECT_EQ(classes[2].f1, 0);
  EXPECT_TRUE(std::isnan(classes[3].recall));
  EXPECT_TRUE(std::isnan(classes[3].f1));
  const ClassAverages macro = macro_average(classes);  // zero_division=0
  EXPECT_NEAR(macro.precision, 0.38888888888888884, kExact);
  EXPECT_NEAR(macro.recall, 0.5, kExact);
  EXPECT_NEAR(macro.f1, 0.43333333333333335, kExact);
  EXPECT_NEAR(weighted_average(classes).f1, 0.52, kExact);
  EXPECT_TRUE(std::isnan(macro_average({}).f1));
}

TEST(Calibration, BinsAsScikitLearn) {
  Calibration calibration;
  for (size_t i = 0; i < kScores.size(); ++i) calibration.add(kScores[i], kTruth[i] != 0, 1);
  const auto bins = calibration.bins();
  ASSERT_EQ(bins.size(), 10u);
  const std::vector<double> frequency = {0, .5, 0, 2. / 3, .5, 1, 1};
  const std::vector<double> probability = {.0625, .15625, .34375, .5, .6875, .875, .9375};
  size_t filled = 0;
  for (const CalibrationBin& bin : bins) {
    if (bin.weight == 0) {
      EXPECT_TRUE(std::isnan(bin.frequency));
      continue;
    }
    ASSERT_LT(filled, frequency.size());
    EXPECT_NEAR(bin.frequency, frequency[filled], kExact);
    EXPECT_NEAR(bin.probability, probability[filled], kExact);
    ++filled;
  }
  EXPECT_EQ(filled, frequency.size());
  EXPECT_NEAR(calibration_error(bins), 0.20833333333333334, kExact);
  EXPECT_TRUE(std::isnan(calibration_error(Calibration().bins())));
}

TEST(Calibration, PutsFloatsOnAnEdgeIntoTheLowerBin) {
  Calibration calibration;
  for (int i = 1; i <= 10; ++i) calibration.add(static_cast<float>(i) / 10, true, i);
  const auto bins = calibration.bins();
  for (size_t i = 0; i < 10; ++i) EXPECT_EQ(bins[i].weight, static_cast<double>(i + 1)) << i;
}

const std::vector<float> kLabels = {3, -.5, 2, 7, 10, 4.25};
const std::vector<float> kValues = {2.5, 0, 2, 8, 7, 4.5};
const std::vector<float> kValueWeights = {1, 2, .5, 1, .25, 3};

ErrorSums sums_of(const std::vector<float>& weights = {}) {
  ErrorSums sums;
  for (size_t i = 0; i < kLabels.size(); ++i) {
    sums.add(kLabels[i], kValues[i], weights.empty() ? 1 : weights[i]);
  }
  return sums;
}

TEST(ErrorSums, AreScikitLearns) {
  const ErrorSums plain = sums_of();
  EXPECT_NEAR(plain.mae(), 0.875, kExact);
  EXPECT_NEAR(plain.mse(), 1.7604166666666667, kExact);
  EXPECT_NEAR(plain.rmse(), 1.3268069440075547, kExact);
  EXPECT_NEAR(plain.r2(), 0.8486793015967766, kExact);
  EXPECT_NEAR(plain.mape(), 0.2780578898225957, kExact);
  EXPECT_NEAR(plain.label_mean(), 25.75 / 6, kExact);
  EXPECT_NEAR(plain.prediction_mean(), 4, kExact);
  const ErrorSums weighted = sums_of(kValueWeights);
  EXPECT_NEAR(weighted.mae(), 0.5161290322580645, kExact);
  EXPECT_NEAR(weighted.mse(), 0.5403225806451613, kExact);
  EXPECT_NEAR(weighted.r2(), 0.9270741898107511, kExact);
  EXPECT_NEAR(weighted.mape(), 0.3304508900334327, kExact);
}

TEST(ErrorSums, AreUndefinedWhereTheyHaveNoMeaning) {
  ErrorSums equal;
  for (int i = 0; i < 10; ++i) equal.add(0.1, i, 1);
  EXPECT_TRUE(std::isnan(equal.r2()));
  ErrorSums zero;
  zero.add(0, 1, 1);
  zero.add(1, 1, 1);
  EXPECT_TRUE(std::isnan(zero.mape()));
  EXPECT_EQ(zero.zero_labels(), 1);
  ErrorSums left_out;
  left_out.add(0, 1, 0);
  left_out.add(2, 1, 1);
  EXPECT_EQ(left_out.mape(), 0.5);
  EXPECT_TRUE(std::isnan(ErrorSums().mse()));
  EXPECT_TRUE(std::isnan(ErrorSums().label_mean()));
}

TEST(ErrorSums, KeepTheSpreadOfLabelsFarFromZero) {
  ErrorSums sums;
  for (int i = 0; i < 1000; ++i) sums.add(1e9 + i % 2, 1e9 + 0.5, 1);
  EXPECT_NEAR(sums.r2(), 0, 1e-9);
}

TEST(WeightedMedian, IsScikitLearns) {
  std::vector<float> errors;
  for (size_t i = 0; i < kLabels.size(); ++i) errors.push_back(std::abs(kLabels[i] - kValues[i]));
  EXPECT_EQ(weighted_median(errors), 0.5);
  EXPECT_EQ(weighted_median(errors, kValueWeights), 0.5);
  const std::vector<float> four = {4, 1, 3, 2}, two_sided = {1, 1, 1, 1}, zero = {0, 0, 0, 0};
  EXPECT_EQ(weighted_median(four), 2.5);
  EXPECT_EQ(weighted_median(four, two_sided), 2.5);
  EXPECT_TRUE(std::isnan(weighted_median(four, zero)));
}

TEST(WeightedQuantile, CoversAtLeastItsShare) {
  const std::vector<float> values = {5, 1, 4, 2, 3}, weights = {6, 1, 1, 1, 1};
  EXPECT_EQ(weighted_quantile(values, 0.2), 1);
  EXPECT_EQ(weighted_quantile(values, 0.5), 3);
  EXPECT_EQ(weighted_quantile(values, 0.9), 5);
  EXPECT_EQ(weighted_quantile(values, 0.5, weights), 5);
}

TEST(Pinball, IsScikitLearns) {
  const std::array<double, 3> quantiles = {.1, .5, .9};
  const std::array<double, 3> plain = {0.32083333333333336, 0.4375, 0.5541666666666667};
  const std::array<double, 3> weighted = {0.33548387096774196, 0.25806451612903225,
                                          0.1806451612903226};
  for (size_t k = 0; k < 3; ++k) {
    double sum = 0, weighted_sum = 0;
    for (size_t i = 0; i < kLabels.size(); ++i) {
      const double loss = pinball(kLabels[i], kValues[i], quantiles[k]);
      sum += loss;
      weighted_sum += loss * kValueWeights[i];
    }
    EXPECT_NEAR(sum / 6, plain[k], kExact);
    EXPECT_NEAR(weighted_sum / 7.75, weighted[k], kExact);
  }
}

TEST(PoissonDeviance, IsScikitLearns) {
  const std::array<double, 6> counts = {0, 1, 3, 2, 0, 5}, means = {.5, 1, 2, 2.5, .25, 4};
  double sum = 0, weighted = 0;
  for (size_t i = 0; i < 6; ++i) {
    sum += poisson_deviance(counts[i], means[i]);
    weighted += kValueWeights[i] * poisson_deviance(counts[i], means[i]);
  }
  EXPECT_NEAR(sum / 6, 0.3786086594223741, kExact);
  EXPECT_NEAR(weighted / 7.75, 0.2765326010959929, kExact);
  EXPECT_TRUE(std::isinf(poisson_deviance(1, 0)));
}

}  // namespace
}  // namespace thalweg
