// All that an estimator is made of.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "estimator/fitted_model.h"

namespace thalweg {

struct Estimator::State : FittedModel {
  // As given when it was made, or loaded.
  std::string kind;
  Network network;
  std::optional<Layer> layer = {};  // what `network` calls, when it is a layer
  OptimizerChoice optimizer = NamedOptimizer{};
  int64_t batch_size = 128;
  uint64_t seed = 1;
  bool standardize = false;
  std::string folder = {};
  std::vector<std::string> columns = {};
  LabelSpec label = {};

  /// Throws invalid_argument for options that cannot be right.
  void check() const;
  /// What is known of a model before its training.
  ModelRecord new_record(const Head& fitted, const InputSpec& input) const;
  ModelGraph& ready() const { return FittedModel::ready(folder); }
};

/// Of a model of one tensor an example.
ModelParts tensor_parts(const InputSpec& input, const Network& network);

/// State of a new estimator, from what ClassifierOptions and RegressorOptions have in common.
template <class Options>
std::unique_ptr<Estimator::State> make_state(std::string_view kind, Network network,
                                             std::optional<Layer> layer, Options& options) {
  if (!network) {
    throw invalid_argument("a ", kind, " needs a network, but the function is empty");
  }
  auto state = std::make_unique<Estimator::State>();
  state->kind = kind;
  state->network = std::move(network);
  state->layer = std::move(layer);
  state->optimizer = std::move(options.optimizer);
  state->batch_size = options.batch_size;
  state->seed = options.seed;
  state->standardize = options.standardize;
  state->folder = std::move(options.model_folder);
  state->columns = std::move(options.feature_names);
  state->label.column = std::move(options.label_name);
  return state;
}

/// State of a model folder. `network` is used when the folder describes none.
std::unique_ptr<Estimator::State> load_state(const std::string& folder, std::string_view kind,
                                             const LayerMakers& makers, Network network);

}  // namespace thalweg
