#include "thalweg/train/early_stopping.h"

#include <cmath>

#include "thalweg/base/error.h"

namespace thalweg {

EarlyStopping::EarlyStopping(EarlyStoppingOptions options) : options_(std::move(options)) {
  if (options_.patience < 0) {
    throw invalid_argument("early stopping: patience is ", options_.patience,
                           ", expected 0 (never stop) or more");
  }
  if (!(options_.min_delta >= 0 && std::isfinite(options_.min_delta))) {
    throw invalid_argument("early stopping: min_delta is ", options_.min_delta,
                           ", expected a finite number, 0 or more");
  }
}

void EarlyStopping::update(double metric) {
  const double gain = options_.higher_is_better ? metric - best_ : best_ - metric;
  const bool improved = !std::isnan(metric) && (std::isnan(best_) || gain > options_.min_delta);
  if (improved) best_ = metric;
  wait_ = improved ? 0 : wait_ + 1;
}

Tensor EarlyStopping::to_tensor() const {
  return Tensor::of<double>({best_, static_cast<double>(wait_)});
}

void EarlyStopping::restore(const Tensor& state) {
  if (state.dtype() != kFloat64 || state.shape() != Shape{2}) {
    throw invalid_argument("the state of early stopping is float64[2] (best, wait), got ",
                           state.dtype(), state.shape());
  }
  best_ = state.data<double>()[0];
  wait_ = static_cast<int64_t>(state.data<double>()[1]);
}

}  // namespace thalweg
