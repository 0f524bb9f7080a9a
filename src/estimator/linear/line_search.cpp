#include "estimator/linear/line_search.h"

#include <algorithm>
#include <cmath>

namespace thalweg::linear {
namespace {

constexpr double kDecrease = 1e-4;  // c1 and c2 of the Wolfe conditions
constexpr double kFlatness = 0.9;
constexpr int kMostTries = 30;
// Values that differ by less, of the value, may be rounding: then slopes decide, as Hager and
// Zhang, SIAM Journal on Optimization 16, 2005, do (their "approximate Wolfe conditions").
constexpr double kPrecision = 1e-7;

class Search {
 public:
  Search(const std::function<LinePoint(double)>& at, const LinePoint& start)
      : at_(at), start_(start) {}

  std::optional<LinePoint> run(double first) {
    LinePoint previous = start_;
    double step = first;
    while (tries_ < kMostTries) {
      const LinePoint point = evaluate(step);
      if (is_good(point)) return point;
      if (is_too_high(point) || (previous.step > 0 && point.value >= previous.value)) {
        return zoom(previous, point);
      }
      if (point.slope >= 0) return zoom(point, previous);
      previous = point;
      step *= 4;
    }
    return std::nullopt;
  }

 private:
  LinePoint evaluate(double step) {
    ++tries_;
    return at_(step);
  }

  bool is_finite(const LinePoint& p) const {
    return std::isfinite(p.value) && std::isfinite(p.slope);
  }
  bool is_too_high(const LinePoint& p) const {
    if (!is_finite(p)) return true;
    if (p.value <= start_.value + kDecrease * p.step * start_.slope) return false;
    const bool is_rounding = p.value <= start_.value + kPrecision * std::abs(start_.value) &&
                             p.slope <= (2 * kDecrease - 1) * start_.slope;
    return !is_rounding;
  }
  bool is_good(const LinePoint& p) const {
    return !is_too_high(p) && std::abs(p.slope) <= kFlatness * std::abs(start_.slope);
  }

  // The minimum between a and b of the cubic with their values and slopes, away from the ends.
  static double between(const LinePoint& a, const LinePoint& b) {
    const double width = b.step - a.step;
    double t = 0.5;
    if (std::isfinite(b.value) && std::isfinite(b.slope)) {
      const double d = a.slope + b.slope - 3 * (b.value - a.value) / width;
      const double square = d * d - a.slope * b.slope;
      if (square >= 0) {
        const double root = std::copysign(std::sqrt(square), width);
        const double below = b.slope - a.slope + 2 * root;
        if (below != 0) t = 1 - (b.slope + root - d) / below;
      }
    } else {
      t = 0.1;
    }
    return a.step + width * (std::isfinite(t) ? std::clamp(t, 0.1, 0.9) : 0.5);
  }

  // `low` has the lowest value of those that fell enough; the minimum lies between it and `high`.
  std::optional<LinePoint> zoom(LinePoint low, LinePoint high) {
    while (tries_ < kMostTries) {
      const LinePoint point = evaluate(between(low, high));
      if (is_good(point)) return point;
      if (is_too_high(point) || (low.step > 0 && point.value > low.value)) {
        high = point;
      } else {
        if (point.slope * (high.step - low.step) >= 0) high = low;
        low = point;
      }
    }
    // Flat enough or not, it is lower.
    if (low.step > 0 && low.value < start_.value) return evaluate(low.step);
    return std::nullopt;
  }

  const std::function<LinePoint(double)>& at_;
  const LinePoint start_;
  int tries_ = 0;
};

}  // namespace

std::optional<LinePoint> find_step(const std::function<LinePoint(double step)>& at,
                                   const LinePoint& start, double first) {
  return Search(at, start).run(first);
}

}  // namespace thalweg::linear
