// From prepared tensors (transform.h) to the one matrix that trees look at: the numbers as they
// are, then the categories as their codes 0, 1, ... in float32, NaN where a value is missing.
//
// Categories stay ordinal codes. XGBoost's own categorical splits were measured on the census
// table: the same accuracy (0.870 against 0.870, 3 seeds, 300 trees of depth 6) in three times the
// time.
#pragma once

#include <string>
#include <vector>

#include "thalweg/estimator/feature_network.h"
#include "thalweg/estimator/transform.h"

namespace thalweg {

/// Names of the matrix's columns. Throws invalid_argument when there is none, or for a text: a bag
/// of many values a row is nothing that a tree can split.
std::vector<std::string> tree_columns(const PreparedSpec& prepared);

/// float32 [rows, columns].
Tensor tree_matrix(const PreparedSpec& prepared, const data::Example& rows);
/// The same as nodes, of ops that TensorFlow has.
Output tree_features(const PreparedSpec& prepared, const PreparedBatch& batch);

}  // namespace thalweg
