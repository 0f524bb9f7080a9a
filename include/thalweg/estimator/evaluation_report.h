// What an evaluation found: figures, and what tables and plots are drawn from. The same facts for
// terminal, JSON, report and store.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "thalweg/train/train_spec.h"

namespace thalweg {

/// Of one class against all others. NaN where undefined: precision of a class that is never
/// predicted, recall of one that does not occur.
struct ClassFigures {
  std::string name;
  double precision = 0;
  double recall = 0;
  double f1 = 0;
  double support = 0;  // weight of the rows of the class
};

/// Rows whose probability lies between `low` and `high`.
struct CalibrationBin {
  double low = 0, high = 1;
  double weight = 0;       // of its rows; 0: none, and the means are NaN
  double probability = 0;  // their mean
  double frequency = 0;    // share that is of the class
};

/// A point of a curve; see the curve for what x and y are.
struct CurvePoint {
  double x = 0, y = 0;
  double threshold = 0;  // probabilities of at least this count as positive
};

struct EvaluationReport {
  /// Weighted by example. All: loss. Classification: accuracy, and of models of tables auc, pr_auc,
  /// log_loss, brier, macro and weighted precision, recall and f1, ...; regression: mse, mae, rmse,
  /// r2, ... NaN where undefined: see `undefined`.
  std::vector<Figure> metrics;
  /// The same of guessing without a look at the features, by the training rows: of the commonest
  /// class (each class as often as in training where there are probabilities), the mean, or the
  /// quantile. Without the loss.
  std::vector<Figure> baseline;
  int64_t examples = 0;
  double weight = 0;  // of all examples
  /// Classification: confusion[label][predicted] examples; empty with more than 1000 classes.
  std::vector<std::vector<int64_t>> confusion;
  /// The same by weight; empty when all weights are 1.
  std::vector<std::vector<double>> weighted_confusion;
  /// Classification: of each label the examples whose probabilities are not all finite. They count
  /// as wrong, and are not in the confusion.
  std::vector<int64_t> not_finite;
  /// In the order of the classes.
  std::vector<ClassFigures> classes;
  /// Of two classes: of the positive one; of more: of the most probable class. Ten bins.
  std::vector<CalibrationBin> calibration;
  /// Of two classes: x false positive rate, y true positive rate; at most about 100 points.
  std::vector<CurvePoint> roc;
  /// Of two classes: x recall, y precision.
  std::vector<CurvePoint> precision_recall;
  /// Names of metrics that are NaN, each with the reason.
  std::vector<std::pair<std::string, std::string>> undefined;
  /// Of several heads: each one's name and its own report; `metrics` has all, as name/head.
  std::string head = {};
  std::vector<EvaluationReport> parts = {};
  double seconds = 0;

  double operator[](std::string_view name) const { return figure(metrics, name); }
};

}  // namespace thalweg
