// What fit() and load() leave behind: a model with its weights, ready to predict. Estimator and
// TableEstimator have one each.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "estimator/head.h"
#include "estimator/model_graph.h"
#include "thalweg/estimator/estimator.h"

namespace thalweg {

struct FittedModel {
  ModelRecord record = {};
  std::shared_ptr<const Head> head = {};
  std::shared_ptr<VariableStore> variables = std::make_shared<VariableStore>();
  std::unique_ptr<ModelGraph> model = {};
  bool has_weights = false;

  /// The graph, ready to predict. Throws failed_precondition when there is none yet; `folder`:
  /// where the model would be.
  ModelGraph& ready(const std::string& folder) const;

  /// Scores batches {inputs..., labels[, weights]} until there are none. Throws invalid_argument
  /// when there is no row, or predictions have a shape that cannot be.
  EvaluationReport score(const std::function<std::optional<data::Example>()>& next) const;
  /// Predictions for the rows of `inputs`, in pieces: head->prediction_shape(rows).
  Tensor predict(const data::Example& inputs) const;
};

/// Rows at once where nothing is learnt.
inline constexpr int64_t kInferenceRows = 256;

/// Gives `variables` the weights that the record names; of a training under way the newest. False
/// when there are none.
bool restore_weights(const std::string& folder, const ModelRecord& record, const ModelGraph& model,
                     VariableStore& variables);

/// Calls `load` with the record of the folder, and again while a training replaces the model
/// meanwhile, so that record and weights are of the same one.
void load_whole(const std::string& folder, const std::function<void(const ModelRecord&)>& load);

}  // namespace thalweg
