// A training loop by hand: a two-layer network learns XOR; each step runs one callable, whose plan
// is printed first.
#include <thalweg/thalweg.h>

#include <cstdio>

using namespace thalweg;

int main() try {
  Graph graph(standard_ops());
  graph.set_seed(3);
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 2}, {.name = "x"});
  const Output y = placeholder(graph, kFloat32, {kUnknownDim, 1}, {.name = "y"});
  const Sequential network({Dense({.units = 8, .activation = "tanh"}), Dense({.units = 1})});
  const Output loss = losses::sigmoid_cross_entropy(y, network(x, Mode::kTraining));
  const Output answer = sigmoid(network(x, Mode::kPredicting));  // the same weights
  Node& train = Adam({.learning_rate = 0.05}).minimize(loss);

  Session session(graph);
  session.initialize();
  const std::vector<Tensor> batch = {Tensor::of<float>({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2}),
                                     Tensor::of<float>({0, 1, 1, 0}, {4, 1})};
  const Callable step = session.make_callable({x, y}, {loss}, {&train});
  std::printf("%s\n", step.explain(batch).c_str());

  // The loss goes into the same tensor each time: a step allocates nothing.
  std::vector<Tensor> results(1);
  for (int i = 0; i <= 300; ++i) {
    step.run(batch, results);
    if (i % 100 == 0) std::printf("step %3d  loss %.4f\n", i, results[0].item<float>());
  }
  std::printf("%s\n", session.run(answer, {{x, batch[0]}}).to_string().c_str());
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
