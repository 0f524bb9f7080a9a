// fuse_epilogue, fuse_bias_grad, fuse_elementwise, fuse_updates.
#include <functional>

#include "passes/pass_testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/control.h"
#include "thalweg/ops/convolution.h"
#include "thalweg/ops/functional.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/loss.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/training.h"

namespace thalweg::testing {
namespace {

Tensor ramp(const Shape& shape, float step = 0.1f) {
  Tensor tensor(kFloat32, shape);
  float value = -1;
  for (float& cell : tensor.mutable_data<float>()) {
    cell = value;
    value = value > 1 ? -1 : value + step;
  }
  return tensor;
}

TEST(FuseEpilogue, TakesBiasAndActivationIntoTheProduct) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2, 3}, {.name = "x"});
  const Output w = constant(graph, ramp({3, 4}));
  const Output b = constant(graph, ramp({4}));
  const PlanGraph plan = expect_same_numbers(graph, {x}, {ramp({2, 3})}, {relu(matmul(x, w) + b)});
  const auto counts = count_ops(plan);
  EXPECT_EQ(counts.at("_FusedMatMul"), 1);
  EXPECT_FALSE(counts.contains("Relu"));
  EXPECT_FALSE(counts.contains("MatMul"));
}

TEST(FuseEpilogue, LeavesAProductThatOthersReadToo) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2, 3}, {.name = "x"});
  const Output product = matmul(x, constant(graph, ramp({3, 4})));
  const PlanGraph plan = expect_same_numbers(graph, {x}, {ramp({2, 3})}, {relu(product), product});
  EXPECT_EQ(count_ops(plan)["MatMul"], 1);
}

TEST(FuseEpilogue, TakesOneActivationOnly) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {1, 4, 4, 2}, {.name = "x"});
  const Output images = conv2d(x, constant(graph, ramp({3, 3, 2, 3})), {.padding = "SAME"});
  const PlanGraph plan =
      expect_same_numbers(graph, {x}, {ramp({1, 4, 4, 2})},
                          {thalweg::tanh(relu(bias_add(images, constant(graph, ramp({3})))))});
  const auto counts = count_ops(plan);
  EXPECT_EQ(counts.at("_FusedConv2D"), 1);
  EXPECT_EQ(counts.at("Tanh"), 1);
}

TEST(FuseBiasGrad, GivesBothGradientsOfALayerAtOnce) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 3}, {.name = "x"});
  const Output w = placeholder(graph, kFloat32, {3, 4}, {.name = "w"});
  const Output b = placeholder(graph, kFloat32, {4}, {.name = "b"});
  const Output loss = l2_loss(thalweg::tanh(matmul(x, w) + b));
  const PlanGraph plan = expect_same_numbers(
      graph, {x, w, b}, {ramp({5, 3}), ramp({3, 4}), ramp({4})}, gradients({loss}, {w, b}));
  EXPECT_EQ(count_ops(plan)["_MatMulBiasGrad"], 1);
}

TEST(FuseBiasGrad, WorksForConvolutions) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 5, 5, 2}, {.name = "x"});
  const Output w = placeholder(graph, kFloat32, {3, 3, 2, 4}, {.name = "w"});
  const Output b = placeholder(graph, kFloat32, {4}, {.name = "b"});
  const Output loss = l2_loss(relu(conv2d(x, w, {.padding = "SAME"}) + b));
  const PlanGraph plan =
      expect_same_numbers(graph, {x, w, b}, {ramp({2, 5, 5, 2}), ramp({3, 3, 2, 4}), ramp({4})},
                          gradients({loss}, {w, b}));
  EXPECT_EQ(count_ops(plan)["_Conv2DBackpropFilterBias"], 1);
}

TEST(FuseElementwise, MakesOneLoopOfATree) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2, 3}, {.name = "x"});
  const Output w = placeholder(graph, kFloat32, {3}, {.name = "w"});
  const Output y = sigmoid(0.5 * exp(thalweg::tanh(x * w + 0.1)));
  const PlanGraph plan = expect_same_numbers(graph, {x, w}, {ramp({2, 3}), ramp({3}, 0.7f)}, {y});
  EXPECT_EQ(count_ops(plan)["_FusedElementwise"], 1);
  EXPECT_EQ(plan.graph->num_nodes(), 5);  // two feeds, two constants, one loop
}

TEST(FuseElementwise, TakesABiasOfRowsForASum) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2, 3}, {.name = "x"});
  const Output h = placeholder(graph, kFloat32, {2, 4}, {.name = "h"});
  const Output sum =
      matmul(x, constant(graph, ramp({3, 4}))) + matmul(h, constant(graph, ramp({4, 4})));
  const Output y = thalweg::tanh(bias_add(sum, constant(graph, ramp({4}))));
  const auto counts =
      count_ops(expect_same_numbers(graph, {x, h}, {ramp({2, 3}), ramp({2, 4})}, {y}));
  EXPECT_EQ(counts.at("_FusedElementwise"), 1);
  EXPECT_FALSE(counts.contains("BiasAdd"));
}

TEST(FuseElementwise, KeepsWhatOthersRead) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {4}, {.name = "x"});
  const Output shared = exp(x);
  const Output y = shared * 2.0 + 1.0;
  const PlanGraph plan = expect_same_numbers(graph, {x}, {ramp({4})}, {y, reduce_sum(shared)});
  const auto counts = count_ops(plan);
  EXPECT_EQ(counts.at("Exp"), 1);
  EXPECT_EQ(counts.at("_FusedElementwise"), 1);
}

TEST(FuseElementwise, DoesNotSwallowAColumnBroadcast) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {3, 4}, {.name = "x"});
  const Output column = placeholder(graph, kFloat32, {3, 1}, {.name = "column"});
  expect_same_numbers(graph, {x, column}, {ramp({3, 4}), ramp({3, 1}, 0.6f)},
                      {exp(neg(x) * column)});
}

TEST(FuseUpdates, MakesOnePassOverAllVariables) {
  Graph graph(standard_ops());
  std::vector<Node*> updates;
  for (const char* name : {"a", "b", "c"}) {
    const Variable v(graph, ramp({3}), {.name = name});
    updates.push_back(&apply_gradient_descent(v.handle(), constant(graph, Tensor(0.5f)),
                                              constant(graph, ramp({3}))));
  }
  Node& step = group(updates);
  const PlanGraph plan = optimized(graph, {}, {}, {&step});
  const auto counts = count_ops(plan);
  EXPECT_EQ(counts.at("_FusedResourceApply"), 1);
  EXPECT_FALSE(counts.contains("ResourceApplyGradientDescent"));
}

TEST(FuseUpdates, DoesNotMoveAnUpdatePastARead) {
  Graph graph(standard_ops());
  const Variable a(graph, ramp({3}), {.name = "a"});
  const Variable b(graph, ramp({3}), {.name = "b"});
  const Output rate = constant(graph, Tensor(0.5f));
  Node& first = apply_gradient_descent(a.handle(), rate, constant(graph, ramp({3})));
  Node& second =
      apply_gradient_descent(b.handle(), rate, exp(a.read()));  // reads what the first update wrote
  const PlanGraph plan = optimized(graph, {}, {}, {&first, &second});
  EXPECT_EQ(count_ops(plan)["ResourceApplyGradientDescent"], 2);
}

// Whether updates of the variables `names`, with something in between, become one.
bool fuses(const std::vector<std::string>& names,
           const std::function<Output(Graph&)>& in_between = nullptr) {
  Graph graph(standard_ops());
  const Output rate = constant(graph, Tensor(0.5f));
  std::vector<Node*> updates;
  std::vector<Output> fetches;
  for (size_t i = 0; i < names.size(); ++i) {
    // Two handles of one name stay two nodes when they differ in an attribute.
    const Shape shape = i % 2 == 0 ? Shape{3} : Shape::unknown_of_rank(1);
    const Output handle = var_handle(graph, kFloat32, shape, {.shared_name = names[i]});
    updates.push_back(&apply_gradient_descent(handle, rate, constant(graph, ramp({3}))));
    if (i == 0 && in_between) fetches.push_back(in_between(graph));
  }
  std::vector<FeedSpec> feeds;
  if (const Node* chosen = graph.find("chosen"))
    feeds.push_back({chosen->output(), kBool, Shape{}});
  return count_ops(optimized(graph, feeds, fetches, updates)).contains("_FusedResourceApply");
}

Output read_as(Graph& graph, const std::string& name) {
  return read_variable(var_handle(graph, kFloat32, Shape::unknown(), {.shared_name = name}),
                       kFloat32);
}

TEST(FuseUpdates, DoesNotMoveAnUpdatePastAReadThroughAnotherHandle) {
  EXPECT_TRUE(fuses({"a", "b"}));
  EXPECT_TRUE(fuses({"a", "b"}, [](Graph& graph) { return read_as(graph, "c"); }));
  EXPECT_FALSE(fuses({"a", "b"}, [](Graph& graph) { return read_as(graph, "a"); }));
}

TEST(FuseUpdates, DoesNotMoveAnUpdatePastAFunctionThatReadsItsVariable) {
  const auto branch_reads = [](const std::string& name) {
    return [name](Graph& graph) {
      const Output zero = constant(graph, Tensor::zeros(kFloat32, {3}));
      return cond(
          placeholder(graph, kBool, {}, {.name = "chosen"}), [&] { return read_as(graph, name); },
          [&] { return exp(zero); });
    };
  };
  EXPECT_FALSE(fuses({"a", "b"}, branch_reads("a")));
  EXPECT_TRUE(fuses({"a", "b"}, branch_reads("c")));
}

TEST(FuseUpdates, DoesNotPutTwoUpdatesOfOneVariableSideBySide) {
  EXPECT_FALSE(fuses({"a", "a"}));
  EXPECT_FALSE(fuses({"a", "b", "a"}));
}

}  // namespace
}  // namespace thalweg::testing
