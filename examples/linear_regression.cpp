// Linear regression on made-up points: y = 2 x1 - 3 x2 + 0.5 and a little noise. Shows a layer, a
// loss, an optimizer, and how to read what was learned.
#include <thalweg/thalweg.h>

#include <cstdio>

using namespace thalweg;

int main() try {
  constexpr int64_t kPoints = 1000;
  Tensor points(kFloat32, {kPoints, 2});
  Tensor values(kFloat32, {kPoints, 1});
  Philox random(7);
  for (int64_t i = 0; i < kPoints; ++i) {
    const double x1 = random.normal(), x2 = random.normal();
    points.mutable_data<float>()[static_cast<size_t>(2 * i)] = static_cast<float>(x1);
    points.mutable_data<float>()[static_cast<size_t>(2 * i + 1)] = static_cast<float>(x2);
    values.mutable_data<float>()[static_cast<size_t>(i)] =
        static_cast<float>(2 * x1 - 3 * x2 + 0.5 + 0.01 * random.normal());
  }

  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 2}, {.name = "x"});
  const Output y = placeholder(graph, kFloat32, {kUnknownDim, 1}, {.name = "y"});
  const Dense layer({.units = 1, .name = "line"});
  const Output loss = losses::mean_squared_error(y, layer(x, Mode::kTraining));
  Node& train = Sgd({.learning_rate = 0.1}).minimize(loss);

  Session session(graph);
  session.initialize();
  for (int step = 0; step < 200; ++step) {
    const Tensor now = session.run({{x, points}, {y, values}}, {loss}, {&train})[0];
    if (step % 40 == 0) std::printf("step %3d  loss %.5f\n", step, now.item<float>());
  }
  std::printf("weights %s\n", session.variables().get("line/kernel").to_string().c_str());
  std::printf("bias    %s\n", session.variables().get("line/bias").to_string().c_str());
} catch (const Error& error) {
  std::fprintf(stderr, "error: %s\n", error.what());
  return 1;
}
