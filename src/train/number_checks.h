// Ranges of the numbers that optimizers and schedules are made of, checked where they are made.
#pragma once

#include <cmath>
#include <string_view>

#include "thalweg/base/error.h"

namespace thalweg::train {

/// Throws invalid_argument naming `owner` and `option` unless the number is finite, also as
/// float32, and 0 or more.
inline void check_not_negative(std::string_view owner, std::string_view option, double value) {
  if (value >= 0 && std::isfinite(static_cast<float>(value))) return;
  throw invalid_argument(owner, ": ", option, " is ", value,
                         ", expected a finite number, 0 or more");
}

/// The same unless it is at least 0 and less than 1, as the share that a moving average keeps.
inline void check_share(std::string_view owner, std::string_view option, double value) {
  if (value >= 0 && static_cast<float>(value) < 1) return;
  throw invalid_argument(owner, ": ", option, " is ", value,
                         ", expected 0 or more and less than 1");
}

}  // namespace thalweg::train
