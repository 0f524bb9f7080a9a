// Time behind an interface, so that tests can move it by hand.
#pragma once

#include <atomic>

namespace thalweg {

/// Thread-safe.
class Clock {
 public:
  virtual ~Clock() = default;
  /// Seconds since 1970, for records and file names.
  virtual double wall_seconds() const = 0;
  /// Seconds from an arbitrary start that never step back, for durations.
  virtual double steady_seconds() const = 0;
};

/// The machine's clock.
const Clock& system_clock();

/// A clock that only moves when told to.
class FakeClock : public Clock {
 public:
  explicit FakeClock(double start = 0) : now_(start) {}
  void advance(double seconds) { now_ += seconds; }
  double wall_seconds() const override { return now_; }
  double steady_seconds() const override { return now_; }

 private:
  std::atomic<double> now_;
};

}  // namespace thalweg
