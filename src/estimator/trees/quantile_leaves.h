// Boosting the pinball loss. Its gradient has the same size everywhere, so a Newton step says
// nothing of how far to go; the gradient chooses the splits, and each leaf is then set to the
// quantile of what its rows still lack (Friedman, "Greedy function approximation", 2001, section
// 4.3, LAD_TreeBoost; XGBoost does so from 2.0 on, Debian's is older). XGBoost's own leaf values
// are never used, so margins are kept here, and each round is a booster of its own: only so does
// the library tell the leaves of the last round alone.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "estimator/trees/tree_rows.h"
#include "estimator/trees/xgboost_library.h"
#include "estimator/trees/xgboost_model.h"

namespace thalweg {

class QuantileBoosting {
 public:
  /// `configure` sets a booster's parameters but its seed. The arguments must outlive it.
  QuantileBoosting(const TreeTask& task, const CheckedRows& rows, const xgboost::Matrix& matrix,
                   double learning_rate, std::function<void(xgboost::Booster&)> configure);

  /// Makes the trees of a round, one an output.
  void boost(int64_t round);
  /// Of the training rows: [rows, outputs].
  const std::vector<float>& margins() const { return margins_; }
  /// Adds the trees of the last round to the margins of other rows.
  void add_to(const xgboost::Matrix& matrix, std::vector<float>& margins) const;

  /// All trees made, with their gains.
  const XgboostTrees& trees() const { return trees_; }

 private:
  void set_gradients();
  // Sets the leaves of the newest trees, of which tree k stands for output k.
  void set_leaves(std::vector<GrownTree>& trees);
  void add(const std::vector<int32_t>& leaves, std::vector<float>& margins) const;

  const TreeTask& task_;
  const CheckedRows& rows_;
  const xgboost::Matrix& matrix_;
  double learning_rate_;
  std::function<void(xgboost::Booster&)> configure_;
  std::unique_ptr<xgboost::Booster> last_ = {};
  std::vector<float> margins_ = {};
  std::vector<float> gradients_ = {};
  std::vector<float> hessians_ = {};
  XgboostTrees trees_ = {};
};

}  // namespace thalweg
