// LeNet on MNIST with layers and an optimizer whose rate decays: at least 0.990 after three passes.
//   lenet_mnist FOLDER [EPOCHS]      FOLDER holds the four idx files, gz or not
#include <thalweg/thalweg.h>

#include <cstdio>
#include <cstdlib>

using namespace thalweg;

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "mnist";
  const int epochs = argc > 2 ? std::atoi(argv[2]) : 3;
  const auto pixels = data::to_float(1 / 255.f);
  const Dataset train = data::read_idx_folder(folder, data::Split::kTrain);
  const Dataset batches =
      train.shuffle(60000, 1).batch(64, {.drop_remainder = true}).map(pixels).prefetch(2);

  Graph graph(standard_ops());
  const Output images = placeholder(graph, kFloat32, {kUnknownDim, 28, 28}, {.name = "images"});
  const Output labels = placeholder(graph, kInt64, {kUnknownDim}, {.name = "labels"});
  const Sequential lenet(
      {Reshape({.shape = {28, 28, 1}}),
       Conv2d({.filters = 32, .kernel_size = {5, 5}, .padding = "SAME", .activation = "relu"}),
       MaxPool2d(),
       Conv2d({.filters = 64, .kernel_size = {5, 5}, .padding = "SAME", .activation = "relu"}),
       MaxPool2d(), Flatten(), Dense({.units = 1024, .activation = "relu"}), Dropout({.rate = 0.4}),
       Dense({.units = 10})});
  std::printf("%s\n", summary(lenet, Shape{kUnknownDim, 28, 28}).c_str());
  const Output loss = losses::sparse_softmax_cross_entropy(labels, lenet(images, Mode::kTraining));
  const int64_t steps = epochs * (*train.size() / 64);
  Node& step = Adam({.learning_rate = cosine_decay({.initial = 0.001, .decay_steps = steps})})
                   .minimize(loss);
  const Output guess = argmax(lenet(images, Mode::kPredicting), 1);
  const Output right = reduce_sum(cast(equal(guess, labels), kFloat32));

  Session session(graph);
  session.initialize();
  const Callable train_step = session.make_callable({images, labels}, {loss}, {&step});
  std::vector<Tensor> results(1);
  for (int epoch = 0; epoch < epochs; ++epoch) {
    double total = 0;
    int count = 0;
    auto pass = batches.iterate({.epoch = epoch});
    while (const auto batch = pass.next()) {
      train_step.run(*batch, results);
      total += results[0].item<float>();
      ++count;
    }
    std::printf("epoch %d  loss %.4f\n", epoch + 1, total / std::max(count, 1));
  }
  double correct = 0;
  int64_t seen = 0;
  auto test = data::read_idx_folder(folder, data::Split::kTest).batch(500).map(pixels).iterate();
  while (const auto batch = test.next()) {
    correct += session.run(right, {{images, (*batch)[0]}, {labels, (*batch)[1]}}).item<float>();
    seen += (*batch)[0].dim(0);
  }
  std::printf("test accuracy: %.4f\n", correct / static_cast<double>(seen));
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
