// Metrics: how good predictions are, over any number of batches.
//
// A metric is two scalars of the graph for each batch, a total and a weight; over many batches it
// is the sum of totals by the sum of weights. So a short last batch counts by its examples, and the
// figure does not depend on the batch size.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// What to fetch with each batch.
struct Metric {
  std::string name;
  Output total;   // scalar
  Output weight;  // scalar
};

/// sum(totals) / sum(weights) of a Metric, in double precision. Thread-compatible.
class MeanMetric {
 public:
  void update(double total, double weight) { total_ += total, weight_ += weight; }
  void reset() { *this = MeanMetric(); }
  double total() const { return total_; }
  double weight() const { return weight_; }
  /// Whether there is a figure: without examples, or positives for precision, it is undefined.
  bool is_defined() const { return weight_ > 0; }
  /// NaN when undefined.
  double result() const {
    return is_defined() ? total_ / weight_ : std::numeric_limits<double>::quiet_NaN();
  }

 private:
  double total_ = 0;
  double weight_ = 0;
};

/// Shapes and weights as for losses (losses.h): `weights` `[batch]` or `[batch, 1]`. Sums of half
/// precision are made in float32. An example with a score that is NaN is never right.
namespace metrics {

/// Mean of `values` `[batch]` (or `[batch, ...]`: of each example's mean).
Metric mean(std::string name, Output values, Output weights = {});

/// Share of examples whose largest logit (or probability) `[batch, classes]` is at the class
/// `labels` `[batch]`, or at the largest of `labels` `[batch, classes]`.
Metric accuracy(Output labels, Output logits, Output weights = {});
/// Share of examples whose class is among the k largest logits; of equal logits the lower class
/// counts as larger. Name: "top_<k>_accuracy".
Metric top_k_accuracy(Output labels, Output logits, int64_t k, Output weights = {});

// Of labels 0 or 1 and scores `[batch]`; positive is a score of at least `threshold`: 0.5 for
// probabilities, 0 for logits.
Metric binary_accuracy(Output labels, Output scores, double threshold = 0.5, Output weights = {});
/// Share of positive predictions that are right.
Metric precision(Output labels, Output scores, double threshold = 0.5, Output weights = {});
/// Share of positive examples that are found.
Metric recall(Output labels, Output scores, double threshold = 0.5, Output weights = {});

Metric mean_squared_error(Output labels, Output predictions, Output weights = {});
Metric mean_absolute_error(Output labels, Output predictions, Output weights = {});

}  // namespace metrics
}  // namespace thalweg
