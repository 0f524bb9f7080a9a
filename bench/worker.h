// A side of a comparison in a process of its own, told how many steps to make and answering with
// the time they took.
#pragma once

#include <string>
#include <vector>

namespace thalweg::bench {

/// Speaks a line protocol: the number of steps goes in, seconds a step come out.
class Worker {
 public:
  /// Starts `command`; `environment` entries ("NAME=value", or "NAME" to remove it) apply to it
  /// alone. Throws unavailable.
  Worker(const std::vector<std::string>& command, const std::vector<std::string>& environment);
  /// Ends it.
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Seconds a step over `steps` steps. Throws unavailable when the process has died.
  double run(int steps);

 private:
  int process_ = -1;
  int to_ = -1;
  int from_ = -1;
};

}  // namespace thalweg::bench
