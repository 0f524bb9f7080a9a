// Calls that vanish, and branches that are sure to run.
#include "passes/pass_testing.h"
#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/graph/function.h"
#include "thalweg/ops/functional.h"
#include "thalweg/ops/state.h"

namespace thalweg::testing {
namespace {

FeedSpec fed(const Output& x) { return {x, x.dtype(), x.shape()}; }

TEST(Inline, PutsTheBodyInThePlaceOfTheCall) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2}, {.name = "x"});
  const DefinedFunction inner =
      define_function(graph, "inner", {{.dtype = kFloat32, .shape = Shape{2}}},
                      [](const Outputs& a) { return Outputs{exp(a[0])}; });
  const DefinedFunction outer =
      define_function(graph, "outer", {{.dtype = kFloat32, .shape = Shape{2}}},
                      [&](const Outputs& a) { return Outputs{call(inner, a)[0] * 2.0}; });
  const Output y = call(outer, {x}, {.name = "here"})[0];
  PlanGraph plan =
      optimized(graph, {fed(x)}, {y}, {}, {"fold", "simplify", "merge", "fuse_elementwise"});
  EXPECT_EQ(count_ops(plan).count("PartitionedCall"), 0u);
  EXPECT_NE(plan.graph->find("here/inner/Exp"), nullptr) << plan.graph->to_string();
  expect_near(Tensor::of<float>({2, 2}), compute(plan, {Tensor::of<float>({0, 0})})[0]);
  plan = run_passes(std::move(plan), {reference_kernels()});
  EXPECT_EQ(count_ops(plan)["Exp"] + count_ops(plan)["_FusedElementwise"], 1);
}

TEST(Inline, KeepsSideEffectsThatNobodyReads) {
  Graph graph(standard_ops());
  const Variable v(graph, Tensor(1.0f), {.name = "v"});
  const DefinedFunction count = define_function(graph, "count", {}, [&](const Outputs&) {
    v.assign_add(constant(graph, Tensor(1.0f)));
    return Outputs{};
  });
  call(count, {}, {.name = "first"});
  Node* node = graph.find("first");
  ASSERT_NE(node, nullptr);
  const PlanGraph plan = optimized(graph, {}, {}, {node});
  EXPECT_EQ(count_ops(plan).at("AssignAddVariableOp"), 1);
}

TEST(Inline, TakesTheBranchThatFoldingTells) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2});
  const Output three = constant(graph, Tensor(3));
  const Output y =
      case_(three - 2.0, {[&] { return exp(x); }, [&] { return x + x; }}, [&] { return x * x; });
  PlanGraph plan = optimized(graph, {fed(x)}, {y});
  EXPECT_EQ(count_ops(plan).count("StatelessCase"), 0u) << plan.graph->to_string();
  expect_near(Tensor::of<float>({2, 6}), compute(plan, {Tensor::of<float>({1, 3})})[0]);
}

// Each calls the one before twice: 2^count calls in all.
Output doubling(Graph& graph, const Output& x, int count) {
  std::string last;
  for (int i = 0; i < count; ++i) {
    const std::string name = str("level_", i);
    define_function(graph, name, {{.dtype = kFloat32, .shape = x.shape()}}, [&](const Outputs& a) {
      if (last.empty()) return Outputs{a[0] * 2.0};
      return Outputs{call(graph, last, {a[0]})[0] + call(graph, last, {exp(a[0])})[0]};
    });
    last = name;
  }
  return call(graph, last, {x}, {.name = "top"})[0];
}

TEST(Inline, LeavesCallsThatWouldBloatTheGraph) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2});
  const Output few = doubling(graph, x, 8);
  EXPECT_EQ(count_ops(optimized(graph, {fed(x)}, {few})).count("PartitionedCall"), 0u);
  Graph other(standard_ops());
  const Output z = placeholder(other, kFloat32, {2});
  const PlanGraph plan = optimized(other, {fed(z)}, {doubling(other, z, 40)});
  EXPECT_EQ(count_ops(plan)["PartitionedCall"], 1);
}

TEST(Inline, LooksForEffectsOnceInEachFunction) {
  Graph graph(standard_ops());
  const Output handle = var_handle(graph, kFloat32, Shape{2}, {.shared_name = "v"});
  std::string last;
  for (int i = 0; i < 40; ++i) {
    const std::string name = str("level_", i);
    define_function(graph, name, {{.dtype = kResource}}, [&](const Outputs& a) {
      if (last.empty()) {
        assign_variable(a[0], constant(a[0].graph(), Tensor::of<float>({1, 2})));
        return Outputs{};
      }
      for (int k = 0; k < 2; ++k)
        graph.add("StatefulPartitionedCall", {a[0]},
                  {{"Tout", std::vector<DType>{}}, {"f", FunctionName{last}}});
      return Outputs{};
    });
    last = name;
  }
  const Node& top = graph.add("StatefulPartitionedCall", {handle},
                              {{"Tout", std::vector<DType>{}}, {"f", FunctionName{last}}});
  EXPECT_TRUE(effects_of(top).arguments[0].is_written);
  EXPECT_TRUE(has_side_effects(top));
}

TEST(Inline, LetsWhatIsHandedInStandForTheArgument) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2}, {.name = "x"});
  const Output z = placeholder(graph, kFloat32, {2}, {.name = "z"});
  define_function(graph, "waits",
                  {{.dtype = kFloat32, .shape = Shape{2}}, {.dtype = kFloat32, .shape = Shape{2}}},
                  [&](const Outputs& a) {
                    const ControlScope after(a[0].graph(), {a[1].node()});
                    return Outputs{exp(a[0])};
                  });
  const Output y = call(graph, "waits", {x, z})[0];
  const PlanGraph plan = optimized(graph, {fed(x), fed(z)}, {y});
  EXPECT_EQ(count_ops(plan).count("_Arg"), 0u) << plan.graph->to_string();
  const Function& function = graph.functions().at("waits");
  const PlanGraph body =
      specialize(*function.body, {fed(function.arguments[0]), fed(function.arguments[1])},
                 function.results, {});
  EXPECT_EQ(count_ops(body).count("_Arg"), 0u) << body.graph->to_string();
}

TEST(Extensions, StandInThePlaceOfWhatTheyExtend) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {});
  const Output y = while_loop([&](Output i, Output) { return less(i, constant(graph, Tensor(3))); },
                              [&](Output i, Output z) {
                                return Outputs{i + 1.0, sin(z)};
                              },
                              {constant(graph, Tensor(0)), x})[1];
  const Output slope = gradient(y, x);
  const auto loops = [&](const std::vector<Output>& fetches) {
    return count_ops(specialize(graph, {fed(x)}, fetches, {}))["StatelessWhile"];
  };
  EXPECT_EQ(loops({y}), 1);
  EXPECT_EQ(loops({y, slope}), 2);  // forward, once, and backward
  EXPECT_EQ(loops({slope}), 2);
}

}  // namespace
}  // namespace thalweg::testing
