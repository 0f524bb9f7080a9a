// Loss and metrics over the batches of an epoch or a data set, from what each batch's run fetched.
#pragma once

#include <span>
#include <vector>

#include "thalweg/nn/metrics.h"
#include "thalweg/train/train_spec.h"

namespace thalweg::train {

/// Sums in double precision. A value.
class RunningFigures {
 public:
  /// `loss` and `loss_weight` may be none.
  RunningFigures(Output loss, Output loss_weight, const std::vector<Metric>& metrics);

  /// What to fetch with each batch, in this order.
  const std::vector<Output>& fetches() const { return fetches_; }
  /// Takes the values of one batch of `examples` examples.
  void update(std::span<const Tensor> values, int64_t examples);
  /// The loss of the last batch; NaN without a loss.
  double last_loss() const { return last_loss_; }
  /// Whether all batches so far had weight 0, so that there is no loss.
  bool is_weightless() const { return has_loss_ && !means_[0].is_defined(); }

  /// The figures so far, written over those of an earlier call without allocating.
  void write(std::vector<Figure>& figures) const;
  const std::vector<std::string>& names() const { return names_; }
  void reset();

  /// float64[figures, 2]: totals and weights, for a checkpoint, and back.
  Tensor to_tensor() const;
  void restore(const Tensor& sums);

 private:
  bool has_loss_;
  bool has_loss_weight_;
  std::vector<Output> fetches_;
  std::vector<std::string> names_;
  std::vector<MeanMetric> means_;
  double last_loss_;
};

}  // namespace thalweg::train
