// The networks that come with the library.
#include "thalweg/estimator/network_file.h"
#include "thalweg/nn/image_layers.h"
#include "thalweg/nn/layers.h"

namespace thalweg {
namespace {

// About 0.92 on Fashion-MNIST after five epochs of Adam with a rate that falls from 0.002; without
// batch normalisation about 0.91. The second convolution costs most of the time.
Layer cnn(int64_t outputs) {
  return Sequential({Conv2d({.filters = 32, .activation = "relu"}), BatchNorm({.momentum = 0.9}),
                     MaxPool2d(), Conv2d({.filters = 64, .activation = "relu"}),
                     BatchNorm({.momentum = 0.9}), MaxPool2d(), Flatten(),
                     Dense({.units = 128, .activation = "relu"}), Dropout({.rate = 0.3}),
                     Dense({.units = outputs})});
}

Layer mlp(int64_t outputs) {
  return Sequential({Flatten(), Dense({.units = 128, .activation = "relu"}), Dropout({.rate = 0.2}),
                     Dense({.units = 64, .activation = "relu"}), Dense({.units = outputs})});
}

Layer linear(int64_t outputs) { return Sequential({Flatten(), Dense({.units = outputs})}); }

}  // namespace

std::span<const std::string> network_names() {
  static const std::vector<std::string> kNames = {"cnn", "linear", "mlp"};
  return kNames;
}

Layer make_network(std::string_view name, int64_t outputs) {
  if (outputs < 1)
    throw invalid_argument("a network with ", outputs, " outputs, expected 1 or more");
  if (name == "cnn") return cnn(outputs);
  if (name == "mlp") return mlp(outputs);
  if (name == "linear") return linear(outputs);
  const std::string hint = nearest(name, network_names());
  throw invalid_argument("there is no network '", name, "'; ",
                         hint.empty() ? str("the networks are ", join(network_names(), ", "))
                                      : str("did you mean '", hint, "'?"));
}

}  // namespace thalweg
