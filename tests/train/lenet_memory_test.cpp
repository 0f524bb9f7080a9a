// The memory of a real network's training step: LeNet with Adam, as users write it.
#include <gtest/gtest.h>

#include "thalweg/nn/image_layers.h"
#include "thalweg/nn/layers.h"
#include "thalweg/nn/losses.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"
#include "thalweg/train/optimizer.h"

namespace thalweg::testing {
namespace {

TEST(LeNetMemory, TheArenaIsAtMostThreeFifthsOfAllIntermediates) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 28, 28, 1}, {.name = "x"});
  const Output labels = placeholder(graph, kInt64, {kUnknownDim}, {.name = "labels"});
  const Sequential network(
      {Conv2d({.filters = 32, .kernel_size = {5, 5}, .padding = "SAME", .activation = "relu"}),
       MaxPool2d(),
       Conv2d({.filters = 64, .kernel_size = {5, 5}, .padding = "SAME", .activation = "relu"}),
       MaxPool2d(), Flatten(), Dense({.units = 1024, .activation = "relu"}), Dense({.units = 10})});
  const Output loss = losses::sparse_softmax_cross_entropy(labels, network(x, Mode::kTraining));
  Node& train = Adam({.learning_rate = 0.001}).minimize(loss);
  Session session(graph);
  const Callable step = session.make_callable({x, labels}, {loss}, {&train});

  const Callable::Memory memory = step.memory(
      std::vector<Tensor>{Tensor::zeros(kFloat32, {64, 28, 28, 1}), Tensor::zeros(kInt64, {64})});
  RecordProperty("arena_kib", static_cast<int>(memory.arena_bytes / 1024));
  RecordProperty("intermediates_kib", static_cast<int>(memory.intermediate_bytes / 1024));
  EXPECT_GT(memory.arena_bytes, 0U);
  EXPECT_LE(static_cast<double>(memory.arena_bytes),
            0.6 * static_cast<double>(memory.intermediate_bytes))
      << memory.arena_bytes << " of " << memory.intermediate_bytes << " bytes\n"
      << step.explain(std::vector<Tensor>{Tensor::zeros(kFloat32, {64, 28, 28, 1}),
                                          Tensor::zeros(kInt64, {64})});
}

}  // namespace
}  // namespace thalweg::testing
