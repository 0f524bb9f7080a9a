// A small network and small data for the tests of training.
#pragma once

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "testing.h"
#include "thalweg/data/dataset.h"
#include "thalweg/nn/layers.h"
#include "thalweg/nn/losses.h"
#include "thalweg/nn/metrics.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/unary.h"
#include "thalweg/runtime/session.h"
#include "thalweg/train/optimizer.h"
#include "thalweg/train/training_loop.h"

namespace thalweg::testing {

/// Points of the plane and whether they lie above a line: float32[rows, 2] and int64[rows].
inline std::vector<Tensor> points(int64_t rows) {
  Tensor x(kFloat32, Shape{rows, 2});
  Tensor y(kInt64, Shape{rows});
  uint32_t state = 12345;
  const auto draw = [&state] {
    state = state * 1664525u + 1013904223u;
    return static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  };
  auto cells = x.mutable_data<float>();
  auto labels = y.mutable_data<int64_t>();
  for (int64_t i = 0; i < rows; ++i) {
    const float a = draw();
    const float b = draw();
    cells[static_cast<size_t>(2 * i)] = a;
    cells[static_cast<size_t>(2 * i + 1)] = b;
    labels[static_cast<size_t>(i)] = a + 0.5f * b > 0.1f ? 1 : 0;
  }
  return {x, y};
}

inline Dataset point_batches(int64_t rows = 60, int64_t batch = 8) {
  return Dataset::from_tensors(points(rows)).shuffle(rows, 7).batch(batch);
}

/// Two dense layers with dropout between them, trained by `optimizer`, in a session of their own.
struct Classifier {
  explicit Classifier(const Optimizer& optimizer = Adam({.learning_rate = 0.05}),
                      double dropout = 0.3)
      : graph(standard_ops()) {
    graph.set_seed(5);
    const Output x = placeholder(graph, kFloat32, Shape{kUnknownDim, 2}, {.name = "x"});
    const Output y = placeholder(graph, kInt64, Shape{kUnknownDim}, {.name = "y"});
    Sequential network({Dense({.units = 8, .activation = "tanh"}), Dropout({.rate = dropout}),
                        Dense({.units = 2})});
    const Output logits = network(x, Mode::kTraining);
    const Output predicted = network(x, Mode::kPredicting);
    spec.inputs = {x, y};
    spec.loss = losses::sparse_softmax_cross_entropy(y, logits);
    spec.metrics = {metrics::accuracy(y, logits)};
    spec.train_step = &optimizer.minimize(spec.loss);
    spec.learning_rate = optimizer.learning_rate(graph);
    evaluation.inputs = {x, y};
    evaluation.loss = losses::sparse_softmax_cross_entropy(y, predicted);
    evaluation.metrics = {metrics::accuracy(y, predicted)};
    session = std::make_unique<Session>(graph);
  }

  TrainResult train(const TrainingOptions& options, const Dataset& batches = point_batches()) {
    return TrainingLoop(*session, spec, options).run(batches);
  }
  ValidationOptions validation() const {
    return {.spec = evaluation, .batches = Dataset::from_tensors(points(40)).batch(16)};
  }

  Graph graph;
  TrainSpec spec;
  EvalSpec evaluation;
  std::unique_ptr<Session> session;
};

/// Bit for bit, all variables: weights, slots, global step.
inline void expect_same_variables(const VariableStore& a, const VariableStore& b) {
  ASSERT_EQ(a.names(), b.names());
  for (const std::string& name : a.names()) {
    EXPECT_TRUE(a.get(name).same_bits(b.get(name))) << name << "\n"
                                                    << a.get(name).to_string() << "\n"
                                                    << b.get(name).to_string();
  }
}

/// Calls a function after each step.
class AfterStep : public Hook {
 public:
  explicit AfterStep(std::function<void(LoopState&)> call) : call_(std::move(call)) {}
  void after_step(LoopState& state) override { call_(state); }

 private:
  std::function<void(LoopState&)> call_;
};

}  // namespace thalweg::testing
