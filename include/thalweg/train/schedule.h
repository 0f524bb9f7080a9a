// Learning rates that change with the step, as graph expressions: a restored step restores the
// rate.
//
// Rates and what they are made of are 0 or more and finite; else, and for fewer than 1 step, these
// throw invalid_argument.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// A learning rate: a number, or a function of the step. A value; cheap to copy.
class Schedule {
 public:
  /// The same at every step.
  Schedule(double rate);  // NOLINT: 0.01 is a learning rate
  /// Any float32 scalar expression of the step (a float32 scalar, 0 for the first update). `text`
  /// describes it in run records.
  Schedule(std::function<Output(Output step)> rate, std::string text);

  /// The rate at `step` (an int64 scalar), float32.
  Output at(Output step) const;
  const std::string& to_string() const { return text_; }

 private:
  std::function<Output(Output)> rate_;
  std::string text_;
};

struct DecayOptions {
  double initial = 0.01;
  int64_t decay_steps = 1000;
  double decay_rate = 0.96;
  /// Whether the rate falls in steps, every decay_steps, rather than smoothly.
  bool staircase = false;
};
/// `initial * decay_rate ^ (step / decay_steps)`. Keras's ExponentialDecay.
Schedule exponential_decay(const DecayOptions& options);
/// `initial / (1 + decay_rate * step / decay_steps)`. Keras's InverseTimeDecay.
Schedule inverse_time_decay(const DecayOptions& options);

struct PolynomialDecayOptions {
  double initial = 0.01;
  int64_t decay_steps = 1000;
  double end = 0.0001;
  double power = 1.0;
};
/// `(initial - end) * (1 - min(step, decay_steps) / decay_steps) ^ power + end`. Keras's
/// PolynomialDecay.
Schedule polynomial_decay(const PolynomialDecayOptions& options);

struct CosineDecayOptions {
  double initial = 0.01;
  int64_t decay_steps = 1000;
  /// The rate at the end, as a share of the initial one.
  double alpha = 0.0;
};
/// `initial * ((1 - alpha) * (1 + cos(pi * min(step, decay_steps) / decay_steps)) / 2 + alpha)`
/// (Loshchilov and Hutter, arXiv:1608.03983). Keras's CosineDecay.
Schedule cosine_decay(const CosineDecayOptions& options);

/// rates[i] while step <= boundaries[i], the last rate after. Keras's PiecewiseConstantDecay.
/// Throws invalid_argument unless there is one rate more than boundaries and these rise.
Schedule piecewise_constant(std::vector<int64_t> boundaries, std::vector<double> rates);

/// Rises in a straight line over `steps`, `(step + 1) / steps` of `after`'s first rate, which the
/// last of them reaches; then follows `after`, whose step 0 is the first one past the warm-up.
Schedule warm_up(int64_t steps, Schedule after);

}  // namespace thalweg
