#include "estimator/linear/linear_loss.h"

#include <algorithm>
#include <cmath>

#include "estimator/linear/design_matrix.h"
#include "estimator/linear/lanes.h"

namespace thalweg::linear {
namespace {

constexpr int64_t kBlock = DesignMatrix::kBlock;

// Each takes Lanes of score and target, and gives the loss; `score` becomes the slope.
struct Sigmoid {
  THALWEG_INLINE Lanes operator()(Lanes& s, const Lanes& label) const {
    const Lanes e = exp_lanes(s < 0.0f ? s : -s);
    const Lanes loss = (s > 0.0f ? s : Lanes{}) - s * label + log1p_lanes(e);
    s = (s < 0.0f ? e : Lanes{} + 1.0f) / (e + 1.0f) - label;
    return loss;
  }
};
struct Squared {
  THALWEG_INLINE Lanes operator()(Lanes& s, const Lanes& target) const {
    const Lanes error = s - target;
    s = 2.0f * error;
    return error * error;
  }
};
struct Poisson {
  THALWEG_INLINE Lanes operator()(Lanes& s, const Lanes& label) const {
    const Lanes rate = exp_lanes(s);
    const Lanes loss = rate - label * s;
    s = rate - label;
    return loss;
  }
};
struct Pinball {
  float quantile, width;
  THALWEG_INLINE Lanes operator()(Lanes& s, const Lanes& target) const {
    const Lanes e = target - s;
    const Lanes above = e * quantile;
    const Lanes below = e * (quantile - 1);
    if (width > 0) {
      const Lanes near = e * e * (0.25f / width) + e * (quantile - 0.5f) + 0.25f * width;
      s = e >= width    ? Lanes{} - quantile
          : e <= -width ? Lanes{} + (1 - quantile)
                        : e * (-0.5f / width) + (0.5f - quantile);
      return e >= width ? above : e <= -width ? below : near;
    }
    s = e > 0.0f ? Lanes{} - quantile : e < 0.0f ? Lanes{} + (1 - quantile) : Lanes{};
    return larger(above, below);
  }
};
struct Hinge {
  float width;  // 0: with a kink
  THALWEG_INLINE Lanes operator()(Lanes& s, const Lanes& label) const {
    const Lanes y = 2.0f * label - 1.0f;
    const Lanes gap = 1.0f - y * s;
    if (width > 0) {
      s = gap >= width ? -y : gap > 0.0f ? -y * gap * (1 / width) : Lanes{};
      return gap >= width ? gap - 0.5f * width : gap > 0.0f ? gap * gap * (0.5f / width) : Lanes{};
    }
    s = gap > 0.0f ? -y : Lanes{};
    return gap > 0.0f ? gap : Lanes{};
  }
};

template <class F>
THALWEG_INLINE double take(const F& f, const float* targets, const float* weights, float* scores,
                           float factor) {
  double total = 0;
  for (int64_t begin = 0; begin < kBlock; begin += 4 * kLanes) {
    Lanes partial = {};
    for (int64_t i = begin; i < begin + 4 * kLanes; i += kLanes) {
      const Lanes weight = load(weights + i) * factor;
      Lanes s = load(scores + i);
      const Lanes loss = f(s, load(targets + i));
      store(scores + i, s * weight);
      partial += loss * weight;
    }
    total += double{sum(partial)};
  }
  return total;
}

THALWEG_CLONES
double take_sigmoid(const float* targets, const float* weights, float* scores, float factor) {
  return take(Sigmoid(), targets, weights, scores, factor);
}
THALWEG_CLONES
double take_squared(const float* targets, const float* weights, float* scores, float factor) {
  return take(Squared(), targets, weights, scores, factor);
}
THALWEG_CLONES
double take_poisson(const float* targets, const float* weights, float* scores, float factor) {
  return take(Poisson(), targets, weights, scores, factor);
}
THALWEG_CLONES
double take_pinball(const float* targets, const float* weights, float* scores, float factor,
                    float quantile, float width) {
  return take(Pinball{quantile, width}, targets, weights, scores, factor);
}
THALWEG_CLONES
double take_hinge(const float* targets, const float* weights, float* scores, float factor,
                  float width) {
  return take(Hinge{width}, targets, weights, scores, factor);
}

THALWEG_CLONES
double take_softmax(const float* labels, const float* weights, float* scores, float factor,
                    int64_t units) {
  double total = 0;
  for (int64_t i = 0; i < kBlock; i += kLanes) {
    Lanes most = load(scores + i);
    for (int64_t k = 1; k < units; ++k) most = larger(most, load(scores + k * kBlock + i));
    const Lanes label = load(labels + i);
    Lanes total_exp = {}, own = {};
    for (int64_t k = 0; k < units; ++k) {
      const Lanes s = load(scores + k * kBlock + i) - most;
      const Lanes e = exp_lanes(s);
      own = label == static_cast<float>(k) ? s : own;
      total_exp += e;
      store(scores + k * kBlock + i, e);
    }
    const Lanes weight = load(weights + i) * factor;
    const Lanes scale = weight / total_exp;
    for (int64_t k = 0; k < units; ++k) {
      const Lanes e = load(scores + k * kBlock + i);
      store(scores + k * kBlock + i,
            e * scale - (label == static_cast<float>(k) ? weight : Lanes{}));
    }
    total += double{sum((log_lanes(total_exp) - own) * weight)};
  }
  return total;
}

}  // namespace

std::string_view to_string(LossKind kind) {
  switch (kind) {
    case LossKind::kSigmoid: return "sigmoid cross entropy";
    case LossKind::kSoftmax: return "softmax cross entropy";
    case LossKind::kSquared: return "squared error";
    case LossKind::kPoisson: return "Poisson loss";
    case LossKind::kPinball: return "pinball loss";
    case LossKind::kHinge: return "hinge loss";
    case LossKind::kSmoothHinge: return "smooth hinge loss";
  }
  return "?";
}

double take_loss(const LinearLoss& loss, const float* targets, const float* weights,
                 float* scores) {
  if (loss.kind == LossKind::kSoftmax) {
    return take_softmax(targets, weights, scores, static_cast<float>(loss.factor), loss.units);
  }
  const auto factor = static_cast<float>(loss.factor / static_cast<double>(loss.units));
  const auto width = static_cast<float>(loss.width);
  double total = 0;
  for (int64_t k = 0; k < loss.units; ++k, targets += kBlock, scores += kBlock) {
    switch (loss.kind) {
      case LossKind::kSigmoid: total += take_sigmoid(targets, weights, scores, factor); break;
      case LossKind::kSquared: total += take_squared(targets, weights, scores, factor); break;
      case LossKind::kPoisson: total += take_poisson(targets, weights, scores, factor); break;
      case LossKind::kPinball: {
        const auto quantile = static_cast<float>(loss.quantiles[static_cast<size_t>(k)]);
        total += take_pinball(targets, weights, scores, factor, quantile, width);
        break;
      }
      case LossKind::kHinge: total += take_hinge(targets, weights, scores, factor, 0); break;
      case LossKind::kSmoothHinge:
        total += take_hinge(targets, weights, scores, factor, width);
        break;
      case LossKind::kSoftmax: break;
    }
  }
  return total;
}

double curvature(const LinearLoss& loss, const LinearTargets& targets) {
  const double share = loss.factor / static_cast<double>(loss.units);
  switch (loss.kind) {
    case LossKind::kSigmoid: return 0.25 * share;
    case LossKind::kSoftmax: return 0.25 * loss.factor;
    case LossKind::kSquared: return 2 * share;
    case LossKind::kPoisson:
      // Labels that are all 0 leave none.
      return share * std::max(std::ranges::max(targets.means()), 1e-6);
    case LossKind::kPinball: return share * 0.5 / std::max(loss.width, 1e-3);
    default: return share / std::max(loss.width, 1e-3);
  }
}

}  // namespace thalweg::linear
