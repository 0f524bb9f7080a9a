#include "estimator/metrics/class_metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thalweg {
namespace {

constexpr double kEpsilon = std::numeric_limits<float>::epsilon();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double share(double part, double whole) { return whole > 0 ? part / whole : kNaN; }
double or_zero(double value) { return std::isnan(value) ? 0 : value; }

template <class WeightOf>
ClassAverages average(std::span<const ClassFigures> classes, WeightOf&& weight_of) {
  ClassAverages sum;
  double total = 0;
  for (const ClassFigures& c : classes) {
    const double weight = weight_of(c);
    sum.precision += weight * or_zero(c.precision);
    sum.recall += weight * or_zero(c.recall);
    sum.f1 += weight * or_zero(c.f1);
    total += weight;
  }
  return {share(sum.precision, total), share(sum.recall, total), share(sum.f1, total)};
}

// The mean of `value(row, label)` over the rows.
template <class Value>
double mean_over_rows(size_t classes, std::span<const float> probabilities,
                      std::span<const int64_t> labels, std::span<const float> weights,
                      Value&& value) {
  double sum = 0, total = 0;
  for (size_t i = 0; i < labels.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    if (weight == 0) continue;
    sum +=
        weight * value(probabilities.subspan(i * classes, classes), static_cast<size_t>(labels[i]));
    total += weight;
  }
  return share(sum, total);
}

}  // namespace

std::vector<ClassFigures> class_figures(const ClassCounts& counts,
                                        std::span<const std::string> names) {
  std::vector<ClassFigures> classes(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const double right = counts.right[i];
    classes[i] = {.name = names[i],
                  .precision = share(right, counts.predicted[i]),
                  .recall = share(right, counts.support[i]),
                  .f1 = share(2 * right, counts.support[i] + counts.predicted[i]),
                  .support = counts.support[i]};
  }
  return classes;
}

ClassAverages macro_average(std::span<const ClassFigures> classes) {
  return average(classes, [](const ClassFigures& c) { return std::isnan(c.f1) ? 0.0 : 1.0; });
}

ClassAverages weighted_average(std::span<const ClassFigures> classes) {
  return average(classes, [](const ClassFigures& c) { return c.support; });
}

double log_loss(std::span<const float> probabilities, size_t classes,
                std::span<const int64_t> labels, std::span<const float> weights) {
  return mean_over_rows(classes, probabilities, labels, weights,
                        [](std::span<const float> row, size_t label) {
                          return -std::log(std::clamp<double>(row[label], kEpsilon, 1 - kEpsilon));
                        });
}

double brier_score(std::span<const float> probabilities, size_t classes,
                   std::span<const int64_t> labels, std::span<const float> weights) {
  const double scale = classes <= 2 ? 0.5 : 1;
  return mean_over_rows(classes, probabilities, labels, weights,
                        [scale](std::span<const float> row, size_t label) {
                          double sum = 0;
                          for (size_t k = 0; k < row.size(); ++k) {
                            const double error = (k == label ? 1.0 : 0.0) - row[k];
                            sum += error * error;
                          }
                          return scale * sum;
                        });
}

}  // namespace thalweg
