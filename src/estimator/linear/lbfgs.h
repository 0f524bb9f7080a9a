// L-BFGS: minimises a smooth function of many parameters, with an absolute-value penalty if wanted.
// Liu and Nocedal, Mathematical Programming 45, 1989; with a penalty OWL-QN, Andrew and Gao,
// ICML 2007.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace thalweg::linear {

/// The value at `x`; `gradient` receives the slopes.
using SmoothFunction = std::function<double(std::span<const double> x, std::span<double> gradient)>;

struct LbfgsState {
  int64_t iteration = 0;
  double value = 0;     // with the penalty
  double steepest = 0;  // largest component of the gradient (of the penalised function)
  std::span<const double> x;
};

struct LbfgsOptions {
  /// Ends when no component of the gradient is larger, and ...
  double tolerance = 1e-4;
  /// ... when the value is not expected to fall by more: many small slopes add up. By
  /// inverse_diagonal; without it this says nothing.
  double least_fall = std::numeric_limits<double>::infinity();
  int64_t most_iterations = 200;
  int64_t memory = 10;  // steps that curvature is learnt from
  /// l1 * sum |x_i| over the first `penalized` parameters is added.
  double l1 = 0;
  int64_t penalized = 0;
  /// Estimates of 1 / second derivatives; empty: none.
  std::span<const double> inverse_diagonal = {};
  /// Called after the start (iteration 0) and each iteration; false: stop.
  std::function<bool(const LbfgsState&)> report = {};
};

struct LbfgsResult {
  enum class End {
    kConverged,
    kIterations,  // most_iterations were not enough
    kNoProgress,  // no lower value can be told apart in the numbers' precision
    kStopped,     // by report
    kNotFinite,   // the value is not finite at the start
  };
  End end = End::kConverged;
  std::vector<double> x;
  double value = 0;
  double steepest = 0;
  int64_t iterations = 0;
  int64_t evaluations = 0;
};

LbfgsResult minimize_lbfgs(const SmoothFunction& function, std::vector<double> start,
                           const LbfgsOptions& options);

}  // namespace thalweg::linear
