#include "networks.h"

namespace thalweg::bench {
namespace {

Tensor normal(const Shape& shape, uint64_t seed) {
  Tensor tensor(kFloat32, shape);
  Philox random(seed);
  for (float& cell : tensor.mutable_data<float>()) cell = static_cast<float>(random.normal());
  return tensor;
}

Sequential make_network(const std::string& name) {
  if (name == "mlp") {
    return Sequential({Dense({.units = 512, .activation = "relu"}),
                       Dense({.units = 512, .activation = "relu"}), Dense({.units = 10})});
  }
  if (name == "lenet") {
    return Sequential(
        {Conv2d({.filters = 32, .kernel_size = {5, 5}, .padding = "SAME", .activation = "relu"}),
         MaxPool2d(),
         Conv2d({.filters = 64, .kernel_size = {5, 5}, .padding = "SAME", .activation = "relu"}),
         MaxPool2d(), Flatten(), Dense({.units = 1024, .activation = "relu"}),
         Dense({.units = 10})});
  }
  throw not_found("there is no case `", name, "`; cases are mlp and lenet");
}

}  // namespace

TrainingCase::TrainingCase(const std::string& name)
    : graph_(std::make_unique<Graph>(standard_ops())), results_(1) {
  const bool images = name == "lenet";
  const int64_t size = images ? 64 : 128;
  const Shape features = images ? Shape{kUnknownDim, 28, 28, 1} : Shape{kUnknownDim, 784};
  const Sequential network = make_network(name);
  const Output x = placeholder(*graph_, kFloat32, features, {.name = "x"});
  const Output labels = placeholder(*graph_, kInt64, {kUnknownDim}, {.name = "labels"});
  const Output loss = losses::sparse_softmax_cross_entropy(labels, network(x, Mode::kTraining));
  Node& train = Adam({.learning_rate = 0.001}).minimize(loss);
  session_ = std::make_unique<Session>(*graph_);
  session_->initialize();
  step_ = session_->make_callable({x, labels}, {loss}, {&train});

  batch_ = {normal(images ? Shape{size, 28, 28, 1} : Shape{size, 784}, 1), Tensor(kInt64, {size})};
  for (int64_t i = 0; i < size; ++i)
    batch_[1].mutable_data<int64_t>()[static_cast<size_t>(i)] = i % 10;
  // Forward, gradient of the input (not of the first layer's) and gradient of the weights.
  const auto n = static_cast<double>(size);
  if (images) {
    const double conv1 = 2 * n * 28 * 28 * 25 * 32, conv2 = 2 * n * 14 * 14 * 25 * 32 * 64;
    flops_ = 2 * conv1 + 3 * conv2 + 3 * 2 * n * (3136 * 1024 + 1024 * 10);
  } else {
    flops_ = 2 * 2 * n * 784 * 512 + 3 * 2 * n * (512 * 512 + 512 * 10);
  }
}

}  // namespace thalweg::bench
