// All that an estimator is made of.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "estimator/head.h"
#include "estimator/model_graph.h"
#include "thalweg/estimator/estimator.h"

namespace thalweg {

struct Estimator::State {
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

  // From the first fit() or load() on.
  ModelRecord record = {};
  std::unique_ptr<Head> head = {};
  std::shared_ptr<VariableStore> variables = std::make_shared<VariableStore>();
  std::unique_ptr<ModelGraph> model = {};
  bool has_weights = false;

  /// Throws invalid_argument for options that cannot be right.
  void check() const;
  /// What is known of a model before its training.
  ModelRecord new_record(const Head& fitted, const InputSpec& input) const;
  /// The model, ready to predict. Throws failed_precondition when there is none yet.
  ModelGraph& ready() const;
};

/// State of a model folder. `network` is used when the folder describes none.
std::unique_ptr<Estimator::State> load_state(const std::string& folder, std::string_view kind,
                                             const LayerMakers& makers, Network network);

}  // namespace thalweg
