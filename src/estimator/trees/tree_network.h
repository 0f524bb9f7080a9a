// The network of a tree model: from features to logits, by an op of ours or by TensorFlow's alone.
#pragma once

#include <vector>

#include "estimator/trees/tree_ensemble.h"
#include "thalweg/graph/graph.h"

namespace thalweg {

/// The tensors of an ensemble in a graph, in the order of tree_components().
using TreeParts = std::vector<Output>;

/// Variables named as set_tree_variables() names them, made once a graph; no optimizer takes them.
/// They start as 0.
TreeParts tree_variables(Graph& graph, const TreeShape& shape);
TreeParts tree_constants(Graph& graph, const TreeEnsemble& ensemble);

enum class TreeForm {
  kNative,  // _TreeEnsemblePredict
  /// Every row walks every tree for as many steps as the deepest one has, by Gather: for exported
  /// models, of ops that TensorFlow has. The same sums in double precision, up to their order.
  kStock,
};

/// Logits float32 [batch, outputs] of `features` float32 [batch, columns]; NaN is missing.
Output tree_logits(const Output& features, const TreeParts& trees, const TreeShape& shape,
                   TreeForm form);

}  // namespace thalweg
