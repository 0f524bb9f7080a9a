// The graph of a model: its network for training and for predicting, with the same weights.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "estimator/head.h"
#include "thalweg/runtime/session.h"
#include "thalweg/train/optimizer.h"

namespace thalweg {

/// What a model is made of, but for its head.
struct ModelParts {
  /// Of one example each, in the order in which batches hold them; labels follow.
  data::Spec inputs;
  /// What the network sees of a batch, made once for both modes; empty: the inputs themselves.
  std::function<std::vector<Output>(const std::vector<Output>&)> prepare = {};
  std::function<Output(const std::vector<Output>&, Mode)> network;
  /// Whether batches end with the examples' weights, float32 `[batch]`.
  bool weighted = false;
};

/// An optimizer for the variables whose names begin with `prefix`, and that no earlier one has.
struct OptimizerShare {
  std::string prefix;  // empty: all that are left
  Optimizer optimizer;
};

class ModelGraph {
 public:
  /// Variables live in `variables`. With optimizers there is a training step. Throws
  /// invalid_argument when inputs, network and head do not fit together.
  ModelGraph(const ModelParts& parts, const Head& head, uint64_t seed,
             std::shared_ptr<VariableStore> variables,
             const std::vector<OptimizerShare>& optimizers = {});

  const Graph& graph() const { return graph_; }
  Session& session() { return *session_; }
  const TrainSpec& train_spec() const { return train_; }
  const EvalSpec& eval_spec() const { return eval_; }
  /// From inputs to predictions.
  const Callable& predict() const { return predict_; }
  /// From inputs, labels and perhaps weights to loss and predictions.
  const Callable& evaluate() const { return evaluate_; }
  size_t num_inputs() const { return num_inputs_; }
  int64_t trainable_parameters() const;

 private:
  Graph graph_;
  size_t num_inputs_;
  TrainSpec train_;
  EvalSpec eval_;
  std::unique_ptr<Session> session_;
  Callable predict_;
  Callable evaluate_;
};

/// `text` as the name of a node: what is not allowed there becomes `_`.
std::string to_node_name(std::string_view text);

}  // namespace thalweg
