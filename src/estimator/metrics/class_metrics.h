// How good probabilities and choices of classes are. Pure functions; weights may be empty: 1 each.
// The definitions are scikit-learn's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "thalweg/estimator/evaluation_report.h"

namespace thalweg {

/// By class, the weight of rows that are of it, that are predicted as it, and both.
struct ClassCounts {
  explicit ClassCounts(size_t classes = 0) : support(classes), predicted(classes), right(classes) {}
  std::vector<double> support, predicted, right;

  void add(size_t label, size_t prediction, double weight) {
    support[label] += weight;
    predicted[prediction] += weight;
    if (label == prediction) right[label] += weight;
  }
  /// Of a row without prediction.
  void add_undecided(size_t label, double weight) { support[label] += weight; }
};

/// One for each class; `names` as many.
std::vector<ClassFigures> class_figures(const ClassCounts& counts,
                                        std::span<const std::string> names);

struct ClassAverages {
  double precision = 0, recall = 0, f1 = 0;  // NaN when there is no class to average over
};
/// Over the classes that occur or are predicted, each as much as any other; a figure of theirs that
/// is undefined counts as 0.
ClassAverages macro_average(std::span<const ClassFigures> classes);
/// By support.
ClassAverages weighted_average(std::span<const ClassFigures> classes);

/// Mean of -log(probability of the label), of `probabilities` `[rows, classes]`; each kept from 0
/// and 1 by float32's epsilon.
double log_loss(std::span<const float> probabilities, size_t classes,
                std::span<const int64_t> labels, std::span<const float> weights = {});
/// Mean over rows of the sum over classes of (probability - truth)^2; of two classes half of it
/// (Brier 1950).
double brier_score(std::span<const float> probabilities, size_t classes,
                   std::span<const int64_t> labels, std::span<const float> weights = {});

}  // namespace thalweg
