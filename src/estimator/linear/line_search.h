// The step along a direction: strong Wolfe conditions by bracketing and cubic interpolation
// (Nocedal and Wright, Numerical Optimization, 2006, algorithms 3.5 and 3.6).
#pragma once

#include <functional>
#include <optional>

namespace thalweg::linear {

/// A function along a line, where step 0 is the start.
struct LinePoint {
  double step = 0;
  double value = 0;
  double slope = 0;
};

/// A step that lowers the value enough and flattens the slope, from `start` (slope below 0) on;
/// `first` is tried first. The last call of `at` was for the step that is returned. None when in
/// the precision of values there is no such step.
std::optional<LinePoint> find_step(const std::function<LinePoint(double step)>& at,
                                   const LinePoint& start, double first);

}  // namespace thalweg::linear
