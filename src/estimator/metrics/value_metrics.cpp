#include "estimator/metrics/value_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace thalweg {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Weighted {
  float value;
  float weight;
};

std::vector<Weighted> sorted(std::span<const float> values, std::span<const float> weights) {
  std::vector<Weighted> rows;
  rows.reserve(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const float weight = weights.empty() ? 1 : weights[i];
    if (weight > 0) rows.push_back({values[i], weight});
  }
  std::ranges::sort(rows, {}, &Weighted::value);
  return rows;
}

double total(const std::vector<Weighted>& rows) {
  return std::accumulate(rows.begin(), rows.end(), 0.0,
                         [](double sum, const Weighted& row) { return sum + row.weight; });
}

// Where the weight up to and with it reaches `wanted`.
size_t place(const std::vector<Weighted>& rows, double wanted, double& reached) {
  reached = 0;
  size_t i = 0;
  for (; i < rows.size(); ++i) {
    reached += rows[i].weight;
    if (reached >= wanted) break;
  }
  return std::min(i, rows.size() - 1);
}

}  // namespace

void ErrorSums::add(double label, double prediction, double weight) {
  if (weight == 0) return;
  const double error = prediction - label;
  weight_ += weight;
  squared_ += weight * error * error;
  absolute_ += weight * std::abs(error);
  prediction_ += weight * prediction;
  // Welford 1962: the spread of labels far from 0 stays exact, and that of equal ones is 0.
  const double distance = label - label_mean_;
  label_mean_ += weight / weight_ * distance;
  label_spread_ += weight * distance * (label - label_mean_);
  if (label == 0) {
    ++zero_labels_;
  } else {
    relative_ += weight * std::abs(error / label);
  }
}

double ErrorSums::rmse() const { return std::sqrt(mse()); }

double ErrorSums::r2() const { return label_spread_ > 0 ? 1 - squared_ / label_spread_ : kNaN; }

double ErrorSums::mape() const { return zero_labels_ > 0 ? kNaN : relative_ / weight_; }

double weighted_median(std::span<const float> values, std::span<const float> weights) {
  const std::vector<Weighted> rows = sorted(values, weights);
  if (rows.empty()) return kNaN;
  const double half = total(rows) / 2;
  double reached = 0;
  const size_t i = place(rows, half, reached);
  if (reached > half || i + 1 == rows.size()) return rows[i].value;
  return (double{rows[i].value} + rows[i + 1].value) / 2;
}

double weighted_quantile(std::span<const float> values, double q, std::span<const float> weights) {
  const std::vector<Weighted> rows = sorted(values, weights);
  if (rows.empty()) return kNaN;
  double reached = 0;
  return rows[place(rows, q * total(rows), reached)].value;
}

double pinball(double label, double prediction, double q) {
  const double error = label - prediction;
  return error >= 0 ? q * error : (q - 1) * error;
}

double poisson_deviance(double label, double mean) {
  const double log_term = label > 0 ? label * std::log(label / mean) : 0;
  return 2 * (log_term - label + mean);
}

}  // namespace thalweg
