// fold, simplify, merge, and what they are built on.
#include <cmath>
#include <limits>

#include "passes/pass_testing.h"
#include "testing.h"
#include "thalweg/ops/functional.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/random.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/state.h"
#include "thalweg/passes/rewriter.h"

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

TEST(Merge, ReadsAnewWhatAnotherHandleOfTheSameVariableWrote) {
  Graph graph(standard_ops());
  const Output v = var_handle(graph, kFloat32, {2}, {.shared_name = "v"});
  const Output alias = var_handle(graph, kFloat32, Shape::unknown_of_rank(1), {.shared_name = "v"});
  const Output first = read_variable(v, kFloat32);
  Node& write = assign_variable(alias, constant(graph, Tensor::of<float>({7, 8})));
  const Output second = read_variable(v, kFloat32);
  EXPECT_EQ(count_ops(optimized(graph, {}, {first, second}, {&write}))["ReadVariableOp"], 2);
}

TEST(Merge, CallsAnewWhatReadsAVariableThatItNamesItself) {
  Graph graph(standard_ops());
  const Output chosen = placeholder(graph, kBool, {}, {.name = "chosen"});
  const Output x = placeholder(graph, kFloat32, {2}, {.name = "x"});
  const auto read = [&] {
    return cond(
        chosen,
        [&] {
          return read_variable(var_handle(graph, kFloat32, {2}, {.shared_name = "v"}), kFloat32);
        },
        [&] { return x * 1.0; });
  };
  const Output first = read();
  Node& write = assign_variable(var_handle(graph, kFloat32, {2}, {.shared_name = "v"}), x);
  const AttrMap attrs = first.node()->attrs();
  const Output second =
      graph
          .add(first.node()->type(), {first.node()->inputs().begin(), first.node()->inputs().end()},
               attrs)
          .output();
  const auto counts = count_ops(optimized(
      graph, {{chosen, kBool, Shape{}}, {x, kFloat32, Shape{2}}}, {first, second}, {&write}));
  EXPECT_EQ(counts.at(std::string(first.node()->type())), 2);
}

// Puts an output of the given constant in the place of every Neg.
class Replacing : public Rewriter {
 public:
  Replacing(const PlanGraph& source, Tensor value) : Rewriter(source), value_(std::move(value)) {}

 protected:
  std::vector<Output> rewrite(const Node& node, const std::vector<Output>& inputs) override {
    if (node.type() == "Neg") return {constant(node, value_)};
    return copy(node, inputs);
  }

 private:
  Tensor value_;
};

TEST(Rewriter, RefusesWhatDoesNotLookLikeTheNodeThatItReplaces) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2}, {.name = "x"});
  const PlanGraph plan = specialize(graph, {{x, kFloat32, Shape{2}}}, {neg(x)}, {});
  EXPECT_NO_THROW(Replacing(plan, Tensor::of<float>({1, 2})).run());
  expect_error(
      Code::kInternal,
      [&] {
        Replacing(plan, Tensor::of<float>({1, 2, 3})).run();
      },
      "in its place");
  expect_error(
      Code::kInternal,
      [&] {
        Replacing(plan, Tensor::of<double>({1, 2})).run();
      },
      "in its place");
}

// Transpose with the permutation as it is given: transpose() takes negative ones too, but says
// nothing of what reaches the graph.
Output transposed(const Output& x, std::initializer_list<int32_t> perm) {
  return x.graph().add("Transpose", {x, constant(x.graph(), Tensor::of<int32_t>(perm))}).output();
}

TEST(Simplify, CountsNegativeEntriesOfAPermutationFromTheEnd) {
  const Tensor value = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const auto left = [&](auto build) {
    Graph graph(standard_ops());
    const Output x = placeholder(graph, kFloat32, {2, 3}, {.name = "x"});
    return count_ops(expect_same_numbers(graph, {x}, {value}, {build(x)}))["Transpose"];
  };
  EXPECT_EQ(left([](Output x) { return transposed(x, {-1, 0}); }), 1);
  EXPECT_EQ(left([](Output x) { return transposed(x, {1, -2}); }), 1);
  EXPECT_EQ(left([](Output x) { return transposed(x, {0, -1}); }), 0);
  EXPECT_EQ(left([](Output x) { return transposed(x, {-2, -1}); }), 0);
  EXPECT_EQ(left([](Output x) { return transposed(transposed(x, {1, 0}), {1, -2}); }), 0);
  EXPECT_EQ(left([](Output x) { return transposed(transposed(x, {-1, -2}), {-1, 0}); }), 0);
  EXPECT_EQ(left([](Output x) { return transposed(transposed(x, {-1, 0}), {-2, -1}); }), 1);
  EXPECT_EQ(left([](Output x) { return matmul(transposed(x, {-1, -2}), x); }), 0);
}

TEST(Simplify, KeepsTheSignOfZeroAndWhatRootsDoNotHave) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {3}, {.name = "x"});
  const auto of = [&](float value) { return constant(graph, Tensor(value)); };
  const std::vector<Output> results = {x + of(0.0f),     of(0.0f) + x,  x - of(-0.0f),
                                       pow(x, of(0.5f)), x + of(-0.0f), of(-0.0f) + x,
                                       x - of(0.0f)};
  const FeedSpec feed{x, kFloat32, Shape{3}};
  const Tensor value = Tensor::of<float>({-kInf, -0.0f, 4});
  const PlanGraph fast = optimized(graph, {feed}, results);
  const auto expected = compute(optimized(graph, {feed}, results, {}, {"all"}), {value});
  const auto actual = compute(fast, {value});
  for (size_t r = 0; r < results.size(); ++r) {
    for (int64_t i = 0; i < 3; ++i) {
      EXPECT_EQ(expected[r].at(i), actual[r].at(i)) << "result " << r << " element " << i;
      EXPECT_EQ(std::signbit(expected[r].at(i)), std::signbit(actual[r].at(i)))
          << "result " << r << " element " << i;
    }
  }
  for (size_t r = 4; r < results.size(); ++r)
    EXPECT_EQ(fast.fetches[r].node()->type(), "Placeholder") << "result " << r;
}

TEST(Simplify, DropsWhatChangesNothing) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2, 3}, {.name = "x"});
  const Output y = reshape(identity(transpose(transpose(x * 1.0 - 0.0, {1, 0}), {1, 0})), {2, 3});
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
