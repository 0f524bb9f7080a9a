#include "estimator/linear/lbfgs.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include "estimator/linear/line_search.h"

namespace thalweg::linear {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  // Four sums, so that the order is fixed and additions need not wait for each other.
  double sums[4] = {};
  size_t i = 0;
  for (; i + 4 <= a.size(); i += 4) {
    for (size_t j = 0; j < 4; ++j) sums[j] += a[i + j] * b[i + j];
  }
  for (; i < a.size(); ++i) sums[0] += a[i] * b[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}
void add(Vector& to, double factor, const Vector& what) {
  for (size_t i = 0; i < to.size(); ++i) to[i] += factor * what[i];
}
double steepest(const Vector& gradient) {
  double most = 0;
  for (const double g : gradient) {
    if (!(std::abs(g) <= most)) most = std::abs(g);  // NaN counts as most
  }
  return most;
}

// The last steps s and changes of the gradient y.
class Curvature {
 public:
  explicit Curvature(const LbfgsOptions& options)
      : memory_(static_cast<size_t>(options.memory)), inverse_(options.inverse_diagonal) {}

  bool is_empty() const { return pairs_.empty(); }
  void forget() { pairs_.clear(); }

  void learn(Vector s, Vector y) {
    const double sy = dot(s, y);
    // Not convex there, or lost in rounding.
    if (!(sy > 1e-12 * std::sqrt(dot(s, s) * dot(y, y)))) return;
    if (pairs_.size() == memory_) pairs_.pop_front();
    scale_ = sy / weighted_square(y);
    pairs_.push_back({std::move(s), std::move(y), 1 / sy});
  }

  // -H gradient, by the two loops of Nocedal 1980.
  Vector direction(const Vector& gradient) const {
    Vector q = gradient;
    Vector alpha(pairs_.size());
    for (size_t i = pairs_.size(); i-- > 0;) {
      alpha[i] = pairs_[i].rho * dot(pairs_[i].s, q);
      add(q, -alpha[i], pairs_[i].y);
    }
    const double scale = pairs_.empty() ? 1 : scale_;
    for (size_t i = 0; i < q.size(); ++i) q[i] *= scale * (inverse_.empty() ? 1 : inverse_[i]);
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const double beta = pairs_[i].rho * dot(pairs_[i].y, q);
      add(q, alpha[i] - beta, pairs_[i].s);
    }
    for (double& value : q) value = -value;
    return q;
  }

 private:
  struct Pair {
    Vector s, y;
    double rho;
  };
  double weighted_square(const Vector& y) const {
    double total = 0;
    for (size_t i = 0; i < y.size(); ++i) {
      total += y[i] * y[i] * (inverse_.empty() ? 1 : inverse_[i]);
    }
    return total;
  }

  size_t memory_;
  std::span<const double> inverse_;
  std::deque<Pair> pairs_;
  double scale_ = 1;
};

class Minimizer {
 public:
  Minimizer(const SmoothFunction& function, Vector start, const LbfgsOptions& options)
      : function_(function),
        options_(options),
        curvature_(options),
        x_(std::move(start)),
        gradient_(x_.size()) {}

  LbfgsResult run() {
    value_ = evaluate(x_, gradient_);
    if (!std::isfinite(value_)) return result(LbfgsResult::End::kNotFinite, gradient_);
    for (int64_t iteration = 0;; ++iteration) {
      iterations_ = iteration;
      const Vector slopes = options_.l1 > 0 ? penalized_slopes(x_, gradient_) : gradient_;
      const double most = steepest(slopes);
      const LbfgsState state = {iteration, value_, most, x_};
      if (options_.report && !options_.report(state)) {
        return result(LbfgsResult::End::kStopped, slopes);
      }
      if (most <= options_.tolerance && expected_fall(slopes) <= options_.least_fall) {
        return result(LbfgsResult::End::kConverged, slopes);
      }
      if (iteration == options_.most_iterations) {
        return result(LbfgsResult::End::kIterations, slopes);
      }
      bool moved = step(slopes);
      if (!moved && !curvature_.is_empty()) {
        // What was learnt may be at fault: once more straight down.
        curvature_.forget();
        moved = step(slopes);
      }
      if (!moved) return result(LbfgsResult::End::kNoProgress, slopes);
    }
  }

 private:
  double evaluate(const Vector& x, Vector& gradient) {
    ++evaluations_;
    double value = function_(x, gradient);
    for (int64_t i = 0; options_.l1 > 0 && i < options_.penalized; ++i) {
      value += options_.l1 * std::abs(x[static_cast<size_t>(i)]);
    }
    return value;
  }

  LbfgsResult result(LbfgsResult::End end, const Vector& slopes) {
    return {end, std::move(x_), value_, steepest(slopes), iterations_, evaluations_};
  }

  // Of the value, by a Newton step with the estimated second derivatives.
  double expected_fall(const Vector& slopes) const {
    double fall = 0;
    for (size_t i = 0; i < options_.inverse_diagonal.size(); ++i) {
      fall += slopes[i] * slopes[i] * options_.inverse_diagonal[i] / 2;
    }
    return fall;
  }

  // Where the length of a first step is not known, one that moves x by at most 1.
  double first_step(const Vector& slopes) const {
    if (!curvature_.is_empty() || !options_.inverse_diagonal.empty()) return 1;
    return std::min(1.0, 1 / std::sqrt(dot(slopes, slopes)));
  }

  bool step(const Vector& slopes) {
    Vector direction = curvature_.direction(slopes);
    return options_.l1 > 0 ? step_in_orthant(slopes, std::move(direction)) : step_along(direction);
  }

  bool step_along(const Vector& direction) {
    Vector x(x_.size()), gradient(x_.size());
    const LinePoint start = {0, value_, dot(gradient_, direction)};
    if (!(start.slope < 0)) return false;
    const auto point = find_step(
        [&](double step) {
          x = x_;
          add(x, step, direction);
          const double value = evaluate(x, gradient);
          return LinePoint{step, value, dot(gradient, direction)};
        },
        start, first_step(gradient_));
    if (!point) return false;
    move(std::move(x), std::move(gradient), point->value);
    return true;
  }

  // The slope of the steepest way down that the kinks at 0 leave.
  Vector penalized_slopes(const Vector& x, const Vector& gradient) const {
    Vector slopes = gradient;
    for (size_t i = 0; i < static_cast<size_t>(options_.penalized); ++i) {
      const double up = gradient[i] + options_.l1;
      const double down = gradient[i] - options_.l1;
      if (x[i] != 0) {
        slopes[i] = x[i] > 0 ? up : down;
      } else {
        slopes[i] = up < 0 ? up : down > 0 ? down : 0;
      }
    }
    return slopes;
  }

  // A step that stays where no sign changes: what would cross 0 stops there.
  bool step_in_orthant(const Vector& slopes, Vector direction) {
    const auto penalized = static_cast<size_t>(options_.penalized);
    for (size_t i = 0; i < penalized; ++i) {
      if (direction[i] * slopes[i] >= 0) direction[i] = 0;
    }
    Vector x(x_.size()), gradient(x_.size());
    double length = first_step(slopes);
    for (int tries = 0; tries < 40; ++tries, length *= 0.5) {
      double fall = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        x[i] = x_[i] + length * direction[i];
        const double side = x_[i] != 0 ? x_[i] : -slopes[i];
        if (i < penalized && x[i] * side <= 0) x[i] = 0;
        fall += slopes[i] * (x[i] - x_[i]);
      }
      const double value = evaluate(x, gradient);
      const bool is_lower = value <= value_ + 1e-4 * fall && value < value_;
      // Where values differ by no more than their precision, slopes tell.
      const bool is_flatter = std::abs(value - value_) <= 1e-7 * std::abs(value_) &&
                              steepest(penalized_slopes(x, gradient)) < 0.99 * steepest(slopes);
      if (fall < 0 && (is_lower || is_flatter)) {
        move(std::move(x), std::move(gradient), value);
        return true;
      }
    }
    return false;
  }

  void move(Vector x, Vector gradient, double value) {
    Vector s = x, y = gradient;
    add(s, -1, x_);
    add(y, -1, gradient_);
    curvature_.learn(std::move(s), std::move(y));
    x_ = std::move(x);
    gradient_ = std::move(gradient);
    value_ = value;
  }

  const SmoothFunction& function_;
  const LbfgsOptions& options_;
  Curvature curvature_;
  Vector x_, gradient_;
  double value_ = 0;
  int64_t iterations_ = 0;
  int64_t evaluations_ = 0;
};

}  // namespace

LbfgsResult minimize_lbfgs(const SmoothFunction& function, Vector start,
                           const LbfgsOptions& options) {
  return Minimizer(function, std::move(start), options).run();
}

}  // namespace thalweg::linear
