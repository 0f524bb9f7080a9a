#include "thalweg/estimator/classifier.h"

#include "estimator/estimator_state.h"

namespace thalweg {
namespace {

std::unique_ptr<Estimator::State> make_classifier_state(Network network, ClassifierOptions options,
                                                        std::optional<Layer> layer = {}) {
  auto state = make_state("classifier", std::move(network), std::move(layer), options);
  state->label.class_names = std::move(options.class_names);
  return state;
}

}  // namespace

Classifier::Classifier(Layer network, ClassifierOptions options)
    : Classifier(make_classifier_state(network, std::move(options), network)) {}
Classifier::Classifier(Network network, ClassifierOptions options)
    : Classifier(make_classifier_state(std::move(network), std::move(options))) {}
Classifier::Classifier(std::unique_ptr<State> state) : Estimator(std::move(state)) {}
Classifier::Classifier(Classifier&&) noexcept = default;

Classifier Classifier::load(const std::string& folder, const LayerMakers& makers) {
  return Classifier(load_state(folder, "classifier", makers, {}));
}
Classifier Classifier::load(const std::string& folder, Network network) {
  return Classifier(load_state(folder, "classifier", {}, std::move(network)));
}

std::vector<ClassPrediction> Classifier::predict(const Tensor& features) const {
  const Tensor probabilities = predict_values(features);
  const auto classes = static_cast<size_t>(probabilities.dim(1));
  const float* row = probabilities.data<float>().data();
  std::vector<ClassPrediction> result(static_cast<size_t>(probabilities.dim(0)));
  for (ClassPrediction& prediction : result) {
    if (const auto best = best_class({row, classes})) {
      prediction.index = static_cast<int64_t>(*best);
      prediction.name = class_names()[*best];
    }
    prediction.probabilities.assign(row, row + classes);
    row += classes;
  }
  return result;
}

}  // namespace thalweg
