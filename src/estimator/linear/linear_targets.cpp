#include <algorithm>
#include <cmath>

#include "estimator/linear/design_matrix.h"
#include "estimator/linear/linear_loss.h"
#include "thalweg/base/error.h"

namespace thalweg::linear {
namespace {

constexpr int64_t kBlock = DesignMatrix::kBlock;

std::vector<float> padded_weights(const Tensor& weights, int64_t rows, int64_t padded) {
  std::vector<float> result(static_cast<size_t>(padded));
  if (!weights.is_valid()) {
    std::fill_n(result.begin(), rows, 1.0f);
    return result;
  }
  if (weights.dtype() != kFloat32 || weights.num_elements() != rows) {
    throw invalid_argument("the examples' weights are ", weights.dtype(), weights.shape(),
                           ", expected float32 [", rows, "]");
  }
  std::ranges::copy(weights.data<float>(), result.begin());
  for (int64_t i = 0; i < rows; ++i) {
    if (std::isfinite(result[i]) && result[i] >= 0) continue;
    throw invalid_argument("the weight of row ", i + 1, " is ", result[i],
                           ", expected a number of 0 or more");
  }
  return result;
}

bool is_binary(LossKind kind) {
  return kind == LossKind::kSigmoid || kind == LossKind::kHinge || kind == LossKind::kSmoothHinge;
}

}  // namespace

LinearTargets::LinearTargets(const LinearLoss& loss, const Tensor& labels, const Tensor& weights,
                             int64_t rows) {
  const int64_t blocks = (rows + kBlock - 1) / kBlock;
  const int64_t units = loss.kind == LossKind::kSoftmax ? 1 : loss.units;
  stride_ = units * kBlock;
  const int64_t given = rows > 0 ? labels.num_elements() / rows : 1;
  const bool shared = loss.kind == LossKind::kPinball && given == 1;
  if (rows < 1 || labels.dim(0) != rows || labels.num_elements() != rows * given ||
      (given != units && !shared)) {
    throw invalid_argument("the labels of a linear model with ", to_string(loss.kind), " are ",
                           labels.dtype(), labels.shape(), ", expected [", rows,
                           units == 1 ? std::string() : str(", ", units), "] of 1 row or more");
  }
  weights_ = padded_weights(weights, rows, blocks * kBlock);
  for (const float weight : weights_) total_weight_ += double{weight};
  if (!(total_weight_ > 0)) {
    throw invalid_argument("all ", rows,
                           " training rows have the weight 0, so there is nothing to learn");
  }
  targets_.assign(static_cast<size_t>(blocks * stride_), 0.0f);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < units; ++k) {
      double value = labels.at(i * given + (shared ? 0 : k));
      const auto unit = static_cast<size_t>(k);
      if (loss.kind == LossKind::kSoftmax) {
        if (!(value >= 0 && value < static_cast<double>(loss.units))) {
          throw invalid_argument("the label of row ", i + 1, " is class ", value,
                                 ", expected 0 to ", loss.units - 1);
        }
      } else if (is_binary(loss.kind)) {
        if (!(value >= 0 && value <= 1)) {
          throw invalid_argument("the label of row ", i + 1, " is ", value, ", expected 0 or 1");
        }
      } else if (loss.kind == LossKind::kPoisson) {
        if (!(value >= 0)) {
          throw invalid_argument("the label of row ", i + 1, " is ", value,
                                 ", expected a count of 0 or more");
        }
      } else if (!loss.mean.empty()) {
        value = (value - loss.mean[unit]) / loss.deviation[unit];
      }
      targets_[static_cast<size_t>((i / kBlock * units + k) * kBlock + i % kBlock)] =
          static_cast<float>(value);
    }
  }
  measure(loss, rows);
}

void LinearTargets::measure(const LinearLoss& loss, int64_t rows) {
  if (loss.kind == LossKind::kSoftmax) {
    means_.assign(static_cast<size_t>(loss.units), 0);
    deviations_.assign(static_cast<size_t>(loss.units), 1);
    for (int64_t i = 0; i < rows; ++i) means_[static_cast<size_t>(targets_[i])] += weights_[i];
    for (double& mean : means_) mean /= total_weight_;
    return;
  }
  for (int64_t k = 0; k < loss.units; ++k) {
    const auto target = [&](int64_t i) {
      return double{
          targets_[static_cast<size_t>((i / kBlock * loss.units + k) * kBlock + i % kBlock)]};
    };
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < rows; ++i) sum += weights_[i] * target(i);
    const double mean = sum / total_weight_;
    for (int64_t i = 0; i < rows; ++i) {
      squares += weights_[i] * (target(i) - mean) * (target(i) - mean);
    }
    if (loss.kind == LossKind::kPoisson) {
      const double share = loss.factor / static_cast<double>(loss.units);
      for (int64_t i = 0; i < rows; ++i) {
        const double y = target(i);
        fixed_loss_ += share * weights_[i] * (y > 0 ? y * std::log(y) - y : 0);
      }
    }
    means_.push_back(mean);
    deviations_.push_back(std::sqrt(squares / total_weight_));
  }
}

const float* LinearTargets::weights(int64_t block) const {
  return weights_.data() + block * kBlock;
}

}  // namespace thalweg::linear
