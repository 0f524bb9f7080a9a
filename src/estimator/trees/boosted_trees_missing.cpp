// Stands for boosted_trees.cpp in a build without XGBoost's library.
#include "estimator/trees/tree_training.h"
#include "thalweg/base/error.h"

namespace thalweg {

bool can_boost() { return false; }

TreeTraining train_boosted_trees(const BoostedTrees&, const TreeTask&) {
  throw unimplemented(
      "this build cannot train boosted trees: XGBoost's library was not there when it was made; "
      "install libxgboost-dev and build again, or train a forest (predicting with boosted trees "
      "works)");
}

}  // namespace thalweg
