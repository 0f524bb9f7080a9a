// The graph of a model: its network for training and for predicting, with the same weights.
#pragma once

#include <memory>
#include <optional>

#include "estimator/head.h"
#include "thalweg/runtime/session.h"
#include "thalweg/train/optimizer.h"

namespace thalweg {

class ModelGraph {
 public:
  /// Variables live in `variables`. With an optimizer there is a training step. Throws
  /// invalid_argument when input, network and head do not fit together.
  ModelGraph(const Network& network, const InputSpec& input, const Head& head, uint64_t seed,
             std::shared_ptr<VariableStore> variables,
             const std::optional<Optimizer>& optimizer = {});

  const Graph& graph() const { return graph_; }
  Session& session() { return *session_; }
  const TrainSpec& train_spec() const { return train_; }
  const EvalSpec& eval_spec() const { return eval_; }
  /// From features to predictions.
  const Callable& predict() const { return predict_; }
  /// From features and labels to loss and predictions.
  const Callable& evaluate() const { return evaluate_; }
  int64_t trainable_parameters() const;

 private:
  Graph graph_;
  TrainSpec train_;
  EvalSpec eval_;
  std::unique_ptr<Session> session_;
  Callable predict_;
  Callable evaluate_;
};

}  // namespace thalweg
