#include "thalweg/estimator/regressor.h"

#include "estimator/estimator_state.h"

namespace thalweg {
namespace {

std::unique_ptr<Estimator::State> make_state(Network network, RegressorOptions options,
                                             std::optional<Layer> layer = {}) {
  if (!network) throw invalid_argument("a Regressor needs a network, but the function is empty");
  auto state = std::make_unique<Estimator::State>();
  state->kind = "regressor";
  state->network = std::move(network);
  state->layer = std::move(layer);
  state->optimizer = std::move(options.optimizer);
  state->batch_size = options.batch_size;
  state->seed = options.seed;
  state->standardize = options.standardize;
  state->folder = std::move(options.model_folder);
  state->columns = std::move(options.feature_names);
  state->label.column = std::move(options.label_name);
  state->label.standardized = options.standardize;
  return state;
}

}  // namespace

Regressor::Regressor(Layer network, RegressorOptions options)
    : Regressor(make_state(network, std::move(options), network)) {}
Regressor::Regressor(Network network, RegressorOptions options)
    : Regressor(make_state(std::move(network), std::move(options))) {}
Regressor::Regressor(std::unique_ptr<State> state) : Estimator(std::move(state)) {}
Regressor::Regressor(Regressor&&) noexcept = default;

Regressor Regressor::load(const std::string& folder, const LayerMakers& makers) {
  return Regressor(load_state(folder, "regressor", makers, {}));
}
Regressor Regressor::load(const std::string& folder, Network network) {
  return Regressor(load_state(folder, "regressor", {}, std::move(network)));
}

std::vector<float> Regressor::predict(const Tensor& features) const {
  const Tensor values = predict_values(features);
  const auto data = values.data<float>();
  return {data.begin(), data.end()};
}

}  // namespace thalweg
