#include "estimator/metrics/ranking.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Example {
  float score;
  float signed_weight;  // below 0: of a negative
};

}  // namespace

Ranking::Ranking(std::span<const float> scores, std::span<const uint8_t> is_positive,
                 std::span<const float> weights) {
  THALWEG_CHECK(scores.size() == is_positive.size(), "a score each");
  THALWEG_CHECK(weights.empty() || weights.size() == scores.size(), "a weight each");
  std::vector<Example> examples;
  examples.reserve(scores.size());
  for (size_t i = 0; i < scores.size(); ++i) {
    const float weight = weights.empty() ? 1 : weights[i];
    if (weight > 0) examples.push_back({scores[i], is_positive[i] != 0 ? weight : -weight});
  }
  std::ranges::sort(examples, std::greater(), &Example::score);
  double positives = 0, negatives = 0;
  for (size_t i = 0; i < examples.size(); ++i) {
    const auto [score, weight] = examples[i];
    (weight > 0 ? positives : negatives) += std::abs(double{weight});
    if (i + 1 == examples.size() || examples[i + 1].score != score) {
      steps_.push_back({score, positives, negatives});
    }
  }
}

double Ranking::roc_auc() const {
  if (!is_defined()) return kNaN;
  double area = 0, positives = 0, negatives = 0;
  for (const Step& step : steps_) {
    area += (step.negatives - negatives) * (step.positives + positives) / 2;
    positives = step.positives;
    negatives = step.negatives;
  }
  return area / (positives * negatives);
}

double Ranking::average_precision() const {
  if (!is_defined()) return kNaN;
  double sum = 0, positives = 0;
  for (const Step& step : steps_) {
    sum += (step.positives - positives) * step.positives / (step.positives + step.negatives);
    positives = step.positives;
  }
  return sum / positives;
}

std::vector<CurvePoint> Ranking::roc(int most) const {
  if (!is_defined()) return {};
  // Both coordinates only rise, by 1 in all: a point for each 2 / most of way is at most `most`.
  const double spacing = 2.0 / most;
  std::vector<CurvePoint> points = {{0, 0, std::numeric_limits<double>::infinity()}};
  for (const Step& step : steps_) {
    const double x = step.negatives / negatives();
    const double y = step.positives / positives();
    const bool is_last = &step == &steps_.back();
    if (is_last || x + y >= points.back().x + points.back().y + spacing) {
      points.push_back({x, y, step.threshold});
    }
  }
  return points;
}

std::vector<CurvePoint> Ranking::precision_recall(int most) const {
  if (!is_defined()) return {};
  const double spacing = 1.0 / most;
  std::vector<CurvePoint> points;
  for (const Step& step : steps_) {
    const double recall = step.positives / positives();
    const bool is_end = step.positives == positives();
    if (points.empty() || is_end || recall >= points.back().x + spacing) {
      points.push_back(
          {recall, step.positives / (step.positives + step.negatives), step.threshold});
    }
    if (is_end) break;
  }
  return points;
}

}  // namespace thalweg
