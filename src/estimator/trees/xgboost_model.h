// XGBoost's own model files (JSON or UBJSON, since 1.6), as XGBoosterSaveModelToBuffer writes them.
#pragma once

#include <string_view>
#include <vector>

#include "estimator/trees/tree_ensemble.h"

namespace thalweg {

struct XgboostTrees {
  /// In the order of the rounds, one for each output; node numbers are XGBoost's.
  std::vector<GrownTree> trees;
  std::vector<std::vector<float>> gains;  // [trees][nodes]; 0 at leaves
  int64_t columns = 0;
  int64_t outputs = 1;
  float base = 0;  // logit that each output starts from
};

/// Throws invalid_argument when the text is no such model, unimplemented for boosters other than
/// gbtree and for categorical splits.
XgboostTrees parse_xgboost_model(std::string_view bytes);

/// The model as an ensemble: its sums are XGBoost's margins.
TreeEnsemble ensemble_of_xgboost_model(std::string_view bytes);

}  // namespace thalweg
