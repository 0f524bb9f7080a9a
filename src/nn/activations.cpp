#include "thalweg/nn/activations.h"

#include <vector>

#include "nn/layer_types.h"
#include "nn/options.h"
#include "thalweg/nn/layers.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/normalization.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

struct NamedActivation {
  std::string_view name;
  Output (*apply)(Output x);
};

constexpr NamedActivation kActivations[] = {
    {"linear", [](Output x) { return x; }},
    {"relu", relu},
    {"relu6", relu6},
    {"leaky_relu", [](Output x) { return leaky_relu(x); }},
    {"elu", elu},
    {"selu", selu},
    {"gelu", gelu},
    {"sigmoid", sigmoid},
    {"tanh", tanh},
    {"softmax", [](Output x) { return softmax(x); }},
    {"log_softmax", [](Output x) { return log_softmax(x); }},
    {"softplus", softplus},
    {"softsign", softsign},
};

const NamedActivation& find_activation(std::string_view name) {
  if (name.empty()) name = "linear";
  for (const NamedActivation& activation : kActivations) {
    if (activation.name == name) return activation;
  }
  const auto names = activation_names();
  const std::string hint = nearest(name, names);
  throw invalid_argument("unknown activation `", name,
                         hint.empty() ? str("`; one of ", join(names, ", "), " is wanted")
                                      : str("`; did you mean `", hint, "`?"));
}

class ActivationLayer : public LayerBase {
 public:
  ActivationLayer(std::string activation, std::string name)
      : LayerBase(std::move(name)), activation_(std::move(activation)) {
    check_activation(activation_);
  }
  std::string_view type() const override { return "Activation"; }
  AttrMap config() const override { return {{"activation", activation_}}; }
  // The layer's node keeps the layer's name also where the function adds none.
  Output call(Output x, Mode) override {
    return find_activation(activation_).name == "linear" ? identity(x) : activate(x, activation_);
  }

 private:
  std::string activation_;
};

struct NamedOptions {
  std::string activation = "linear";
  std::string name = {};
};
template <class Visitor>
void visit_options(Visitor& v, NamedOptions& o) {
  v("activation", o.activation);
}

}  // namespace

std::span<const std::string> activation_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const NamedActivation& activation : kActivations) names.emplace_back(activation.name);
    return names;
  }();
  return kNames;
}

Output activate(Output x, std::string_view activation) {
  return find_activation(activation).apply(x);
}

void check_activation(std::string_view activation) { find_activation(activation); }

Activation::Activation(std::string activation, ActivationOptions options)
    : Layer(std::make_shared<ActivationLayer>(std::move(activation), std::move(options.name))) {}

Layer activation_from_config(const AttrMap& config) {
  const auto options = read_options<NamedOptions>(config);
  return Activation(options.activation, {.name = options.name});
}

}  // namespace thalweg
