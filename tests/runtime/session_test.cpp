#include "thalweg/runtime/session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "testing.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/control.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/random.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/training.h"
#include "thalweg/ops/unary.h"

namespace thalweg::testing {
namespace {

TEST(Session, ComputesAnExpression) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim}, {.name = "x"});
  Session session(graph);
  EXPECT_EQ(session.run(x * 2.0 + 1.0, {{x, Tensor::of<float>({1, 2})}}).to_string(),
            "float32[2] [3, 5]");
}

TEST(Session, RunsOnlyWhatIsNeeded) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {1}, {.name = "x"});
  check_numerics(x / 0.0, "this must not run");
  Session session(graph);
  EXPECT_EQ(session.run(x + 1.0, {{x, Tensor::of<float>({1})}}).at(0), 2);
}

TEST(Session, FeedsAndFetchesAnyTensor) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor(2.0f));
  const Output middle = x * 3.0;
  const Output y = middle + 1.0;
  Session session(graph);
  const std::vector<Tensor> values = session.run({{middle, Tensor(10.0f)}}, {y, middle});
  EXPECT_EQ(values[0].at(0), 11);
  EXPECT_EQ(values[1].at(0), 10);
  EXPECT_EQ(session.run(y).at(0), 7);
}

TEST(Session, PlansAnewForNewShapes) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 2}, {.name = "x"});
  const Output y = reduce_sum(x, {0});
  Session session(graph);
  EXPECT_EQ(session.run(y, {{x, Tensor::of<float>({1, 2}, {1, 2})}}).to_string(),
            "float32[2] [1, 2]");
  EXPECT_EQ(session.run(y, {{x, Tensor::of<float>({1, 2, 3, 4}, {2, 2})}}).to_string(),
            "float32[2] [4, 6]");
  EXPECT_EQ(session.run(y, {{x, Tensor::zeros(kFloat32, {0, 2})}}).to_string(),
            "float32[2] [0, 0]");
}

TEST(Session, NamesAVariableThatHasNoValue) {
  Graph graph(standard_ops());
  const Variable v(graph, Tensor(1.0f), {.name = "speed"});
  Session session(graph);
  expect_error(
      Code::kFailedPrecondition, [&] { session.run(v + 1.0); }, "speed", "initialize");
}

TEST(Session, InitializesOnlyWhatHasNoValue) {
  Graph graph(standard_ops());
  const Variable a(graph, Tensor(1.0f), {.name = "a"});
  const Variable b(graph, Tensor(2.0f), {.name = "b"});
  Session session(graph);
  session.variables().set("a", Tensor(5.0f));
  session.initialize();
  EXPECT_EQ(session.run(a + b).at(0), 7);
}

TEST(Session, KeepsProgramOrderOfReadsAndWrites) {
  Graph graph(standard_ops());
  const Variable v(graph, Tensor(1.0f), {.name = "v"});
  const Output before = v.read();
  Node& add = v.assign_add(constant(graph, Tensor(10.0f)));
  const Output between = v.read();
  Node& twice = v.assign(between * 2.0);
  const Output after = v.read();
  Session session(graph);
  session.initialize();
  const std::vector<Tensor> values = session.run({}, {before, between, after}, {&add, &twice});
  EXPECT_EQ(values[0].at(0), 1);
  EXPECT_EQ(values[1].at(0), 11);
  EXPECT_EQ(values[2].at(0), 22);
}

TEST(Session, DoesNotRunAWriteThatAFetchDoesNotNeed) {
  Graph graph(standard_ops());
  const Variable v(graph, Tensor(1.0f), {.name = "v"});
  v.assign_add(constant(graph, Tensor(10.0f)));
  const Output read = v.read();
  Session session(graph);
  session.initialize();
  EXPECT_EQ(session.run(read).at(0), 1);
}

TEST(Session, ComputesShapesThatDependOnData) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim}, {.name = "x"});
  const Output places = where(greater(x, 0.0));
  const Output positive = gather(x, squeeze(places, {1}));
  Session session(graph);
  const Output y = positive * 2.0;
  EXPECT_EQ(session.run(y, {{x, Tensor::of<float>({-1, 3, 4})}}).to_string(), "float32[2] [6, 8]");
  EXPECT_EQ(session.run(y, {{x, Tensor::of<float>({5, -3, -4})}}).to_string(), "float32[1] [10]");
  EXPECT_EQ(session.run(y, {{x, Tensor::of<float>({-5, -3, -4})}}).num_elements(), 0);
}

TEST(Session, CarriesStrings) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kString, {kUnknownDim}, {.name = "words"});
  const Output y = reverse(x, {0});
  Session session(graph);
  const Tensor result =
      session.run(y, {{x, Tensor::of<std::string>({"a", "longer than a short string may be"})}});
  EXPECT_EQ(result.data<std::string>()[0], "longer than a short string may be");
  EXPECT_EQ(result.data<std::string>()[1], "a");
}

TEST(Session, RunsConcurrently) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 8}, {.name = "x"});
  Tensor weights(kFloat32, {8, 8});
  for (float& w : weights.mutable_data<float>()) w = 0.5f;
  const Variable w(graph, weights, {.name = "w"});
  const Output y = reduce_sum(relu(matmul(x, w)));
  Session session(graph);
  session.initialize();
  const Callable call = session.make_callable({x}, {y});
  std::vector<std::thread> threads;
  std::vector<double> results(4);
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        Tensor feed(kFloat32, {1 + t, 8});
        for (float& value : feed.mutable_data<float>()) value = static_cast<float>(t);
        results[static_cast<size_t>(t)] = call({feed})[0].at(0);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int t = 0; t < 4; ++t) EXPECT_EQ(results[static_cast<size_t>(t)], 32.0 * t * (1 + t));
}

TEST(Session, UpdatesFromSeveralThreadsAreAllCounted) {
  Graph graph(standard_ops());
  const Variable v(graph, Tensor(int64_t{0}), {.name = "count"});
  Node& add = v.assign_add(constant(graph, Tensor(int64_t{1})));
  Session session(graph);
  session.initialize();
  const Callable call = session.make_callable({}, {}, {&add});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 250; ++i) call({});
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(session.variables().get("count").item<int64_t>(), 1000);
}

TEST(Session, DrawsNewNumbersEachRunAndRepeatsThemFromTheSameCount) {
  Graph graph(standard_ops());
  const Output x = random_uniform(graph, {4});
  Session session(graph);
  const Tensor first = session.run(x);
  const Tensor second = session.run(x);
  EXPECT_FALSE(first.same_bits(second));
  session.variables().set_random_runs(0);
  EXPECT_TRUE(session.run(x).same_bits(first));
}

TEST(Session, FindsTheFirstNodeThatIsNotFinite) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2}, {.name = "x"});
  const Output inner = graph.add("Log", {x}, {}, {.name = "inner_log"}).output();
  const Output y = reduce_sum(exp(neg(inner)));
  Session session(graph, {.disabled_passes = {"all"}, .check_finite = true});
  expect_error(
      Code::kOutOfRange,
      [&] {
        session.run(y, {{x, Tensor::of<float>({1, -1})}});
      },
      "inner_log", "element 1");
}

TEST(Session, SendsPrintedTextToItsStream) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {2}, {.name = "x"});
  const Output y = print(x, "values:");
  std::string text;
  Session session(graph, {.print = [&](std::string_view line) { text += line; }});
  session.run(y, {{x, Tensor::of<float>({1, 2})}});
  EXPECT_NE(text.find("values:"), std::string::npos) << text;
}

TEST(Session, EvaluatesOneExpressionNow) {
  Graph graph(standard_ops());
  const Variable v(graph, Tensor::of<float>({1, 2}), {.name = "v"});
  EXPECT_EQ(eval(v * v).to_string(), "float32[2] [1, 4]");
}

TEST(Session, RefusesTargetsThatAreNothingOrOfAnotherGraph) {
  Graph graph(standard_ops());
  Graph other(standard_ops());
  constant(graph, Tensor(1.0f));
  Output far = constant(other, Tensor(1.0f), {.name = "far"});
  for (int i = 0; i < 50; ++i) far = neg(far);
  Session session(graph);
  expect_error(
      Code::kInvalidArgument, [&] { session.run({}, {}, {nullptr}); }, "target", "no node");
  expect_error(
      Code::kInvalidArgument, [&] { session.run(*far.node()); }, "target", "another graph");
}

TEST(Session, RefusesAnEmptyFetchEachTime) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor(1.0f));
  Session session(graph);
  for (int i = 0; i < 2; ++i) {
    expect_error(
        Code::kInvalidArgument,
        [&] {
          session.run({}, {Output(), x});
        },
        "fetch names no tensor");
    expect_error(
        Code::kInvalidArgument,
        [&] {
          session.run({{Output(), Tensor(1.0f)}}, {x});
        },
        "feed");
  }
  expect_error(Code::kInvalidArgument, [&] { eval(Output()); });
}

TEST(Session, TellsTensorsOfTwoGraphsApart) {
  Graph graph(standard_ops());
  Graph other(standard_ops());
  const Output x = constant(graph, Tensor(1.0f), {.name = "x"});
  const Output y = constant(other, Tensor(2.0f), {.name = "y"});
  ASSERT_EQ(x.node()->id(), y.node()->id());
  EXPECT_NE(x < y, y < x);
  Session session(graph);
  EXPECT_EQ(session.run(x).at(0), 1);
  expect_error(
      Code::kInvalidArgument, [&] { session.run(y); }, "y:0", "another graph");
}

TEST(Session, LetsAFedPlaceholderBeWaitedForAndBeATarget) {
  Graph graph(standard_ops());
  const Output first = placeholder(graph, kFloat32, {1}, {.name = "first"});
  const Output x = placeholder(graph, kFloat32, {1}, {.name = "x"});
  const ControlScope after(graph, {first.node()});
  const Output y = neg(x);
  const std::vector<Feed> feeds = {{first, Tensor::of<float>({1})}, {x, Tensor::of<float>({2})}};
  for (const std::vector<std::string>& disabled :
       {std::vector<std::string>{}, std::vector<std::string>{"all"}}) {
    Session session(graph, {.disabled_passes = disabled});
    EXPECT_EQ(session.run(y, feeds).at(0), -2);
    session.run(*first.node(), feeds);
    expect_error(
        Code::kInvalidArgument, [&] { session.run(y, {feeds[1]}); }, "first", "not fed");
  }
}

TEST(Session, RefusesAnUpdateWhoseGradientIsNotOfTheVariablesShape) {
  Graph graph(standard_ops());
  const auto handle = [&](const char* name) {
    return var_handle(graph, kFloat32, Shape::unknown_of_rank(1), {.shared_name = name});
  };
  const Output rate = constant(graph, Tensor(1.0f));
  const Output x = placeholder(graph, kFloat32, {3}, {.name = "x"});
  Node& short_one = apply_gradient_descent(handle("short"), rate, x);
  Node& long_one = apply_gradient_descent(handle("long"), rate, x);
  Node& slot = apply_momentum(handle("long"), handle("short"), rate, x, rate);
  const auto variables = std::make_shared<VariableStore>();
  variables->set("short", Tensor::of<float>({1, 2}));
  variables->set("long", Tensor::of<float>({1, 2, 3}));
  Session session(graph, {.variables = variables});
  const std::vector<Feed> feeds = {{x, Tensor::of<float>({1, 1, 1})}};
  for (const std::vector<Node*>& targets :
       {std::vector<Node*>{&short_one}, std::vector<Node*>{&long_one, &short_one},
        std::vector<Node*>{&slot}}) {
    expect_error(
        Code::kInvalidArgument, [&] { session.run(feeds, {}, targets); }, "short", "[2]", "[3]");
  }
  EXPECT_EQ(variables->get("long").to_string(), "float32[3] [1, 2, 3]");
  session.run(long_one, feeds);
  EXPECT_EQ(variables->get("long").to_string(), "float32[3] [0, 1, 2]");
}

TEST(Callable, ThatNoSessionMadeIsRefused) {
  const Callable nothing;
  std::vector<Tensor> none;
  const auto refused = [](auto&& use) {
    expect_error(Code::kFailedPrecondition, use, "make_callable");
  };
  refused([&] { nothing({}); });
  refused([&] { nothing.run(none, none); });
  refused([&] { nothing.explain(none); });
  refused([&] { nothing.profile(none, 1); });
  refused([&] { nothing.memory(none); });
}

// Counts the plans that are built: each asks for one kernel of this op.
int plans_built = 0;

TEST(Callable, KeepsThePlansOfTheLastShapesOnly) {
  static constexpr OpDef kRows[] = {{.name = "TestSame",
                                     .inputs = {"x: float"},
                                     .outputs = {"y: float"},
                                     .doc = "Its input.",
                                     .shape = shape_functions::same_as_input,
                                     .no_gradient = "it is made for a test"}};
  static constexpr KernelDef kKernels[] = {
      {"TestSame", "test", [](const KernelRequest& request) {
         ++plans_built;
         const int64_t count = request.inputs[0].shape.num_elements();
         return make_kernel([count](KernelContext& c) {
           std::copy_n(c.input<float>(0), count, c.output<float>());
         });
       }}};
  OpRegistry ops = standard_ops();
  ops.add(kRows);
  KernelRegistry kernels = standard_kernels();
  kernels.add(kKernels);
  Graph graph(ops);
  const Output x = placeholder(graph, kFloat32, {kUnknownDim}, {.name = "x"});
  const Output y = graph.add("TestSame", {x}).output();
  Session session(graph, {.kernels = &kernels});
  const auto run = [&](int64_t size) {
    EXPECT_EQ(session.run(y, {{x, Tensor::zeros(kFloat32, {size})}}).shape(), Shape{size});
  };
  for (int64_t size = 1; size <= 40; ++size) {
    run(size);
    run(1);  // in use all along: never built again
  }
  EXPECT_EQ(plans_built, 40);
  run(40);
  EXPECT_EQ(plans_built, 40);
  run(2);  // left alone longest
  EXPECT_EQ(plans_built, 41);
}

}  // namespace
}  // namespace thalweg::testing
