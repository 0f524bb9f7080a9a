// The statistics of one row of logits that softmax and the losses on it are computed from.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/reference/accumulate.h"

namespace thalweg {

/// exp(x[j] - largest) sums to `sum`, which is at least 1 for finite logits: neither it nor its
/// logarithm overflows.
struct SoftmaxRow {
  double largest = -std::numeric_limits<double>::infinity();
  double sum = 0;

  template <class T>
  SoftmaxRow(const T* logits, int64_t classes) {
    for (int64_t j = 0; j < classes; ++j)
      largest = std::max(largest, static_cast<double>(widen(logits[j])));
    for (int64_t j = 0; j < classes; ++j) sum += std::exp(widen(logits[j]) - largest);
  }
  double probability(double logit) const { return std::exp(logit - largest) / sum; }
  double log_probability(double logit) const { return logit - largest - std::log(sum); }
};

}  // namespace thalweg
