#include "estimator/linear/sdca.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "thalweg/base/error.h"
#include "thalweg/base/philox.h"

namespace thalweg::linear {
namespace {

double log1p_exp(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }
// b log b, 0 at 0.
double entropy(double b) { return b > 0 ? b * std::log(b) : 0; }

// For each loss phi(score) its dual variable `a`: the weights are sum_i w_i a_i x_i / l2.
//   step(a, score, q): the new a that maximises -phi*(-a') - (a' - a) score - q (a' - a)^2 / 2
//   dual(a): -phi*(-a)
class Dual {
 public:
  Dual(const LinearLoss& loss, double target) : kind_(loss.kind), width_(loss.width), y_(target) {
    if (kind_ != LossKind::kSquared) y_ = 2 * target - 1;
  }

  double loss(double score) const {
    const double gap = 1 - y_ * score;
    switch (kind_) {
      case LossKind::kSquared: return (score - y_) * (score - y_);
      case LossKind::kHinge: return std::max(gap, 0.0);
      case LossKind::kSmoothHinge:
        return gap >= width_ ? gap - width_ / 2 : gap > 0 ? gap * gap / (2 * width_) : 0;
      default: return log1p_exp(-y_ * score);
    }
  }

  double dual(double a) const {
    const double b = y_ * a;
    switch (kind_) {
      case LossKind::kSquared: return a * y_ - a * a / 4;
      case LossKind::kHinge: return b;
      case LossKind::kSmoothHinge: return b - width_ * b * b / 2;
      default: return -entropy(b) - entropy(1 - b);
    }
  }

  double step(double a, double score, double q) const {
    const double b = y_ * a;
    const double gap = 1 - y_ * score;
    switch (kind_) {
      case LossKind::kSquared: return a + (y_ - score - a / 2) / (0.5 + q);
      case LossKind::kHinge: return y_ * std::clamp(b + gap / q, 0.0, 1.0);
      case LossKind::kSmoothHinge:
        return y_ * std::clamp(b + (gap - width_ * b) / (q + width_), 0.0, 1.0);
      default: return y_ * logistic_step(b, y_ * score, q);
    }
  }

 private:
  // The root of z + margin + q (sigmoid(z) - b), which rises in z, as sigmoid(z): Newton's method,
  // held between bounds. The root lies between -margin + q (b - 1) and -margin + q b.
  static double logistic_step(double b, double margin, double q) {
    double low = -margin + q * (b - 1), high = -margin + q * b;
    double z = std::clamp(b > 0 && b < 1 ? std::log(b / (1 - b)) : 0.0, low, high);
    for (int i = 0; i < 60; ++i) {
      const double s = 1 / (1 + std::exp(-z));
      const double value = z + margin + q * (s - b);
      (value > 0 ? high : low) = z;
      double next = z - value / (1 + q * s * (1 - s));
      if (!(next > low && next < high)) next = (low + high) / 2;
      if (std::abs(next - z) <= 1e-13 * std::max(1.0, std::abs(z))) break;
      z = next;
    }
    return 1 / (1 + std::exp(-z));
  }

  LossKind kind_;
  double width_;
  double y_;  // the target, of classes -1 or 1
};

class Ascent {
 public:
  Ascent(const SparseRows& rows, const LinearLoss& loss, const LinearTargets& targets,
         const SdcaOptions& options)
      : rows_(rows),
        loss_(loss),
        targets_(targets.targets(0)),
        row_weights_(targets.weights(0)),
        options_(options),
        dual_(static_cast<size_t>(rows.rows())),
        squares_(dual_.size()),
        sums_(static_cast<size_t>(rows.features())) {
    for (int64_t i = 0; i < rows.rows(); ++i) {
      double& square = squares_[static_cast<size_t>(i)];
      rows.for_each(i, [&](int64_t, double value) { square += value * value; });
    }
  }

  void pass(int64_t epoch) {
    std::vector<int64_t> order(dual_.size());
    std::iota(order.begin(), order.end(), 0);
    Philox random(options_.seed, static_cast<uint64_t>(epoch));
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
    for (const int64_t row : order) ascend(row);
  }

  SdcaState measure(int64_t epoch) const {
    SdcaState state;
    state.epoch = epoch;
    double dual = 0, squares = 0, absolute = 0;
    for (int64_t i = 0; i < rows_.rows(); ++i) {
      const Dual function(loss_, targets_[i]);
      const double weight = row_weight(i);
      state.loss += weight * function.loss(score(i));
      dual += weight * function.dual(dual_[static_cast<size_t>(i)]);
    }
    for (int64_t f = 0; f < rows_.features(); ++f) {
      const double w = weight(f);
      squares += w * w;
      if (f != rows_.bias()) absolute += std::abs(w);
    }
    state.primal = state.loss + options_.l2 / 2 * squares + options_.l1 * absolute;
    state.dual = dual - options_.l2 / 2 * squares;
    return state;
  }

  std::vector<double> weights() const {
    std::vector<double> result(sums_.size());
    for (int64_t f = 0; f < rows_.features(); ++f) result[static_cast<size_t>(f)] = weight(f);
    return result;
  }

 private:
  double row_weight(int64_t row) const { return row_weights_[row] * loss_.factor; }

  // sum_i w_i a_i x_i / l2, moved towards 0 by l1 / l2.
  double weight(int64_t feature) const {
    const double v = sums_[static_cast<size_t>(feature)];
    if (options_.l1 == 0 || feature == rows_.bias()) return v;
    const double size = std::abs(v) - options_.l1 / options_.l2;
    return size > 0 ? std::copysign(size, v) : 0;
  }

  double score(int64_t row) const {
    double result = 0;
    if (options_.l1 == 0) {
      const double* sums = sums_.data();
      rows_.for_each(row, [&](int64_t f, double value) { result += value * sums[f]; });
    } else {
      rows_.for_each(row, [&](int64_t f, double value) { result += value * weight(f); });
    }
    return result;
  }

  void ascend(int64_t row) {
    const double share = row_weight(row) / options_.l2;
    if (share == 0) return;
    double& a = dual_[static_cast<size_t>(row)];
    const double q = share * squares_[static_cast<size_t>(row)];
    const double next = Dual(loss_, targets_[row]).step(a, score(row), q);
    const double change = share * (next - a);
    a = next;
    if (change == 0) return;
    double* sums = sums_.data();
    rows_.for_each(row, [&](int64_t f, double value) { sums[f] += change * value; });
  }

  const SparseRows& rows_;
  const LinearLoss& loss_;
  const float* targets_;
  const float* row_weights_;
  const SdcaOptions& options_;
  std::vector<double> dual_;
  std::vector<double> squares_;  // of each row's values
  std::vector<double> sums_;
};

}  // namespace

SparseRows::SparseRows(const PreparedRows& rows, const std::vector<Term>& terms)
    : rows_(rows.rows) {
  using Kind = Transform::Place::Kind;
  if (rows.numbers != nullptr) number_stride_ = rows.numbers->dim(1);
  if (rows.ids != nullptr) id_stride_ = rows.ids->dim(1);
  for (const Term& term : terms) {
    const auto& [kind, indices, buckets] = term.place;
    if (kind == Kind::kNumbers) {
      add_numbers(*rows.numbers, indices);
      continue;
    }
    const int64_t index = indices.at(0);
    if (kind == Kind::kIds) {
      ids_.push_back({rows.ids->data<int64_t>().data() + index, features_, buckets});
    } else {
      const PreparedRows::Bag& bag = rows.bags.at(static_cast<size_t>(index));
      bags_.push_back({bag.ids->data<int64_t>().data(), bag.weights->data<float>().data(),
                       bag.ids->dim(1), features_, buckets});
    }
    features_ += buckets;
  }
  ++features_;
}

void SparseRows::add_numbers(const Tensor& numbers, const std::vector<int64_t>& indices) {
  const float* row = numbers.data<float>().data();
  for (const int64_t index : indices) {
    const float* from = row + index;
    if (numbers_.empty() || numbers_.back().from + numbers_.back().count != from ||
        numbers_.back().first + numbers_.back().count != features_) {
      numbers_.push_back({from, features_, 0});
    }
    ++numbers_.back().count;
    ++features_;
  }
}

void SparseRows::refuse_id(int64_t id, int64_t buckets) {
  throw invalid_argument("a column of ", buckets, " categories holds the id ", id);
}

SdcaResult minimize_sdca(const SparseRows& rows, const LinearLoss& loss,
                         const LinearTargets& targets, const SdcaOptions& options) {
  Ascent ascent(rows, loss, targets, options);
  SdcaResult result;
  for (int64_t epoch = 1; epoch <= options.most_epochs; ++epoch) {
    ascent.pass(epoch);
    result.state = ascent.measure(epoch);
    result.weights = ascent.weights();
    if (!std::isfinite(result.state.primal)) return result;
    if (options.report && !options.report(result.state, result.weights)) return result;
    result.converged =
        result.state.primal - result.state.dual <= options.tolerance * result.state.primal;
    if (result.converged) return result;
  }
  return result;
}

}  // namespace thalweg::linear
