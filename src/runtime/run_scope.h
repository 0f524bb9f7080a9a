// What the plans that take part in one run share.
#pragma once

#include <cstdint>

#include "runtime/plan.h"
#include "thalweg/base/philox.h"

namespace thalweg {

/// Lives for one run; used by one thread.
class RunScope {
 public:
  RunScope(const Plan::RunOptions& options, uint64_t random_run)
      : options_(options), random_run_(random_run) {}

  const Plan::RunOptions& options() const { return options_; }
  uint64_t random_run() const { return random_run_; }
  /// A number for one call that draws: no other call of this run, or of another, gets it.
  uint64_t next_random_call() { return mix_seed(mix_seed(random_run_, ++random_calls_), "call"); }

  int depth = 0;  // of calls under way
  /// Whether an error that passes here may say so: of calls that nest deep, the innermost and the
  /// outermost do.
  bool may_tell() { return depth < 2 || ++told_ <= 4; }

 private:
  const Plan::RunOptions& options_;
  uint64_t random_run_;
  uint64_t random_calls_ = 0;
  int told_ = 0;
};

}  // namespace thalweg
