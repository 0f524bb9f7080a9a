// The function that a linear model's solver minimises, with its gradient.
#pragma once

#include <span>
#include <vector>

#include "estimator/linear/design_matrix.h"
#include "estimator/linear/linear_loss.h"

namespace thalweg::linear {

/// (sum_i w_i loss_i + l2 / 2 |weights|^2) / sum_i w_i of the parameters: weights `[features,
/// units]`, then the bias `[units]`, which is not penalised. Thread-compatible.
class LinearObjective {
 public:
  /// Matrix, loss and targets must outlive it; the loss may change between calls.
  LinearObjective(const DesignMatrix& matrix, const LinearLoss& loss, const LinearTargets& targets,
                  double l2);

  int64_t size() const { return weights() + units_; }
  /// The parameters that are not bias.
  int64_t weights() const { return matrix_.features() * units_; }
  double operator()(std::span<const double> parameters, std::span<double> gradient);
  /// sum_i w_i loss_i / sum_i w_i at the parameters of the last call.
  double mean_loss() const { return mean_loss_; }
  /// The size of slopes, for tolerances: 1, and for numbers a deviation of the targets.
  double scale() const;
  /// The same of losses.
  double loss_scale() const;
  /// 1 / an estimate of each second derivative.
  std::vector<double> inverse_diagonal() const;
  /// The bias of a model that has nothing else.
  std::vector<double> best_bias() const;

 private:
  double deviation() const;  // the largest of the targets', 1 when all are 0

  const DesignMatrix& matrix_;
  const LinearLoss& loss_;
  const LinearTargets& targets_;
  double l2_;
  int64_t units_;
  int64_t chunks_;  // of blocks whose sums are kept apart, so that any thread may make them
  int64_t grain_;   // of chunks, so that few rows stay on one thread
  double mean_loss_ = 0;
  std::vector<float> weights_;   // [features + 1, units], the last row 0
  std::vector<double> partial_;  // [chunks, numbers * units + units + 1]
  std::vector<float> slopes_;    // [blocks, units, kBlock]; empty without ids
  std::vector<double> id_sums_;
};

}  // namespace thalweg::linear
