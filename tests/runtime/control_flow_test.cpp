// Calls, branches and loops as a session runs them.
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "testing.h"
#include "thalweg/graph/function.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/control.h"
#include "thalweg/ops/functional.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/random.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/tensor_list.h"
#include "thalweg/ops/unary.h"
#include "thalweg/runtime/session.h"

namespace thalweg::testing {
namespace {

Node* effect(const Function& function) { return function.side_effects.at(0); }

const std::vector<std::vector<std::string>> kPassChoices = {{}, {"all"}};

TEST(Cond, RunsTheBranchThatThePredicateTells) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {});
  const Output y = cond(
      less(x, scalar_like(x, 0)), [&] { return -x; }, [&] { return x * 10.0; });
  for (const auto& disabled : kPassChoices) {
    Session session(graph, {.disabled_passes = disabled});
    EXPECT_EQ(session.run(y, {{x, Tensor(-3.0f)}}).at(0), 3);
    EXPECT_EQ(session.run(y, {{x, Tensor(3.0f)}}).at(0), 30);
  }
}

TEST(Cond, TakesTensorFlowsIdeaOfTruth) {
  Graph graph(standard_ops());
  const Output one = constant(graph, Tensor(1.0f));
  Session session(graph);
  const auto truth = [&](const Tensor& value) {
    const Output pred = placeholder(graph, value.dtype(), value.shape());
    const Output y = cond(
        pred, [&] { return one * 1.0; }, [&] { return one * 0.0; });
    return session.run(y, {{pred, value}}).at(0) == 1;
  };
  EXPECT_TRUE(truth(Tensor(2)));
  EXPECT_FALSE(truth(Tensor(0.0f)));
  EXPECT_TRUE(truth(Tensor("yes")));
  EXPECT_FALSE(truth(Tensor("")));
  EXPECT_TRUE(truth(Tensor::of<float>({0})));
  EXPECT_FALSE(truth(Tensor::zeros(kFloat32, {0})));
}

TEST(Cond, BecomesItsBranchWhenThePredicateIsKnown) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {});
  const Output always = less(constant(graph, Tensor(1)), constant(graph, Tensor(2)));
  const Output y = cond(
      always, [&] { return exp(x); }, [&] { return log(x); });
  Session session(graph);
  const Callable step = session.make_callable({x}, {y});
  const std::vector<Tensor> feeds = {Tensor(0.0f)};
  EXPECT_EQ(step(feeds)[0].at(0), 1);
  EXPECT_EQ(step.explain(feeds).find("If"), std::string::npos) << step.explain(feeds);
}

TEST(Cond, NamesResultsThatDiffer) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor(1.0f));
  const Output yes = constant(graph, Tensor(true));
  expect_error(
      Code::kInvalidArgument,
      [&] {
        cond(
            yes, [&] { return x; }, [&] { return cast(x, kInt32); });
      },
      "result 0", "float32", "int32", "cast");
}

TEST(Case, TakesTheLastBranchOutOfRange) {
  Graph graph(standard_ops());
  const Output index = placeholder(graph, kInt32, {});
  const Output x = constant(graph, Tensor(5.0f));
  const Output y =
      case_(index, {[&] { return x + 1.0; }, [&] { return x + 2.0; }}, [&] { return x + 9.0; });
  Session session(graph);
  EXPECT_EQ(session.run(y, {{index, Tensor(0)}}).at(0), 6);
  EXPECT_EQ(session.run(y, {{index, Tensor(1)}}).at(0), 7);
  EXPECT_EQ(session.run(y, {{index, Tensor(7)}}).at(0), 14);
  EXPECT_EQ(session.run(y, {{index, Tensor(-1)}}).at(0), 14);
}

TEST(While, RepeatsItsBody) {
  Graph graph(standard_ops());
  const Output n = placeholder(graph, kInt32, {});
  const Output x = constant(graph, Tensor(1.0f));
  const Output factor = placeholder(graph, kFloat32, {});
  const Outputs last = while_loop([&](Output i, Output) { return less(i, n); },
                                  [&](Output i, Output y) {
                                    return Outputs{i + 1.0, y * factor};
                                  },
                                  {constant(graph, Tensor(0)), x});
  for (const auto& disabled : kPassChoices) {
    Session session(graph, {.disabled_passes = disabled});
    EXPECT_EQ(session.run(last[1], {{n, Tensor(10)}, {factor, Tensor(2.0f)}}).at(0), 1024);
    EXPECT_EQ(session.run(last[1], {{n, Tensor(0)}, {factor, Tensor(2.0f)}}).at(0), 1);
  }
}

TEST(While, StopsAtTheMostIterations) {
  Graph graph(standard_ops());
  const Outputs last = while_loop([&](Output) { return constant(graph, Tensor(true)); },
                                  [&](Output x) { return x + 1.0; },
                                  {constant(graph, Tensor(0.0f))}, {.maximum_iterations = 7});
  EXPECT_EQ(eval(last[0]).at(0), 7);
}

TEST(While, LetsAVariableGrow) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1}));
  const Outputs last =
      while_loop([&](Output y) { return less(size_of(y), constant(graph, Tensor(20))); },
                 [&](Output y) {
                   return concat({y, y * 2.0}, 0);
                 },
                 {x}, {.shape_invariants = {Shape{kUnknownDim}}});
  EXPECT_EQ(last[0].shape(), Shape{kUnknownDim});
  EXPECT_EQ(eval(last[0]).num_elements(), 32);
  EXPECT_EQ(eval(reduce_sum(last[0], {0})).at(0), 243);
}

TEST(While, NamesAVariableWhoseTypeOrShapeChanges) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1}), {.name = "start"});
  const auto forever = [&](const Outputs&) { return constant(graph, Tensor(true)); };
  expect_error(
      Code::kInvalidArgument,
      [&] { while_loop(forever, [&](Output y) { return cast(y, kInt32); }, {x}); }, "variable 0",
      "start:0", "float32[1]", "int32[1]", "cast");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        while_loop(forever, [&](Output y) { return concat({y, y}, 0); }, {x});
      },
      "variable 0", "[1]", "[2]", "shape_invariants");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        while_loop(forever, [&](Output y) { return Outputs{y, y}; }, {x});
      },
      "1 variables", "2 values");
}

TEST(While, NestsAndCaptures) {
  Graph graph(standard_ops());
  const Output n = constant(graph, Tensor(3));
  const Output step = placeholder(graph, kFloat32, {});
  const Output zero = constant(graph, Tensor(0));
  const Outputs last = while_loop([&](Output i, Output) { return less(i, n); },
                                  [&](Output i, Output x) {
                                    const Outputs inner = while_loop(
                                        [&](Output j, Output) { return less(j, i + 1.0); },
                                        [&](Output j, Output y) {
                                          return Outputs{j + 1.0, y + step};
                                        },
                                        {zero, x});
                                    return Outputs{i + 1.0, inner[1]};
                                  },
                                  {zero, constant(graph, Tensor(0.0f))});
  Session session(graph);
  EXPECT_EQ(session.run(last[1], {{step, Tensor(2.0f)}}).at(0), 12);  // 1 + 2 + 3 steps of 2
}

TEST(While, ChangesVariables) {
  Graph graph(standard_ops());
  const Variable total(graph, Tensor(1.0f), {.name = "total"});
  const Outputs last = while_loop([&](Output i) { return less(i, constant(graph, Tensor(4))); },
                                  [&](Output i) {
                                    total.assign(total.read() * 2.0);
                                    return i + 1.0;
                                  },
                                  {constant(graph, Tensor(0))});
  const Output before = total.read();
  Session session(graph);
  session.initialize();
  const std::vector<Tensor> values = session.run({}, {last[0], before});
  EXPECT_EQ(values[0].at(0), 4);
  EXPECT_EQ(values[1].at(0), 16);  // read after the loop in the program
  EXPECT_EQ(session.variables().get("total").at(0), 16);
}

TEST(While, RefusesToExchangeHandles) {
  Graph graph(standard_ops());
  const Variable a(graph, Tensor(1.0f), {.name = "a"});
  const Variable b(graph, Tensor(2.0f), {.name = "b"});
  const Output zero = constant(graph, Tensor(0));
  const Outputs last =
      while_loop([&](Output i, Output, Output) { return less(i, constant(graph, Tensor(2))); },
                 [&](Output i, Output first, Output second) {
                   assign_add_variable(first, constant(graph, Tensor(1.0f)));
                   return Outputs{i + 1.0, second, first};
                 },
                 {zero, a.handle(), b.handle()}, {.name = "swap"});
  Session session(graph);
  session.initialize();
  expect_error(
      Code::kUnimplemented, [&] { session.run(last[0]); }, "loop variable 1", "`swap_body`",
      "another one");
}

TEST(While, RunsFromManyThreads) {
  Graph graph(standard_ops());
  const Output n = placeholder(graph, kInt32, {});
  const Variable step(graph, Tensor(2.0f), {.name = "step"});
  const Outputs last = while_loop([&](Output i, Output) { return less(i, n); },
                                  [&](Output i, Output x) {
                                    return Outputs{i + 1.0, x + step};
                                  },
                                  {constant(graph, Tensor(0)), constant(graph, Tensor(0.0f))});
  Session session(graph);
  session.initialize();
  const Callable call = session.make_callable({n}, {last[1]});
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const int count = 10 * t + i;
        if (call({Tensor(count)})[0].at(0) == 2 * count) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 80);
}

TEST(Functions, AreCalledOnShapesThatOnlyDataTell) {
  Graph graph(standard_ops());
  const Variable factor(graph, Tensor(3.0f), {.name = "factor"});
  const Output x = placeholder(graph, kFloat32, {4});
  const Output places = where(greater(x, scalar_like(x, 0)));
  const Output y = cond(
      less(reduce_sum(x), scalar_like(x, 100)), [&] { return cast(places, kFloat32) * factor; },
      [&] { return cast(places, kFloat32); });
  for (const auto& disabled : kPassChoices) {
    Session session(graph, {.disabled_passes = disabled});
    session.initialize();
    EXPECT_EQ(session.run(y, {{x, Tensor::of<float>({1, -1, 2, -2})}}).to_string(),
              "float32[2, 1] [[0], [6]]");
    EXPECT_EQ(session.run(y, {{x, Tensor::of<float>({1, 1, 2, -2})}}).to_string(),
              "float32[3, 1] [[0], [3], [6]]");
  }
}

TEST(Functions, RunTheirSideEffectsInProgramOrder) {
  for (const auto& disabled : kPassChoices) {
    Graph graph(standard_ops());
    const Variable v(graph, Tensor(1.0f), {.name = "v"});
    const DefinedFunction twice = define_function(
        graph, "twice", {{.dtype = kFloat32, .shape = Shape{}}}, [&](const Outputs& x) {
          v.assign(v.read() * 2.0);
          return Outputs{x[0] + v.read()};
        });
    EXPECT_EQ(effect(graph.functions().at("twice"))->type(), "AssignVariableOp");
    const Output first = call(twice, {constant(graph, Tensor(0.0f))})[0];
    const Output between = v.read();
    const Output second = call(twice, {first})[0];
    Session session(graph, {.disabled_passes = disabled});
    session.initialize();
    const std::vector<Tensor> values = session.run({}, {first, between, second});
    EXPECT_EQ(values[0].at(0), 2);
    EXPECT_EQ(values[1].at(0), 2);
    EXPECT_EQ(values[2].at(0), 6);
    EXPECT_EQ(session.variables().get("v").at(0), 4);
  }
}

TEST(Functions, AreInlined) {
  Graph graph(standard_ops());
  const DefinedFunction square =
      define_function(graph, "square", {{.dtype = kFloat32, .shape = Shape{kUnknownDim}}},
                      [](const Outputs& x) { return Outputs{x[0] * x[0]}; });
  const Output x = placeholder(graph, kFloat32, {2});
  const Output y = call(square, call(square, {x}))[0];
  EXPECT_EQ(y.shape(), Shape{2});
  Session session(graph);
  const Callable step = session.make_callable({x}, {y});
  const std::vector<Tensor> feeds = {Tensor::of<float>({2, 3})};
  EXPECT_EQ(step(feeds)[0].to_string(), "float32[2] [16, 81]");
  EXPECT_EQ(step.explain(feeds).find("PartitionedCall"), std::string::npos);
  EXPECT_NE(step.explain(feeds).find("square_1/"), std::string::npos) << step.explain(feeds);
}

// f(n) = n < 1 ? 0 : n + f(n - 1), which calls itself before it stands in the library.
void add_recursive(Graph& graph, bool ends) {
  define_function(graph, "f", {{.dtype = kFloat32, .shape = Shape{}}}, [&](const Outputs& n) {
    const auto again = [&] {
      Node& node = n[0].graph().innermost().add(
          "PartitionedCall", {n[0] - 1.0},
          {{"Tout", std::vector<DType>{kFloat32}}, {"f", FunctionName{"f"}}});
      return n[0] + node.output();
    };
    if (!ends) return Outputs{again()};
    return Outputs{cond(
        less(n[0], scalar_like(n[0], 1)), [&] { return n[0] * 0.0; }, again)};
  });
}

TEST(Functions, MayCallThemselves) {
  for (const auto& disabled : kPassChoices) {
    Graph graph(standard_ops());
    add_recursive(graph, true);
    const Output n = placeholder(graph, kFloat32, {});
    const Output y = call(graph, "f", {n})[0];
    Session session(graph, {.disabled_passes = disabled});
    EXPECT_EQ(session.run(y, {{n, Tensor(5.0f)}}).at(0), 15);
    expect_error(
        Code::kResourceExhausted,
        [&] {
          session.run(y, {{n, Tensor(1000.0f)}});
        },
        "function `cond_branch_1`", "calls itself");
  }
}

TEST(Functions, ThatCallThemselvesWithoutEndAreRefused) {
  Graph graph(standard_ops());
  add_recursive(graph, false);
  const Output n = placeholder(graph, kFloat32, {});
  const Output y = call(graph, "f", {n})[0];
  Session session(graph);
  expect_error(
      Code::kResourceExhausted,
      [&] {
        session.run(y, {{n, Tensor(1.0f)}});
      },
      "`f`", "without end");
}

TEST(Functions, NameThemselvesInErrors) {
  Graph graph(standard_ops());
  const Output n = placeholder(graph, kInt32, {});
  const Outputs last =
      while_loop([&](Output i) { return less(i, n); },
                 [&](Output i) {
                   assert_that(less(i, constant(graph, Tensor(3))), {i}, {.name = "small"});
                   return i + 1.0;
                 },
                 {constant(graph, Tensor(0))}, {.name = "count"});
  Session session(graph);
  EXPECT_EQ(session.run(last[0], {{n, Tensor(3)}}).at(0), 3);
  expect_error(
      Code::kInvalidArgument,
      [&] {
        session.run(last[0], {{n, Tensor(9)}});
      },
      "Assert node `small`", "function `count_body`", "node `count`");
}

TEST(Functions, PrintWhereTheRunPrints) {
  Graph graph(standard_ops());
  const Outputs last =
      while_loop([&](Output i) { return less(i, constant(graph, Tensor(3))); },
                 [&](Output i) { return print(i, "i: ") + 1.0; }, {constant(graph, Tensor(0))});
  int lines = 0;
  Session session(graph, {.print = [&](std::string_view) { ++lines; }});
  session.run(last[0]);
  EXPECT_EQ(lines, 3);
}

TEST(Functions, AreCheckedForFiniteValues) {
  Graph graph(standard_ops());
  const Outputs last = while_loop([&](Output x) { return less(x, scalar_like(x, 10)); },
                                  [&](Output x) { return x + 1.0 / (scalar_like(x, 5) - x); },
                                  {constant(graph, Tensor(4.0f))});
  Session session(graph, {.disabled_passes = {"all"}, .check_finite = true});
  expect_error(
      Code::kOutOfRange, [&] { session.run(last[0]); }, "not finite", "function `while_body`");
}

TEST(Functions, DrawNewNumbersWithEachCall) {
  Graph graph(standard_ops());
  graph.set_seed(7);
  const auto draws = [&](Session& session, const Output& list) {
    const Tensor values = session.run(list);
    std::set<double> different;
    for (int64_t i = 0; i < values.num_elements(); ++i) different.insert(values.at(i));
    return std::pair(different.size(), values.to_string(100));
  };
  const Output empty = empty_tensor_list(graph, kFloat32, Shape{});
  const Outputs last =
      while_loop([&](Output i, Output) { return less(i, constant(graph, Tensor(20))); },
                 [&](Output i, Output list) {
                   return Outputs{i + 1.0, tensor_list_push_back(list, random_uniform(graph, {}))};
                 },
                 {constant(graph, Tensor(0)), empty});
  const Output numbers = tensor_list_stack(last[1], kFloat32, Shape{});
  Session session(graph);
  const auto first = draws(session, numbers);
  const auto second = draws(session, numbers);
  EXPECT_EQ(first.first, 20u);
  EXPECT_EQ(second.first, 20u);
  EXPECT_NE(first.second, second.second);
  Session again(graph);
  EXPECT_EQ(draws(again, numbers).second, first.second);
}

TEST(Functions, MayNotMakeVariables) {
  Graph graph(standard_ops());
  expect_error(
      Code::kFailedPrecondition,
      [&] {
        define_function(graph, "f", {}, [&](const Outputs&) {
          return Outputs{Variable(graph, Tensor(1.0f), {.name = "w"}).read()};
        });
      },
      "variable `w`", "before");
}

TEST(Functions, KnowShapesThatOnlyTheCallTells) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 3});
  const Output y = cond(
      less(reduce_sum(x), scalar_like(x, 0)), [&] { return exp(x); }, [&] { return x * 2.0; });
  EXPECT_EQ(y.shape(), (Shape{kUnknownDim, 3}));
  Session session(graph);
  const Callable step = session.make_callable({x}, {y + 1.0});
  const std::vector<Tensor> feeds = {Tensor::zeros(kFloat32, {2, 3})};
  EXPECT_EQ(step(feeds)[0].to_string(), "float32[2, 3] [[1, 1, 1], [1, 1, 1]]");
  EXPECT_EQ(step.explain(feeds).find("dynamic"), std::string::npos) << step.explain(feeds);
}

TEST(Maps, GoOverRows) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, 2});
  const Tensor value = Tensor::of<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  Session session(graph);
  const auto run = [&](const Output& y) { return session.run(y, {{x, value}}).to_string(); };
  EXPECT_EQ(run(map_fn([](Output row) { return reduce_sum(row); }, x)), "float32[3] [3, 7, 11]");
  const Output zero = constant(graph, Tensor(0.0f));
  const auto add_row = [](Output sum, Output row) { return sum + reduce_sum(row); };
  EXPECT_EQ(run(scan(add_row, x, zero)), "float32[3] [3, 10, 21]");
  EXPECT_EQ(run(scan(add_row, x, zero, {.reverse = true})), "float32[3] [21, 18, 11]");
  EXPECT_EQ(run(foldl(add_row, x, zero)), "float32 21");
}

TEST(Maps, HaveKnownShapesOnceTheFeedsDo) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, {kUnknownDim, kUnknownDim});
  const Output sums =
      scan([](Output sum, Output row) { return sum + row; }, x, reduce_sum(x, {0}) * 0.0);
  const Output y = map_fn([](Output row) { return exp(row); }, sums) + 1.0;
  Session session(graph);
  const Callable step = session.make_callable({x}, {y});
  const std::vector<Tensor> feeds = {Tensor::zeros(kFloat32, {3, 2})};
  EXPECT_EQ(step(feeds)[0].to_string(), "float32[3, 2] [[2, 2], [2, 2], [2, 2]]");
  EXPECT_EQ(step.explain(feeds).find("dynamic"), std::string::npos) << step.explain(feeds);
  const std::vector<Tensor> none = {Tensor::zeros(kFloat32, {0, 2})};
  EXPECT_EQ(step(none)[0].shape(), (Shape{0, 2}));
}

TEST(WhileLoop, CountsToTheLargestMaximum) {
  for (const int64_t maximum : {int64_t{3}, int64_t{1} << 53, INT64_MAX}) {
    Graph graph(standard_ops());
    const Outputs result =
        while_loop([&](Output i) { return less(i, constant(graph, Tensor(10))); },
                   [&](Output i) { return i + 1; }, {constant(graph, Tensor(0))},
                   {.maximum_iterations = maximum});
    EXPECT_EQ(eval(result[0]).item<int32_t>(), std::min<int64_t>(maximum, 10)) << maximum;
  }
}

TEST(WhileLoop, SaysThatACallableTakesAnotherNumberOfVariables) {
  Graph graph(standard_ops());
  expect_error(
      Code::kInvalidArgument,
      [&] {
        while_loop([&](Output i, Output j) { return less(i, j); }, [&](Output i) { return i; },
                   {constant(graph, Tensor(0))});
      },
      "takes 2 tensors", "handed 1");
}

TEST(Call, RefusesAFunctionThatWasNeverDefined) {
  Graph graph(standard_ops());
  expect_error(
      Code::kInvalidArgument, [&] { call(DefinedFunction{}, {constant(graph, Tensor(1))}); },
      "empty DefinedFunction");
}

TEST(ControlFlow, SaysThatACallableIsEmpty) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1, 2}));
  const Output yes = constant(graph, Tensor(true)), index = constant(graph, Tensor(0));
  const auto same = [](const Outputs& v) { return v; };
  const auto refused = [](const char* who, const std::function<void()>& use) {
    expect_error(Code::kInvalidArgument, use, who, "callable is empty");
  };
  refused("`cond`", [&] { cond_list(yes, BranchBody(), BranchBody()); });
  refused("`case`", [&] { case_(index, {std::function<Output()>()}, {}); });
  refused("`while`", [&] { while_list(LoopCondition(), same, {x}); });
  refused("`while`", [&] {
    while_list([&](const Outputs&) { return yes; }, LoopBody(), {x}, {.maximum_iterations = 3});
  });
  refused("`map`", [&] { map_fn({}, x); });
  refused("`scan`", [&] { scan({}, x, constant(graph, Tensor(0.0f))); });
  refused("`fold`", [&] { foldl({}, x, constant(graph, Tensor(0.0f))); });
  refused("`f`", [&] { define_function(graph, "f", {{kFloat32}}, LoopBody()); });
  // Nothing is left half done.
  EXPECT_EQ(&graph.innermost(), &graph);
  expect_error(
      Code::kInvalidArgument, [&] { map_list(same, {}); }, "map", "needs a tensor");
}

}  // namespace
}  // namespace thalweg::testing
