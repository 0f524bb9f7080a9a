// What linear models minimise, example by example, with its slope.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg::linear {

enum class LossKind {
  kSigmoid,      // log(1 + exp(-s)) for label 1, log(1 + exp(s)) for 0; mean over units
  kSoftmax,      // log sum exp(s) - s[label]
  kSquared,      // (s - t)^2; mean over units
  kPoisson,      // exp(s) - label s + label log label - label; mean over units
  kPinball,      // max(q e, (q - 1) e) with e = t - s; mean over quantiles
  kHinge,        // max(0, 1 - y s) with y = -1 or 1 for labels 0 and 1
  kSmoothHinge,  // 1 - y s - width / 2 where y s <= 1 - width, 0 where >= 1, a parabola between
};
std::string_view to_string(LossKind kind);

struct LinearLoss {
  LossKind kind = LossKind::kSigmoid;
  int64_t units = 1;
  /// Of the labels of kSquared and kPinball, by unit: t = (label - mean) / deviation; empty: 0, 1.
  std::vector<double> mean = {};
  std::vector<double> deviation = {};
  std::vector<double> quantiles = {};  // of kPinball, one a unit
  /// Of kSmoothHinge, and of kPinball, whose kink becomes a parabola from -width to width.
  double width = 0;
  /// Times this: for heads whose loss is a multiple of the above.
  double factor = 1;
};

/// The labels as losses read them, in blocks of DesignMatrix::kBlock.
class LinearTargets {
 public:
  /// `labels`: kSoftmax: int64 [rows]; others [rows] or [rows, units] of any real or integer type
  /// (kPinball also [rows] for all units). `weights` float32 [rows], or not valid: 1 each. Throws
  /// invalid_argument for other shapes, classes that do not exist, and weights that are negative or
  /// all 0.
  LinearTargets(const LinearLoss& loss, const Tensor& labels, const Tensor& weights, int64_t rows);

  /// `[units, kBlock]`, of kSoftmax `[kBlock]`.
  const float* targets(int64_t block) const { return targets_.data() + block * stride_; }
  /// `[kBlock]`; 0 after the last row.
  const float* weights(int64_t block) const;
  double total_weight() const { return total_weight_; }
  /// The part of the weighted sum of losses that no score changes, which take_loss() leaves out.
  double fixed_loss() const { return fixed_loss_; }
  /// By unit, weighted; of kSoftmax the shares of the classes and 1.
  const std::vector<double>& means() const { return means_; }
  const std::vector<double>& deviations() const { return deviations_; }

 private:
  void measure(const LinearLoss& loss, int64_t rows);

  int64_t stride_ = 0;
  std::vector<float> targets_;
  std::vector<float> weights_;
  double total_weight_ = 0;
  double fixed_loss_ = 0;
  std::vector<double> means_;
  std::vector<double> deviations_;
};

/// The weighted sum of a block's losses, but for fixed_loss(), at `scores` `[units, kBlock]`, which
/// become its derivatives by them. kHinge has none at its kink: 0 is taken.
double take_loss(const LinearLoss& loss, const float* targets, const float* weights, float* scores);

/// A bound, or for kPoisson the usual size, of a loss's second derivative by one score.
double curvature(const LinearLoss& loss, const LinearTargets& targets);

}  // namespace thalweg::linear
