// Histograms as TensorBoard's Histograms and Distributions show them.
#pragma once

#include <cstdint>
#include <span>

#include "thalweg/tensor/tensor.h"

namespace thalweg {

struct Histogram {
  /// float64 `[buckets, 3]`: left edge, right edge, count. Buckets of equal width from the least to
  /// the greatest value, closed on the left, open on the right but for the last. All values equal:
  /// all edges are that value, and the last bucket counts. No values: zeros.
  Tensor buckets;
  /// Values that are NaN or infinite: no bucket counts them.
  int64_t dropped = 0;
};

inline constexpr int kHistogramBuckets = 30;

/// Of all elements of a numeric or bool tensor. Throws invalid_argument for strings and for fewer
/// than one bucket.
Histogram make_histogram(const Tensor& values, int buckets = kHistogramBuckets);
Histogram make_histogram(std::span<const float> values, int buckets = kHistogramBuckets);

}  // namespace thalweg
