// How fast the training goes just now: moving averages of examples and steps a second.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace thalweg::train {

/// Takes the time between steps; older ones count less and less. A value.
class StepRate {
 public:
  /// What comes next is not counted as time of a step: the first step of a run, saving, evaluation.
  void pause(double now) { last_ = now; }
  void restart() { *this = StepRate(); }

  /// A step has ended. The first one, which builds the plan, only starts the clock.
  void add_step(double now, int64_t examples) {
    if (last_) {
      const double seconds = now - *last_;
      const double keep = std::exp(-seconds / kMemorySeconds);
      seconds_ = seconds_ * keep + seconds;
      steps_ = steps_ * keep + 1;
      examples_ = examples_ * keep + static_cast<double>(examples);
      total_ += seconds;
    }
    last_ = now;
  }

  /// Empty until they mean something.
  std::optional<double> steps_per_second() const { return rate(steps_); }
  std::optional<double> examples_per_second() const { return rate(examples_); }

 private:
  static constexpr double kMemorySeconds = 15;
  static constexpr double kLeastSeconds = 0.5;

  std::optional<double> rate(double count) const {
    if (total_ < kLeastSeconds || seconds_ <= 0) return std::nullopt;
    return count / seconds_;
  }

  std::optional<double> last_;
  double seconds_ = 0;
  double steps_ = 0;
  double examples_ = 0;
  double total_ = 0;
};

}  // namespace thalweg::train
