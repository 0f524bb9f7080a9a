// Loops in the graph: Newton's method until it has converged, and a recurrent network over as many
// steps as the data have, trained through the loop.
#include <thalweg/thalweg.h>

#include <cstdio>

using namespace thalweg;

namespace {

// x with x^2 = a: as many steps as the precision wants, known only when it runs.
void newton() {
  Graph graph(standard_ops());
  const Output a = placeholder(graph, kFloat64, Shape{}, {.name = "a"});
  const Outputs last =
      while_loop([&](Output x, Output) { return greater(abs(x * x - a), a * 1e-12); },
                 [&](Output x, Output steps) {
                   return Outputs{(x + a / x) * 0.5, steps + 1.0};
                 },
                 {a, constant(graph, Tensor(0))}, {.maximum_iterations = 100});
  // A loop can be differentiated: d sqrt(a)/da = 1 / (2 sqrt(a)).
  const Output slope = gradient(last[0], a);
  Session session(graph);
  for (const double value : {2.0, 1e6}) {
    const std::vector<Tensor> results =
        session.run({{a, Tensor(value)}}, {last[0], last[1], slope});
    std::printf("sqrt(%g) = %.9g after %d steps, slope %.6g\n", value, results[0].item<double>(),
                results[1].item<int32_t>(), results[2].item<double>());
  }
}

// A network that reads bits one by one learns to tell whether their number is odd.
float parity() {
  Graph graph(standard_ops());
  graph.set_seed(5);
  constexpr int64_t kUnits = 8;
  const Output bits = placeholder(graph, kFloat32, {kUnknownDim, kUnknownDim, 1}, {.name = "bits"});
  const Output odd = placeholder(graph, kFloat32, {kUnknownDim, 1}, {.name = "odd"});
  const auto weights = [&](const Shape& shape, const char* name) {
    return Variable(graph, random_uniform(graph, shape) - 0.5, {.name = name});
  };
  const Variable from_bit = weights({1, kUnits}, "from_bit");
  const Variable from_state = weights({kUnits, kUnits}, "from_state");
  const Variable to_answer = weights({kUnits, 1}, "to_answer");
  const Variable bias = weights({kUnits}, "bias");

  const Output start = matmul(odd * 0.0, reshape(bias * 0.0, {1, kUnits}));
  const Output state = foldl(
      [&](Output h, Output bit) {
        return thalweg::tanh(matmul(bit, from_bit) + matmul(h, from_state) + bias);
      },
      bits, start);
  const Output loss = losses::sigmoid_cross_entropy(odd, matmul(state, to_answer));
  Node& train = Adam({.learning_rate = 0.03}).minimize(loss);

  // All rows of three bits, as [step, row, 1].
  Tensor rows = Tensor::zeros(kFloat32, {3, 8, 1});
  Tensor answers = Tensor::zeros(kFloat32, {8, 1});
  for (size_t row = 0; row < 8; ++row) {
    int ones = 0;
    for (size_t step = 0; step < 3; ++step) {
      const int bit = static_cast<int>(row >> step & 1);
      rows.mutable_data<float>()[step * 8 + row] = static_cast<float>(bit);
      ones += bit;
    }
    answers.mutable_data<float>()[row] = static_cast<float>(ones % 2);
  }

  Session session(graph);
  session.initialize();
  const Callable step = session.make_callable({bits, odd}, {loss}, {&train});
  float last = 0;
  for (int i = 0; i <= 600; ++i) {
    last = step({rows, answers})[0].item<float>();
    if (i % 200 == 0) std::printf("step %3d  loss %.4f\n", i, last);
  }
  return last;
}

}  // namespace

int main() try {
  newton();
  return parity() < 0.1f ? 0 : 1;
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
