// Gradient boosting by XGBoost's library. It runs on OpenMP like everything here, from the same
// thread and with the same number of threads, so it works on the one pool there is.
#include <cmath>

#include "estimator/trees/quantile_leaves.h"
#include "estimator/trees/tree_training.h"
#include "estimator/trees/xgboost_model.h"
#include "thalweg/base/error.h"
#include "thalweg/base/parallel.h"
#include "thalweg/base/philox.h"

namespace thalweg {
namespace {

// Rounds: a pass over all rows each time would take a good part of a tree's time.
constexpr int64_t kTrainingLossEvery = 10;
constexpr double kManyTrees = 1e6;
constexpr double kDeepest = 30;  // a node's number in a tree of XGBoost is an int

void check(const BoostedTrees& options, const TreeTask& task) {
  check_option("trees", static_cast<double>(options.trees), 1, kManyTrees);
  check_option("max_depth", static_cast<double>(options.max_depth), 1, kDeepest);
  check_option("learning_rate", options.learning_rate, 1e-9, 1e3);
  check_option("l1", options.l1, 0, 1e12);
  check_option("l2", options.l2, 0, 1e12);
  check_option("min_child_weight", options.min_child_weight, 0, 1e12);
  check_option("row_share", options.row_share, 1e-9, 1);
  check_option("column_share", options.column_share, 1e-9, 1);
  if (task.goal == TreeGoal::kMultiClass && task.outputs < 2) {
    throw invalid_argument("there is one class; boosted trees need two or more to tell apart");
  }
}

std::string objective_of(TreeGoal goal) {
  switch (goal) {
    case TreeGoal::kBinary:
    case TreeGoal::kMultiLabel: return "binary:logistic";
    case TreeGoal::kMultiClass: return "multi:softprob";
    case TreeGoal::kPoisson: return "count:poisson";
    case TreeGoal::kSquaredError:
    case TreeGoal::kQuantile: return "reg:squarederror";
  }
  throw internal_error("no goal ", static_cast<int>(goal));
}

void configure(xgboost::Booster& booster, const BoostedTrees& options, const TreeTask& task) {
  booster.set("verbosity", "0");
  booster.set("nthread", str(num_threads()));
  booster.set("seed", str(mix_seed(task.seed, "boosted_trees") >> 33));
  booster.set("tree_method", "hist");
  booster.set("objective", objective_of(task.goal));
  booster.set("max_depth", str(options.max_depth));
  booster.set("eta", str(options.learning_rate));
  booster.set("alpha", str(options.l1));
  booster.set("lambda", str(options.l2));
  booster.set("min_child_weight", str(options.min_child_weight));
  booster.set("subsample", str(options.row_share));
  booster.set("colsample_bytree", str(options.column_share));
  if (task.goal == TreeGoal::kMultiClass) booster.set("num_class", str(task.outputs));
}

// One training: the library's state, and the margins where it does not keep them.
class Boosting {
 public:
  Boosting(const BoostedTrees& options, const TreeTask& task)
      : options_(options),
        task_(task),
        training_(check_rows(task, task.training, "training")),
        base_(constant_logits(task, training_)),
        matrix_(training_, base_, label_width()),
        booster_(with_validation()) {
    if (task.goal != TreeGoal::kQuantile) {
      configure(booster_, options, task);
      return;
    }
    quantiles_.emplace(task, training_, matrix_, options.learning_rate,
                       [this](xgboost::Booster& booster) { configure(booster, options_, task_); });
    for (int64_t i = 0; i < validation_.rows; ++i) {
      validation_margins_.insert(validation_margins_.end(), base_.begin(), base_.end());
    }
  }

  TreeRound boost(int64_t round) {
    TreeRound result{.round = round};
    if (quantiles_) {
      quantiles_->boost(round);
      if (validation_matrix_) quantiles_->add_to(*validation_matrix_, validation_margins_);
    } else {
      booster_.boost(static_cast<int>(round) - 1, matrix_);
    }
    if (validation_matrix_) {
      const float* margins =
          quantiles_ ? validation_margins_.data() : booster_.margins(*validation_matrix_);
      result.validation_loss = loss(validation_, margins, round);
    }
    return result;
  }

  // After `round`, the last one made.
  double training_loss(int64_t round) const {
    const float* margins = quantiles_ ? quantiles_->margins().data() : booster_.margins(matrix_);
    return loss(training_, margins, round);
  }

  // The trees of the first `rounds` rounds.
  void finish(int64_t rounds, TreeTraining& result) const {
    XgboostTrees model = quantiles_ ? quantiles_->trees() : parse_xgboost_model(booster_.model());
    model.trees.resize(static_cast<size_t>(rounds * task_.outputs));
    std::vector<double> gains(static_cast<size_t>(training_.columns), 0.0);
    for (size_t t = 0; t < model.trees.size(); ++t) {
      const std::vector<GrownTree::Node>& nodes = model.trees[t].nodes;
      for (size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].column < 0) continue;
        gains[static_cast<size_t>(nodes[i].column)] += model.gains[t][i];
      }
    }
    result.importance = to_shares(std::move(gains));
    result.ensemble = join_trees(model.trees, training_.columns, 1, base_, 1, TreeLink::kNone);
  }

 private:
  int64_t label_width() const {
    return task_.goal == TreeGoal::kQuantile ? task_.outputs : training_.label_width;
  }

  std::vector<const xgboost::Matrix*> with_validation() {
    if (task_.validation == nullptr) return {&matrix_};
    validation_ = check_rows(task_, *task_.validation, "validation");
    if (validation_.columns != training_.columns) {
      throw invalid_argument("the validation rows have ", validation_.columns,
                             " columns, expected ", training_.columns);
    }
    validation_matrix_.emplace(validation_, base_, label_width());
    return {&matrix_, &*validation_matrix_};
  }

  double loss(const CheckedRows& rows, const float* margins, int64_t round) const {
    const double value = mean_tree_loss(task_, rows, margins);
    if (!std::isfinite(value)) {
      throw out_of_range("the loss is ", value, " after tree ", round, "; lower `learning_rate` (",
                         options_.learning_rate, ") or scale the labels down");
    }
    return value;
  }

  const BoostedTrees& options_;
  const TreeTask& task_;
  CheckedRows training_;
  CheckedRows validation_ = {};
  std::vector<float> base_;
  xgboost::Matrix matrix_;
  std::optional<xgboost::Matrix> validation_matrix_;
  xgboost::Booster booster_;
  std::optional<QuantileBoosting> quantiles_;
  std::vector<float> validation_margins_;
};

}  // namespace

bool can_boost() { return true; }

TreeTraining train_boosted_trees(const BoostedTrees& options, const TreeTask& task) {
  check(options, task);
  Boosting boosting(options, task);
  TreeTraining result;
  double best = INFINITY;
  int64_t rounds = 0;
  while (rounds < options.trees && !result.interrupted && !result.stopped_early) {
    result.history.push_back(boosting.boost(++rounds));
    TreeRound& now = result.history.back();
    if (rounds == 1 || rounds % kTrainingLossEvery == 0) {
      now.training_loss = boosting.training_loss(rounds);
    }
    if (now.validation_loss && *now.validation_loss < best) {
      best = *now.validation_loss;
      result.best_round = rounds;
    }
    result.interrupted = task.after_round && !task.after_round(now);
    result.stopped_early =
        task.patience > 0 && result.best_round && rounds - *result.best_round >= task.patience;
  }
  if (!result.history.back().training_loss) {
    result.history.back().training_loss = boosting.training_loss(rounds);
  }
  const int64_t kept = result.best_round.value_or(rounds);
  boosting.finish(kept, result);
  result.message = result.interrupted ? str("stopped after ", rounds, " trees")
                   : result.stopped_early
                       ? str("no better validation loss for ", task.patience, " trees")
                       : str("all ", rounds, " trees made");
  if (kept < rounds) result.message += str("; the first ", kept, " are kept");
  return result;
}

}  // namespace thalweg
