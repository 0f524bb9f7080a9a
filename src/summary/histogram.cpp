#include "thalweg/summary/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "thalweg/base/error.h"

namespace thalweg {
namespace {

template <class T>
double to_double(const T& value) {
  if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>) {
    return static_cast<float>(value);
  } else {
    return static_cast<double>(value);
  }
}

// Two passes: the range, then the counts.
template <class T>
Histogram count(std::span<const T> values, int buckets) {
  if (buckets < 1) {
    throw invalid_argument("a histogram has ", buckets, " buckets, expected 1 or more");
  }
  Histogram result{Tensor::zeros(kFloat64, {buckets, 3})};
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const T& value : values) {
    const double x = to_double(value);
    if (!std::isfinite(x)) {
      ++result.dropped;
      continue;
    }
    low = std::min(low, x);
    high = std::max(high, x);
  }
  const int64_t counted = static_cast<int64_t>(values.size()) - result.dropped;
  if (counted == 0) return result;

  const std::span<double> rows = result.buckets.mutable_data<double>();
  const size_t last = static_cast<size_t>(buckets - 1);
  // All in halves, which are exact, since high - low may overflow.
  const double start = low / 2;
  const double width = (high / 2 - start) / buckets;
  if (!(width > 0)) {
    for (size_t i = 0; i <= last; ++i) rows[3 * i] = rows[3 * i + 1] = high;
    rows[3 * last + 2] = static_cast<double>(counted);
    return result;
  }
  for (size_t i = 0; i <= last; ++i) {
    rows[3 * i] = 2 * (start + static_cast<double>(i) * width);
    rows[3 * i + 1] = i == last ? high : 2 * (start + static_cast<double>(i + 1) * width);
  }
  for (const T& value : values) {
    const double x = to_double(value);
    if (!std::isfinite(x)) continue;
    ++rows[3 * std::min(last, static_cast<size_t>((x / 2 - start) / width)) + 2];
  }
  return result;
}

}  // namespace

Histogram make_histogram(const Tensor& values, int buckets) {
  return visit_dtype(values.dtype(), [&]<class T>(TypeTag<T>) -> Histogram {
    if constexpr (std::is_same_v<T, std::string>) {
      throw invalid_argument("a histogram needs numbers, got a tensor of strings");
    } else {
      return count(values.data<T>(), buckets);
    }
  });
}

Histogram make_histogram(std::span<const float> values, int buckets) {
  return count(values, buckets);
}

}  // namespace thalweg
