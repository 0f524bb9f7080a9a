#include "estimator/linear/linear_objective.h"

#include <algorithm>
#include <cmath>

#include "thalweg/base/parallel.h"

namespace thalweg::linear {
namespace {

constexpr int64_t kBlock = DesignMatrix::kBlock;
constexpr int64_t kMostChunks = 64;
constexpr int64_t kMostPartialSums = 1 << 22;
constexpr int64_t kLeastProducts = 200'000;  // that are worth a thread

}  // namespace

LinearObjective::LinearObjective(const DesignMatrix& matrix, const LinearLoss& loss,
                                 const LinearTargets& targets, double l2)
    : matrix_(matrix), loss_(loss), targets_(targets), l2_(l2), units_(loss.units) {
  const int64_t sums = matrix.numbers() * units_ + units_ + 1;
  chunks_ = std::clamp<int64_t>(kMostPartialSums / sums, 1, kMostChunks);
  chunks_ = std::min(chunks_, matrix.blocks());
  const int64_t products = matrix.rows() * (matrix.numbers() + 10) * units_ / chunks_;
  grain_ = std::max<int64_t>(1, kLeastProducts / std::max<int64_t>(products, 1));
  weights_.resize(static_cast<size_t>((matrix.features() + 1) * units_));
  partial_.resize(static_cast<size_t>(chunks_ * sums));
  if (!matrix.has_ids()) return;
  slopes_.resize(static_cast<size_t>(matrix.blocks() * units_ * kBlock));
  id_sums_.resize(static_cast<size_t>((matrix.features() - matrix.numbers()) * units_));
}

double LinearObjective::operator()(std::span<const double> parameters, std::span<double> gradient) {
  const int64_t count = weights();
  const int64_t numbers = matrix_.numbers() * units_;
  const int64_t sums = numbers + units_ + 1;
  std::copy_n(parameters.data(), count, weights_.data());
  const std::vector<float> bias(parameters.begin() + count, parameters.end());
  std::ranges::fill(partial_, 0.0);

  const int64_t blocks = matrix_.blocks();
  parallel_for(chunks_, grain_, [&](int64_t first, int64_t last) {
    std::vector<float> own(slopes_.empty() ? static_cast<size_t>(units_ * kBlock) : 0);
    for (int64_t c = first; c < last; ++c) {
      double* partial = partial_.data() + c * sums;
      for (int64_t b = c * blocks / chunks_; b < (c + 1) * blocks / chunks_; ++b) {
        float* slopes = slopes_.empty() ? own.data() : slopes_.data() + b * units_ * kBlock;
        matrix_.multiply(b, weights_.data(), bias.data(), units_, slopes);
        partial[sums - 1] += take_loss(loss_, targets_.targets(b), targets_.weights(b), slopes);
        matrix_.add_number_sums(b, slopes, units_, partial);
        DesignMatrix::add_bias_sums(slopes, units_, partial + numbers);
      }
    }
  });

  const double share = 1 / targets_.total_weight();
  std::ranges::fill(gradient, 0.0);
  double loss = 0;
  for (int64_t c = 0; c < chunks_; ++c) {
    const double* partial = partial_.data() + c * sums;
    for (int64_t j = 0; j < numbers; ++j) gradient[j] += partial[j];
    for (int64_t k = 0; k < units_; ++k) gradient[count + k] += partial[numbers + k];
    loss += partial[sums - 1];
  }
  if (!slopes_.empty()) {
    matrix_.id_sums(slopes_.data(), units_, id_sums_.data());
    std::ranges::copy(id_sums_, gradient.begin() + numbers);
  }
  double squares = 0;
  for (int64_t j = 0; j < count; ++j) {
    squares += parameters[j] * parameters[j];
    gradient[j] = (gradient[j] + l2_ * parameters[j]) * share;
  }
  for (int64_t k = 0; k < units_; ++k) gradient[count + k] *= share;
  mean_loss_ = (loss + targets_.fixed_loss()) * share;
  return loss * share + 0.5 * l2_ * squares * share;
}

double LinearObjective::scale() const {
  if (loss_.kind != LossKind::kSquared && loss_.kind != LossKind::kPoisson) return 1;
  return deviation();
}

double LinearObjective::loss_scale() const {
  switch (loss_.kind) {
    case LossKind::kSquared: return deviation() * deviation();
    case LossKind::kPoisson:
    case LossKind::kPinball: return deviation();
    default: return 1;
  }
}

double LinearObjective::deviation() const {
  const double most = std::ranges::max(targets_.deviations());
  return most > 0 ? most : 1;
}

std::vector<double> LinearObjective::inverse_diagonal() const {
  const double share = 1 / targets_.total_weight();
  const double curve = curvature(loss_, targets_);
  const std::vector<double> squares = matrix_.square_sums(targets_.weights(0));
  std::vector<double> result(static_cast<size_t>(size()), 1 / curve);
  for (size_t f = 0; f < squares.size(); ++f) {
    const double second = (curve * squares[f] + l2_) * share;
    // A number that is 0 in all rows stays where it is.
    std::fill_n(result.begin() + static_cast<int64_t>(f) * units_, units_,
                second > 0 ? 1 / second : 0);
  }
  return result;
}

std::vector<double> LinearObjective::best_bias() const {
  std::vector<double> bias = targets_.means();
  switch (loss_.kind) {
    case LossKind::kSigmoid:
      for (double& b : bias) {
        const double share = std::clamp(b, 1e-6, 1 - 1e-6);
        b = std::log(share / (1 - share));
      }
      break;
    case LossKind::kSoftmax: {
      // Their sum stays 0, as it does in steps along gradients.
      double mean = 0;
      for (double& b : bias) mean += b = std::log(std::max(b, 1e-6));
      for (double& b : bias) b -= mean / static_cast<double>(units_);
      break;
    }
    case LossKind::kPoisson:
      for (double& b : bias) b = std::log(std::max(b, 1e-6));
      break;
    case LossKind::kHinge:
    case LossKind::kSmoothHinge: std::ranges::fill(bias, 0.0); break;
    default: break;
  }
  return bias;
}

}  // namespace thalweg::linear
