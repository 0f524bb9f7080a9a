// fold, simplify, merge.
#include "passes/pass_testing.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/random.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/state.h"

namespace thalweg::testing {
namespace {

using Counts = std::map<std::string, int>;

TEST(Fold, ComputesWhatDependsOnConstantsOnly) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 2}));
  const PlanGraph plan = optimized(graph, {}, {exp(x) * 2.0 + 1.0});
  EXPECT_EQ(count_ops(plan), (Counts{{"Const", 1}}));
}

TEST(Fold, KnowsShapesOfTensorsItDoesNotKnow) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 3}, {.name = "x"});
  const PlanGraph plan =
      optimized(graph, {{x, kFloat32, Shape{5, 3}}}, {shape_of(x), size_of(x), rank_of(x)});
  EXPECT_EQ(count_ops(plan), (Counts{{"Const", 3}, {"Placeholder", 1}}));
  EXPECT_EQ(compute(plan, {Tensor::zeros(kFloat32, {5, 3})})[1].at(0), 15);
}

TEST(Fold, LeavesRandomOpsAlone) {
  Graph graph(standard_ops());
  const PlanGraph plan = optimized(graph, {}, {random_uniform(graph, {2})});
  EXPECT_EQ(count_ops(plan)["RandomUniform"], 1);
}

TEST(Fold, DoesNotMakeLargeConstants) {
  Graph graph(standard_ops());
  const PlanGraph plan = optimized(graph, {}, {fill({1024, 1024}, constant(graph, Tensor(1.0f)))});
  EXPECT_EQ(count_ops(plan)["Fill"], 1);
}

TEST(Merge, MakesEqualNodesOne) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {4}, {.name = "x"});
  const Output y = placeholder(graph, kFloat32, {4}, {.name = "y"});
  const PlanGraph plan = optimized(graph, {{x, kFloat32, Shape{4}}, {y, kFloat32, Shape{4}}},
                                   {x + y, y + x, x - y}, {}, {"fuse_elementwise"});
  EXPECT_EQ(count_ops(plan), (Counts{{"Placeholder", 2}, {"AddV2", 1}, {"Sub", 1}}));
}

TEST(Merge, KeepsRandomOpsApart) {
  Graph graph(standard_ops());
  const Output shape = constant(graph, Tensor::of<int32_t>({2}));
  const AttrMap attrs = {{"dtype", kFloat32}, {"seed", int64_t{1}}, {"seed2", int64_t{2}}};
  const Output a = graph.add("RandomUniform", {shape}, attrs).output();
  const Output b = graph.add("RandomUniform", {shape}, attrs).output();
  EXPECT_EQ(count_ops(optimized(graph, {}, {a, b}))["RandomUniform"], 2);
}

TEST(Merge, ReadsAVariableOnceUnlessItIsWrittenInBetween) {
  Graph graph(standard_ops());
  const Variable v(graph, Tensor(1.0f), {.name = "v"});
  const Output first = v.read(), second = v.read();
  EXPECT_EQ(count_ops(optimized(graph, {}, {first, second}))["ReadVariableOp"], 1);
  Node& write = v.assign_add(constant(graph, Tensor(1.0f)));
  const Output third = v.read();
  EXPECT_EQ(count_ops(optimized(graph, {}, {first, second, third}, {&write}))["ReadVariableOp"], 2);
}

TEST(Simplify, DropsWhatChangesNothing) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2, 3}, {.name = "x"});
  const Output y = reshape(identity(transpose(transpose(x * 1.0 + 0.0, {1, 0}), {1, 0})), {2, 3});
  const PlanGraph plan = expect_same_numbers(
      graph, {x}, {Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3})}, {neg(neg(y))});
  EXPECT_EQ(count_ops(plan), (Counts{{"Placeholder", 1}}));
}

TEST(Simplify, KeepsAnAdditionThatBroadcasts) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {3}, {.name = "x"});
  const Output y = x + constant(graph, Tensor::zeros(kFloat32, {2, 3}));
  const PlanGraph plan = expect_same_numbers(graph, {x}, {Tensor::of<float>({1, 2, 3})}, {y});
  EXPECT_EQ(plan.fetches[0].shape(), (Shape{2, 3}));
}

TEST(Simplify, TurnsARowAddedToAProductIntoABias) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2, 3}, {.name = "x"});
  const Output w = placeholder(graph, kFloat32, {3, 2}, {.name = "w"});
  const Output b = placeholder(graph, kFloat32, {2}, {.name = "b"});
  const PlanGraph plan = expect_same_numbers(
      graph, {x, w, b},
      {Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3}),
       Tensor::of<float>({1, 0, 0, 1, 1, -1}, {3, 2}), Tensor::of<float>({10, 20})},
      {b + matmul(x, w)});
  EXPECT_EQ(count_ops(plan)["_FusedMatMul"], 1);
}

TEST(Simplify, ReadsATransposedOperandTheOtherWayRound) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {3, 2}, {.name = "x"});
  const Output y = matmul(transpose(x, {1, 0}), x);
  const PlanGraph plan =
      expect_same_numbers(graph, {x}, {Tensor::of<float>({1, 2, 3, 4, 5, 6}, {3, 2})}, {y});
  EXPECT_EQ(count_ops(plan)["Transpose"], 0);
}

TEST(Simplify, SquaresInsteadOfTakingPowers) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {3}, {.name = "x"});
  const PlanGraph plan =
      expect_same_numbers(graph, {x}, {Tensor::of<float>({1, -2, 3})}, {reduce_sum(pow(x, 2.0))});
  EXPECT_EQ(count_ops(plan)["Pow"], 0);
}

}  // namespace
}  // namespace thalweg::testing
