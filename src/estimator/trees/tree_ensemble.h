// An ensemble of decision trees as plain tensors: what training makes, what a model keeps as
// variables, and what its graph walks. Where the trees come from does not matter here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "estimator/json_text.h"
#include "thalweg/data/example.h"
#include "thalweg/runtime/variable_store.h"
#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// What is done with the sums of an ensemble to get what a head wants: forests average shares and
/// means, heads take logits. Shares are first kept 1e-6 away from 0 and 1, so that no single row
/// can have an infinite loss.
enum class TreeLink {
  kNone,       // sums are logits
  kLogOdds,    // each is a share p of its own: log(p / (1 - p))
  kLogShares,  // together they are the shares of the classes: log(p)
  kLog,        // a mean count: log(max(mean, 1e-6))
};
std::string_view to_string(TreeLink link);
inline constexpr double kLeastShare = 1e-6;

/// Sizes: all that is needed to make the variables of an ensemble. Part of model.json.
struct TreeShape {
  int64_t columns = 0;  // of the features
  int64_t outputs = 1;
  int64_t trees = 0;
  int64_t nodes = 0;
  int64_t leaves = 0;
  int64_t width = 1;  // values of a leaf
  int64_t depth = 0;  // most steps from a root to a leaf
  float scale = 1;    // of the sums
  TreeLink link = TreeLink::kNone;
  friend bool operator==(const TreeShape&, const TreeShape&) = default;
};
Json to_json(const TreeShape& shape);
/// Throws invalid_argument naming the field.
TreeShape tree_shape_from_json(const Json& json);

/// The tensors are inputs of the op _TreeEnsemblePredict, which tells their meaning. Nodes of a
/// tree follow each other, children after their parents; a leaf has column 0, threshold NaN and
/// itself as left child, so that walking on from it changes nothing.
struct TreeEnsemble {
  TreeShape shape;
  Tensor feature;        // int32 [nodes]
  Tensor threshold;      // float32 [nodes]
  Tensor left;           // int32 [nodes]
  Tensor missing_right;  // bool [nodes]
  Tensor leaf;           // int32 [nodes]
  Tensor values;         // float32 [leaves, width]
  Tensor roots;          // int32 [trees]
  Tensor first_output;   // int32 [trees]
  Tensor base;           // float32 [outputs]
};

/// Name, type and shape of each tensor of an ensemble, in the order of its members.
data::Spec tree_components(const TreeShape& shape);
/// The tensors in that order.
std::vector<Tensor> tree_tensors(const TreeEnsemble& ensemble);
/// The ensemble of these tensors. Throws invalid_argument naming the one that does not fit, or the
/// node that is none of a tree.
TreeEnsemble make_tree_ensemble(const TreeShape& shape, const std::vector<Tensor>& tensors);

/// "trees/feature", ...: the variables' names.
inline constexpr std::string_view kTreeScope = "trees";
void set_tree_variables(VariableStore& variables, const TreeEnsemble& ensemble);
TreeEnsemble tree_ensemble_of(const VariableStore& variables, const TreeShape& shape);

/// A tree as it is grown: node 0 is the root.
struct GrownTree {
  struct Node {
    int32_t column = -1;  // -1: a leaf
    float threshold = 0;
    bool missing_right = false;
    int32_t left = 0;
    int32_t right = 0;
    int32_t leaf = 0;  // of a leaf: its row of `values`
  };
  std::vector<Node> nodes;
  std::vector<float> values;  // [leaves, width]
  int64_t first_output = 0;
};

/// Nodes that cannot be reached are left out. `base` has `outputs` values.
TreeEnsemble join_trees(const std::vector<GrownTree>& trees, int64_t columns, int64_t width,
                        const std::vector<float>& base, float scale, TreeLink link);

/// Logits [rows, outputs] of `features` float32 [rows, columns], without a graph.
Tensor predict_trees(const TreeEnsemble& ensemble, const Tensor& features);

}  // namespace thalweg
