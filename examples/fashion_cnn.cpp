// A convolutional network on Fashion-MNIST with the estimator: fit, evaluate, predict, and the
// model in a folder.
//   fashion_cnn [FOLDER [EPOCHS]]      FOLDER in MNIST's layout; Debian's dataset-fashion-mnist
//   installs one
#include <thalweg/thalweg.h>

#include <cstdio>
#include <cstdlib>

using namespace thalweg;

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "/usr/share/datasets/fashion-mnist";
  const int epochs = argc > 2 ? std::atoi(argv[2]) : 5;
  const Dataset train = data::read_idx_folder(folder, data::Split::kTrain);
  const Dataset test = data::read_idx_folder(folder, data::Split::kTest);

  Classifier model(Sequential({Conv2d({.filters = 32, .activation = "relu"}), MaxPool2d(),
                               Conv2d({.filters = 64, .activation = "relu"}), MaxPool2d(),
                               Flatten(), Dense({.units = 128, .activation = "relu"}),
                               Dropout({.rate = 0.4}), Dense({.units = 10})}),
                   {.class_names = {"T-shirt", "Trouser", "Pullover", "Dress", "Coat", "Sandal",
                                    "Shirt", "Sneaker", "Bag", "Ankle boot"},
                    .optimizer = NamedOptimizer{.name = "adam", .schedule = "cosine"}});
  model.fit(
      train,
      {.epochs = epochs, .validation_split = 0.05, .progress = {.mode = ProgressMode::kAuto}});
  std::printf("%s\n", model.summary().c_str());

  const data::Example first = *test.batch(5).iterate().next();
  const auto predictions = model.predict(first[0]);
  for (size_t i = 0; i < predictions.size(); ++i) {
    const auto truth = static_cast<size_t>(first[1].at(static_cast<int64_t>(i)));
    std::printf("image %zu: %s with probability %.2f; it is %s\n", i, predictions[i].name.c_str(),
                predictions[i].probabilities[static_cast<size_t>(predictions[i].index)],
                model.class_names()[truth].c_str());
  }
  std::printf("test accuracy: %.4f\n", model.evaluate(test)["accuracy"]);
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
