// Training of trees: rows in, an ensemble out. Nothing here knows of tables, folders or graphs.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "estimator/trees/tree_ensemble.h"
#include "thalweg/estimator/table_estimator.h"

namespace thalweg {

enum class TreeGoal {
  kBinary,        // labels 0 and 1 [rows]; one logit
  kMultiClass,    // labels 0 to outputs - 1 [rows]; a logit a class
  kMultiLabel,    // labels 0 and 1 [rows, outputs]; a logit a label
  kSquaredError,  // numbers [rows] or [rows, outputs]
  kPoisson,       // counts [rows], not negative; the logit is their logarithm
  kQuantile,      // numbers [rows]; an output a quantile
};

struct TreeRows {
  Tensor features;  // float32 [rows, columns], finite or NaN (missing)
  Tensor labels;    // float32, int32 or int64
  Tensor weights;   // float32 [rows], not negative; not valid: all 1
};

/// What is known after some trees. Losses are means over the rows by weight: log loss, squared
/// error, Poisson deviance, pinball loss; of several outputs their mean (log loss of labels: also).
struct TreeRound {
  int64_t round = 0;                         // counted from 1: a tree, or one an output
  std::optional<double> training_loss = {};  // of boosting: round 1, each tenth, the last
  std::optional<double> validation_loss = {};
};

struct TreeTask {
  TreeGoal goal = TreeGoal::kBinary;
  int64_t outputs = 1;
  std::vector<double> quantiles = {};
  const TreeRows& training;
  /// Boosting keeps the trees up to the best round by these rows. Null: all.
  const TreeRows* validation = nullptr;
  /// Rounds without a better validation loss after which boosting ends; 0: it goes on.
  int64_t patience = 0;
  uint64_t seed = 1;
  /// Of forests: whether TreeTraining::out_of_bag is wanted, for which each row is walked through a
  /// third of the trees.
  bool wants_out_of_bag = false;
  /// Of the features, for messages; empty: their numbers.
  std::vector<std::string> columns = {};
  /// After each round, on the calling thread; false ends the training with what there is.
  std::function<bool(const TreeRound&)> after_round = {};
};

struct TreeTraining {
  TreeEnsemble ensemble;
  std::vector<TreeRound> history = {};
  std::optional<int64_t> best_round = {};
  bool stopped_early = false;
  bool interrupted = false;
  std::string message = {};  // one sentence: why it ended
  /// Gain of the splits by each column, of the sum of all; [columns]. All 0 when nothing was split.
  std::vector<double> importance = {};
  /// Of forests: logits [rows, outputs] of each training row by the trees that have not seen it,
  /// NaN where every tree has; and how many rows are estimated. Not valid unless wanted, or with
  /// row_share 1.
  Tensor out_of_bag = {};
  int64_t out_of_bag_rows = 0;
};

/// Whether this build can boost: it was made with XGBoost's library. Forests and predictions need
/// no library.
bool can_boost();

/// XGBoost's "hist". The same seed and number of threads give the same bits. Throws
/// invalid_argument for options, features or labels that cannot be right, unimplemented when
/// !can_boost(), out_of_range when the loss is not finite.
TreeTraining train_boosted_trees(const BoostedTrees& options, const TreeTask& task);

/// Trees of our own, see forest.cpp. The same seed gives the same bits on any number of threads.
/// Throws invalid_argument; kQuantile is no goal of a forest; resource_exhausted for leaves that
/// would take more than 4 GiB, as those of many thousand classes do.
TreeTraining train_forest(const Forest& options, const TreeTask& task);

}  // namespace thalweg
