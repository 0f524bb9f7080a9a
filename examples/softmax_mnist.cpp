// Softmax regression on MNIST, the walk-through of "A Tour of TensorFlow": a graph, its gradients,
// and a session.   softmax_mnist FOLDER      with the four idx files of MNIST, gz or not
#include <thalweg/thalweg.h>

#include <cstdio>

using namespace thalweg;

int main(int argc, char** argv) try {
  const std::string folder = argc > 1 ? argv[1] : "mnist";
  const auto pixels = data::to_float(1 / 255.f);
  const Dataset train = data::read_idx_folder(folder, data::Split::kTrain).shuffle(60000, 1);
  const Dataset test = data::read_idx_folder(folder, data::Split::kTest).batch(10000).map(pixels);

  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 28, 28}, {.name = "x"});
  const Output labels = placeholder(graph, kInt64, {kUnknownDim}, {.name = "labels"});
  const Variable w(graph, Tensor::zeros(kFloat32, {784, 10}), {.name = "w"});
  const Variable b(graph, Tensor::zeros(kFloat32, {10}), {.name = "b"});
  const Output logits = matmul(reshape(x, {-1, 784}), w) + b;
  const Output loss = reduce_mean(sparse_softmax_cross_entropy_with_logits(logits, labels));
  Node& step = Sgd({.learning_rate = 0.5}).minimize(loss);
  const Output accuracy = reduce_mean(cast(equal(argmax(logits, 1), labels), kFloat32));

  Session session(graph);
  session.initialize();
  data::Iterator batches = train.repeat().batch(100).map(pixels).iterate();
  for (int i = 0; i < 1000; ++i) {
    const data::Example batch = *batches.next();
    session.run({{x, batch[0]}, {labels, batch[1]}}, {}, {&step});
  }
  const data::Example all = *test.iterate().next();
  const Tensor share = session.run(accuracy, {{x, all[0]}, {labels, all[1]}});
  std::printf("test accuracy: %.4f\n", share.item<float>());
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
