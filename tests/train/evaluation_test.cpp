#include "thalweg/train/evaluation.h"

#include <cmath>

#include "thalweg/ops/random.h"
#include "train_testing.h"

namespace thalweg {
namespace {

using testing::expect_error;

/// loss: the batch's mean of x; metric "positive": share of x above 0; "none": weight 0.
struct Means {
  Means() : graph(standard_ops()) {
    x = placeholder(graph, kFloat32, Shape{kUnknownDim}, {.name = "x"});
    spec.inputs = {x};
    spec.loss = reduce_mean(x);
    const Output positive = cast(greater(x, 0.0), kFloat32);
    const Output nothing = constant(graph, Tensor(0.0f));
    spec.metrics = {metrics::mean("positive", positive), {"none", nothing, nothing}};
    session = std::make_unique<Session>(graph);
  }
  Graph graph;
  Output x;
  EvalSpec spec;
  std::unique_ptr<Session> session;
};

Dataset values(std::initializer_list<float> list, int64_t batch) {
  return Dataset::from_tensors({Tensor::of<float>(list)}).batch(batch);
}

TEST(Evaluation, CountsTheShortLastBatchByItsExamples) {
  Means means;
  for (const int64_t batch : {1, 2, 3, 5}) {
    const Evaluation result = evaluate(*means.session, means.spec, values({1, 2, 3, -4, 8}, batch));
    EXPECT_EQ(result.examples, 5);
    EXPECT_DOUBLE_EQ(result["loss"], 2.0) << "batches of " << batch;
    EXPECT_FLOAT_EQ(result["positive"], 0.8) << "batches of " << batch;
    EXPECT_TRUE(std::isnan(result["none"]));
    EXPECT_TRUE(std::isnan(result["unknown"]));
  }
}

TEST(Evaluation, WeighsTheLossAsTheSpecSays) {
  Means means;
  means.spec.loss_weight = reduce_sum(abs(means.x));
  const Evaluation result = evaluate(*means.session, means.spec, values({1, 3, 0, 0, 6}, 2));
  EXPECT_DOUBLE_EQ(result["loss"], (2.0 * 4 + 0 + 6.0 * 6) / 10);
}

TEST(Evaluation, ABatchWithoutWeightAddsNothing) {
  Means means;
  means.spec.loss = reduce_sum(means.x) / reduce_sum(abs(means.x));  // 0 / 0 in the second batch
  means.spec.loss_weight = reduce_sum(abs(means.x));
  const Evaluation result = evaluate(*means.session, means.spec, values({1, 1, 0, 0}, 2));
  EXPECT_DOUBLE_EQ(result["loss"], 1.0);
}

TEST(Evaluation, LeavesTheRandomStreamWhereItWas) {
  Means means;
  means.spec.loss = reduce_mean(means.x) + random_uniform(means.graph, {});
  means.session->variables().set_random_runs(3);
  Evaluator evaluator(*means.session, means.spec);
  const Evaluation first = evaluator.run(values({1, 2, 3}, 1));
  EXPECT_EQ(means.session->variables().random_runs(), 3u);
  EXPECT_EQ(first["loss"], evaluator.run(values({1, 2, 3}, 1))["loss"]);
}

TEST(Evaluation, EndsWhenAsked) {
  Means means;
  EXPECT_EQ(evaluate(*means.session, means.spec, values({1, 2, 3}, 1), {.max_batches = 2}).examples,
            2);
  int asked = 0;
  const Evaluation result = evaluate(*means.session, means.spec, values({1, 2, 3}, 1),
                                     {.cancelled = [&] { return ++asked == 3; }});
  EXPECT_TRUE(result.cancelled);
  EXPECT_DOUBLE_EQ(result["loss"], 1.5);
}

TEST(Evaluation, RejectsDataThatDoNotFit) {
  Means means;
  const Tensor floats = Tensor::of<float>({1, 2});
  const auto run = [&](const Dataset& data) { evaluate(*means.session, means.spec, data); };
  expect_error(
      Code::kInvalidArgument,
      [&] {
        run(Dataset::from_tensors({floats, floats}).batch(1));
      },
      "2 components", "1");
  expect_error(
      Code::kInvalidArgument, [&] { run(Dataset::from_tensors({floats})); }, "'features'", "`x:0`",
      "is batch() missing?");
  expect_error(
      Code::kInvalidArgument,
      [&] { run(Dataset::from_tensors({Tensor::of<int32_t>({1})}).batch(1)); }, "int32", "float32");
  expect_error(
      Code::kInvalidArgument, [&] { run(values({1}, 1).repeat()); }, "no end", "max_batches");
  expect_error(
      Code::kInvalidArgument, [&] { run(values({1}, 1).take(0)); }, "no examples");
  expect_error(
      Code::kInvalidArgument, [&] { evaluate(*means.session, {}, values({1}, 1)); }, "no inputs");
  means.spec.metrics = {};
  means.spec.loss = means.x;
  expect_error(
      Code::kInvalidArgument, [&] { run(values({1}, 1)); }, "must be a scalar", "x:0");
}

}  // namespace
}  // namespace thalweg
