// Trains a line in a few steps with the installed library; exit status 0 when it has learned it,
// and when an error crosses the library's border as it should.
#include <thalweg/thalweg.h>

#include <cmath>
#include <cstdio>

using namespace thalweg;

int main() {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 1}, {.name = "x"});
  const Output y = placeholder(graph, kFloat32, {kUnknownDim, 1}, {.name = "y"});
  const Dense line({.units = 1, .name = "line"});
  Node& train =
      Sgd({.learning_rate = 0.1}).minimize(losses::mean_squared_error(y, line(x, Mode::kTraining)));
  Session session(graph);
  session.initialize();
  const Tensor xs = Tensor::of<float>({-1, 0, 1, 2}, {4, 1});
  const Tensor ys = Tensor::of<float>({-2, 1, 4, 7}, {4, 1});  // 3 x + 1
  for (int i = 0; i < 200; ++i) session.run({{x, xs}, {y, ys}}, {}, {&train});
  const double slope = session.variables().get("line/kernel").at(0);
  std::printf("slope %.4f\n", slope);
  try {
    session.run({{x, ys.reshape({1, 4})}}, {line(x, Mode::kPredicting)});
    return 2;
  } catch (const Error& error) {
    if (error.code() != Code::kInvalidArgument) return 3;
  }
  return std::abs(slope - 3) < 0.01 ? 0 : 1;
}
