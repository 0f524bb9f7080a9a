// When to stop: no better for a while.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "thalweg/tensor/tensor.h"

namespace thalweg {

struct EarlyStoppingOptions {
  /// Evaluations in a row without improvement after which the training stops; 0: never.
  int64_t patience = 0;
  /// "loss" or the name of a metric: of the validation set, without one of the training.
  std::string metric = "loss";
  bool higher_is_better = false;
  /// A change for the better by no more than this is no improvement.
  double min_delta = 0;
  /// Whether the variables have the best weights at the end, however the training ends (but by an
  /// error). Needs a validation set, or patience.
  bool restore_best = true;
};

/// Counts evaluations without improvement. Keras's EarlyStopping. A value.
class EarlyStopping {
 public:
  /// Throws invalid_argument for negative patience or min_delta.
  explicit EarlyStopping(EarlyStoppingOptions options = {});

  /// Takes the metric of one evaluation (NaN is no improvement).
  void update(double metric);
  bool should_stop() const { return options_.patience > 0 && wait_ >= options_.patience; }
  /// Evaluations since the last improvement.
  int64_t wait() const { return wait_; }
  const EarlyStoppingOptions& options() const { return options_; }

  /// float64[2], for a checkpoint, and back.
  Tensor to_tensor() const;
  void restore(const Tensor& state);

 private:
  EarlyStoppingOptions options_;
  double best_ = std::numeric_limits<double>::quiet_NaN();
  int64_t wait_ = 0;
};

}  // namespace thalweg
