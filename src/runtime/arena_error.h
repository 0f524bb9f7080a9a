// What to say when the memory for a run's intermediates is not to be had.
#pragma once

#include <vector>

#include "runtime/plan.h"
#include "thalweg/base/error.h"

namespace thalweg {

/// `error` with the node whose result takes the most of the arena.
Error arena_error(const Error& error, const std::vector<PlanStep>& steps,
                  const std::vector<PlanValue>& values);

}  // namespace thalweg
