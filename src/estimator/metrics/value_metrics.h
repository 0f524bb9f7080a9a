// How far predicted numbers are from labels. Weights may be empty: 1 each. The definitions are
// scikit-learn's.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace thalweg {

/// Sums over any number of rows. What is undefined is NaN.
class ErrorSums {
 public:
  void add(double label, double prediction, double weight);

  double weight() const { return weight_; }
  double mse() const { return squared_ / weight_; }
  double rmse() const;
  double mae() const { return absolute_ / weight_; }
  /// NaN when all labels are equal.
  double r2() const;
  /// Mean of |error / label|, as a share, not in hundredths; NaN when a label is 0.
  double mape() const;
  int64_t zero_labels() const { return zero_labels_; }
  double label_mean() const { return weight_ > 0 ? label_mean_ : label_mean_ / weight_; }
  double prediction_mean() const { return prediction_ / weight_; }

 private:
  double weight_ = 0, squared_ = 0, absolute_ = 0, relative_ = 0;
  double label_mean_ = 0, label_spread_ = 0, prediction_ = 0;
  int64_t zero_labels_ = 0;
};

/// Where the weight of the values below and above is equal; of two such places the middle. NaN
/// without weight.
double weighted_median(std::span<const float> values, std::span<const float> weights = {});
/// The value that a share q of the weight does not exceed.
double weighted_quantile(std::span<const float> values, double q,
                         std::span<const float> weights = {});

/// q * error for labels above the prediction, (1 - q) * error below. Koenker and Bassett 1978.
double pinball(double label, double prediction, double q);
/// 2 * (y log(y / m) - y + m) of a label y of 0 or more and a mean m; infinite for m = 0 < y.
double poisson_deviance(double label, double mean);

}  // namespace thalweg
