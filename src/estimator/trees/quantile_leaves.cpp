#include "estimator/trees/quantile_leaves.h"

#include <iterator>

#include "estimator/metrics/value_metrics.h"
#include "thalweg/base/philox.h"

namespace thalweg {

QuantileBoosting::QuantileBoosting(const TreeTask& task, const CheckedRows& rows,
                                   const xgboost::Matrix& matrix, double learning_rate,
                                   std::function<void(xgboost::Booster&)> configure)
    : task_(task),
      rows_(rows),
      matrix_(matrix),
      learning_rate_(learning_rate),
      configure_(std::move(configure)) {
  const std::vector<float> base = constant_logits(task, rows);
  for (int64_t i = 0; i < rows.rows; ++i) {
    margins_.insert(margins_.end(), base.begin(), base.end());
  }
  gradients_.resize(margins_.size());
  hessians_.resize(margins_.size());
}

void QuantileBoosting::boost(int64_t round) {
  last_ = std::make_unique<xgboost::Booster>(std::vector<const xgboost::Matrix*>{&matrix_});
  configure_(*last_);
  last_->set("seed", str(mix_seed(task_.seed, static_cast<uint64_t>(round)) >> 33));
  set_gradients();
  last_->boost(matrix_, gradients_, hessians_);

  XgboostTrees made = parse_xgboost_model(last_->model());
  set_leaves(made.trees);
  std::move(made.trees.begin(), made.trees.end(), std::back_inserter(trees_.trees));
  std::move(made.gains.begin(), made.gains.end(), std::back_inserter(trees_.gains));
  add(last_->leaves(matrix_), margins_);
}

void QuantileBoosting::add_to(const xgboost::Matrix& matrix, std::vector<float>& margins) const {
  add(last_->leaves(matrix), margins);
}

void QuantileBoosting::set_gradients() {
  const auto outputs = static_cast<size_t>(rows_.outputs);
  for (size_t i = 0; i < margins_.size(); ++i) {
    const auto q = static_cast<float>(task_.quantiles[i % outputs]);
    const float weight = rows_.weights[i / outputs];
    gradients_[i] = weight * (margins_[i] >= rows_.labels[i / outputs] ? 1 - q : -q);
    hessians_[i] = weight;
  }
}

void QuantileBoosting::set_leaves(std::vector<GrownTree>& trees) {
  const auto outputs = static_cast<size_t>(rows_.outputs);
  const std::vector<int32_t> ends = last_->leaves(matrix_);
  for (size_t k = 0; k < outputs; ++k) {
    GrownTree& tree = trees[k];
    std::vector<std::vector<float>> residuals(tree.values.size()), weights(tree.values.size());
    for (size_t i = 0; i < rows_.labels.size(); ++i) {
      if (rows_.weights[i] == 0) continue;
      const auto leaf =
          static_cast<size_t>(tree.nodes[static_cast<size_t>(ends[i * outputs + k])].leaf);
      residuals[leaf].push_back(rows_.labels[i] - margins_[i * outputs + k]);
      weights[leaf].push_back(rows_.weights[i]);
    }
    for (size_t leaf = 0; leaf < residuals.size(); ++leaf) {
      // A leaf of rows that do not count changes nothing.
      const double change =
          residuals[leaf].empty()
              ? 0
              : weighted_quantile(residuals[leaf], task_.quantiles[k], weights[leaf]);
      tree.values[leaf] = static_cast<float>(learning_rate_ * change);
    }
  }
}

void QuantileBoosting::add(const std::vector<int32_t>& leaves, std::vector<float>& margins) const {
  const auto outputs = static_cast<size_t>(rows_.outputs);
  const GrownTree* trees = trees_.trees.data() + trees_.trees.size() - outputs;
  for (size_t i = 0; i < margins.size(); ++i) {
    const GrownTree& tree = trees[i % outputs];
    margins[i] += tree.values[static_cast<size_t>(tree.nodes[static_cast<size_t>(leaves[i])].leaf)];
  }
}

}  // namespace thalweg
