#include "thalweg/tensor/range.h"

#include <cmath>
#include <limits>

namespace thalweg {
namespace {

template <class T>
Error leads_away(T start, T limit, T delta) {
  return invalid_argument("a range from ", start, " to ", limit, " cannot be walked in steps of ",
                          delta);
}

// T is the type that the arithmetic is done in; `round` brings a result of it to the range's own.
template <class T, class Round>
int64_t floating_length(T start, T limit, T delta, Round round) {
  if (!std::isfinite(start) || !std::isfinite(limit) || !std::isfinite(delta))
    throw leads_away(start, limit, delta);
  if (start < limit ? delta < 0 : start > limit && delta > 0) throw leads_away(start, limit, delta);
  const T length = std::ceil(std::abs(round(round(limit - start) / delta)));
  if (!(length < static_cast<T>(0x1p62)))
    throw invalid_argument("a range of ", length, " numbers is too long");
  return static_cast<int64_t>(length);
}

int64_t integer_length(int64_t start, int64_t limit, int64_t delta) {
  if (start == limit) return 0;
  if ((start < limit) != (delta > 0)) throw leads_away(start, limit, delta);
  // Unsigned, for the distance may be more than an int64 holds.
  const uint64_t distance = start < limit
                                ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                                : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
  const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta) : 0 - static_cast<uint64_t>(delta);
  const uint64_t whole = (distance - 1) / step;
  if (whole >= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    throw invalid_argument("a range from ", start, " to ", limit, " in steps of ", delta,
                           " is too long");
  }
  return static_cast<int64_t>(whole) + 1;
}

}  // namespace

int64_t range_length(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  if (delta.at(0) == 0) throw invalid_argument("the step of a range is 0");
  if (start.dtype() == kFloat64) {
    return floating_length(start.item<double>(), limit.item<double>(), delta.item<double>(),
                           [](double x) { return x; });
  }
  if (is_floating(start.dtype())) {
    const DType dtype = start.dtype();
    const auto round = [dtype](float x) {
      if (dtype == kFloat16) return static_cast<float>(Float16(x));
      if (dtype == kBFloat16) return static_cast<float>(BFloat16(x));
      return x;
    };
    return floating_length(static_cast<float>(start.at(0)), static_cast<float>(limit.at(0)),
                           static_cast<float>(delta.at(0)), round);
  }
  const auto number = [](const Tensor& x) { return x.cast(kInt64).item<int64_t>(); };
  return integer_length(number(start), number(limit), number(delta));
}

}  // namespace thalweg
