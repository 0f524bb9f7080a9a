#include "thalweg/estimator/regressor.h"

#include "estimator/estimator_state.h"

namespace thalweg {
namespace {

std::unique_ptr<Estimator::State> make_regressor_state(Network network, RegressorOptions options,
                                                       std::optional<Layer> layer = {}) {
  auto state = make_state("regressor", std::move(network), std::move(layer), options);
  state->label.standardized = options.standardize;
  return state;
}

}  // namespace

Regressor::Regressor(Layer network, RegressorOptions options)
    : Regressor(make_regressor_state(network, std::move(options), network)) {}
Regressor::Regressor(Network network, RegressorOptions options)
    : Regressor(make_regressor_state(std::move(network), std::move(options))) {}
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
