#include <gtest/gtest.h>

#include "testing.h"
#include "thalweg/base/file.h"
#include "thalweg/model/restore.h"
#include "thalweg/nn/image_layers.h"
#include "thalweg/nn/layers.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg::testing {
namespace {

// A dense layer with as many units as inputs, and batch normalisation behind it.
struct Network {
  Network() {
    graph.set_seed(3);
    x = placeholder(graph, kFloat32, {kUnknownDim, 4}, {.name = "x"});
    const Sequential network({Dense({.units = 4}), BatchNorm()});
    training = reduce_sum(network(x, Mode::kTraining), {0, 1});
    y = network(x, Mode::kPredicting);
  }
  Graph graph{standard_ops()};
  Output x, training, y;
};

class Weights : public ::testing::TestWithParam<const char*> {
 protected:
  TemporaryFolder folder_;
  const std::string path_ = folder_ / GetParam();
};

TEST_P(Weights, ComeBackWithTheirRunningStatistics) {
  const Tensor batch = Tensor::of<float>({1, 2, 3, 4, -1, 0, 2, 5}, {2, 4});
  Network first;
  Session session(first.graph);
  session.initialize();
  session.run({{first.x, batch}}, {first.training}, first.graph.collected("updates"));
  save_weights(path_, session.variables());

  Network second;
  Session other(second.graph);
  const RestoreReport report = load_weights(path_, second.graph, other.variables());
  EXPECT_TRUE(report.complete()) << report.to_string();
  EXPECT_EQ(report.restored.size(), 6U) << "kernel, bias, gamma, beta and two statistics";
  EXPECT_TRUE(
      other.run(second.y, {{second.x, batch}}).same_bits(session.run(first.y, {{first.x, batch}})));
}

TEST_P(Weights, ThatDoNotFitAreNamedAndChangeNothing) {
  VariableStore store;
  store.set("dense/kernel", Tensor::zeros(kFloat32, {4, 3}));
  save_weights(path_, store);
  Network network;
  Session session(network.graph);
  expect_error(
      Code::kFailedPrecondition, [&] { load_weights(path_, network.graph, session.variables()); },
      "dense/kernel", "float32[4, 3]", "dense/bias");
  EXPECT_TRUE(session.variables().names().empty());
}

INSTANTIATE_TEST_SUITE_P(Files, Weights, ::testing::Values("w.npz", "w.safetensors", "w"));

}  // namespace
}  // namespace thalweg::testing
