// Gradients through calls, branches and loops: equal to those of the graph without them, and to
// central differences.
#include <gtest/gtest.h>

#include <cmath>

#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/graph/function.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/functional.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/random.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/unary.h"
#include "thalweg/runtime/session.h"

namespace thalweg::testing {
namespace {

const std::vector<std::vector<std::string>> kPassChoices = {{}, {"all"}};

Tensor filled(const Shape& shape, double start, double step) {
  Tensor tensor(kFloat64, shape);
  double value = start;
  for (double& x : tensor.mutable_data<double>()) {
    x = std::sin(value);
    value += step;
  }
  return tensor;
}

// d(sum of y)/dx, analytic against central differences, for each feed.
void expect_slopes(const Output& y, const std::vector<Feed>& feeds,
                   const std::vector<std::string>& disabled = {}) {
  std::vector<Output> xs;
  for (const Feed& feed : feeds) {
    if (is_floating(feed.tensor.dtype())) xs.push_back(feed.tensor);
  }
  const Output sum = reduce_sum(y);
  const std::vector<Output> slopes = gradients({sum}, xs);
  Session session(y.graph(), {.disabled_passes = disabled});
  size_t next = 0;
  for (size_t f = 0; f < feeds.size(); ++f) {
    if (!is_floating(feeds[f].tensor.dtype())) continue;
    const Output slope = slopes[next++];
    ASSERT_TRUE(slope) << "no gradient for feed " << f;
    const Tensor analytic = session.run(slope, feeds);
    ASSERT_EQ(analytic.shape(), feeds[f].value.shape());
    for (int64_t e = 0; e < analytic.num_elements(); ++e) {
      constexpr double kStep = 1e-5;
      double sides[2];
      for (int side = 0; side < 2; ++side) {
        std::vector<Feed> moved = feeds;
        moved[f].value = feeds[f].value.clone();
        moved[f].value.mutable_data<double>()[static_cast<size_t>(e)] += side == 0 ? kStep : -kStep;
        sides[side] = session.run(sum, moved).item<double>();
      }
      EXPECT_NEAR(analytic.at(e), (sides[0] - sides[1]) / (2 * kStep), 1e-6)
          << "feed " << f << ", element " << e;
    }
  }
}

Output scalar_input(Graph& graph) { return placeholder(graph, kFloat64, Shape{}); }

// x <- sin(x) * w + x, n times.
Output repeated(const Output& x, const Output& w, const Output& n) {
  Graph& graph = x.graph();
  return while_loop([&](Output i, Output) { return less(i, n); },
                    [&](Output i, Output y) {
                      return Outputs{i + 1.0, sin(y) * w + y};
                    },
                    {constant(graph, Tensor(0)), x})[1];
}

TEST(CallGradient, IsThatOfTheBody) {
  for (const auto& disabled : kPassChoices) {
    Graph graph(standard_ops());
    const Output x = scalar_input(graph);
    const Output w = scalar_input(graph);
    const DefinedFunction f =
        define_function(graph, "f", {{.dtype = kFloat64, .shape = Shape{}}}, [&](const Outputs& a) {
          return Outputs{exp(a[0]) * w, a[0] * a[0]};
        });
    const Outputs first = call(f, {x});
    const Output y = call(f, {first[1]})[0] + first[0];
    expect_slopes(y, {{x, Tensor(0.7)}, {w, Tensor(1.3)}}, disabled);
  }
}

TEST(CallGradient, CanBeDifferentiatedAgain) {
  Graph graph(standard_ops());
  const Output x = scalar_input(graph);
  const DefinedFunction f =
      define_function(graph, "cube", {{.dtype = kFloat64, .shape = Shape{}}},
                      [&](const Outputs& a) { return Outputs{a[0] * a[0] * a[0]}; });
  const Output slope = gradient(call(f, {x})[0], x);
  const Output curvature = gradient(slope, x);
  Session session(graph);
  EXPECT_NEAR(session.run(slope, {{x, Tensor(2.0)}}).at(0), 12, 1e-12);
  EXPECT_NEAR(session.run(curvature, {{x, Tensor(2.0)}}).at(0), 12, 1e-12);
}

TEST(CondGradient, IsThatOfTheBranchThatRan) {
  for (const auto& disabled : kPassChoices) {
    Graph graph(standard_ops());
    const Output x = scalar_input(graph);
    const Output w = scalar_input(graph);
    const Output y = cond(
        less(x, scalar_like(x, 0)), [&] { return exp(x) * w; }, [&] { return sin(x) * sin(x); });
    expect_slopes(y, {{x, Tensor(-0.4)}, {w, Tensor(1.3)}}, disabled);
    expect_slopes(y, {{x, Tensor(0.4)}, {w, Tensor(1.3)}}, disabled);
  }
}

TEST(CondGradient, CanBeDifferentiatedAgain) {
  Graph graph(standard_ops());
  const Output x = scalar_input(graph);
  const Output y = cond(
      less(x, scalar_like(x, 0)), [&] { return x * x * x; }, [&] { return exp(x * 2.0); });
  const Output curvature = gradient(gradient(y, x), x);
  Session session(graph);
  EXPECT_NEAR(session.run(curvature, {{x, Tensor(-2.0)}}).at(0), -12, 1e-12);
  EXPECT_NEAR(session.run(curvature, {{x, Tensor(0.5)}}).at(0), 4 * std::exp(1.0), 1e-9);
}

TEST(CaseGradient, IsThatOfTheBranchThatRan) {
  Graph graph(standard_ops());
  const Output x = scalar_input(graph);
  const Output index = placeholder(graph, kInt32, {});
  const Output y = case_(index, {[&] { return x * 3.0; }, [&] { return x * x; }},
                         [&] { return constant(graph, Tensor(1.0)) * 2.0; });
  for (int i = 0; i < 3; ++i) expect_slopes(y, {{x, Tensor(1.5)}, {index, Tensor(i)}});
}

TEST(WhileGradient, OfAScalarLoopIsThatOfTheUnrolledGraph) {
  for (const auto& disabled : kPassChoices) {
    Graph graph(standard_ops());
    const Output x = scalar_input(graph);
    const Output w = scalar_input(graph);
    const Output n = placeholder(graph, kInt32, {});
    const Output y = repeated(x, w, n);
    Output unrolled = x;
    for (int i = 0; i < 4; ++i) unrolled = sin(unrolled) * w + unrolled;
    const std::vector<Output> looped = gradients({y}, {x, w});
    const std::vector<Output> plain = gradients({unrolled}, {x, w});
    Session session(graph, {.disabled_passes = disabled});
    const std::vector<Feed> feeds = {{x, Tensor(0.3)}, {w, Tensor(0.8)}, {n, Tensor(4)}};
    const std::vector<Tensor> values =
        session.run(feeds, {looped[0], plain[0], looped[1], plain[1]});
    EXPECT_NEAR(values[0].at(0), values[1].at(0), 1e-12);
    EXPECT_NEAR(values[2].at(0), values[3].at(0), 1e-12);
    expect_slopes(y, feeds, disabled);
    expect_slopes(y, {{x, Tensor(0.3)}, {w, Tensor(0.8)}, {n, Tensor(0)}}, disabled);
  }
}

TEST(WhileGradient, RunsTheLoopOnlyOnce) {
  Graph graph(standard_ops());
  const Output x = scalar_input(graph);
  const Output n = placeholder(graph, kInt32, {});
  const Variable count(graph, Tensor(0), {.name = "count"});
  const Outputs last = while_loop([&](Output i, Output) { return less(i, n); },
                                  [&](Output i, Output y) {
                                    count.assign_add(constant(graph, Tensor(1)));
                                    return Outputs{i + 1.0, sin(y)};
                                  },
                                  {constant(graph, Tensor(0)), x});
  const Output y = last[1];
  const Output slope = gradient(y, x);
  Session session(graph);
  session.initialize();
  const std::vector<Feed> feeds = {{x, Tensor(0.3)}, {n, Tensor(5)}};
  session.run(feeds, {y, slope});
  EXPECT_EQ(session.variables().get("count").at(0), 5);
  session.run(feeds, {y});
  EXPECT_EQ(session.variables().get("count").at(0), 10);
}

TEST(WhileGradient, OfARecurrentNetworkOverAsManyStepsAsTheDataSays) {
  for (const auto& disabled : kPassChoices) {
    Graph graph(standard_ops());
    const Output inputs = placeholder(graph, kFloat64, {kUnknownDim, kUnknownDim, 3});
    const Output w = placeholder(graph, kFloat64, {3, 2});
    const Output u = placeholder(graph, kFloat64, {2, 2});
    const Output start = placeholder(graph, kFloat64, {kUnknownDim, 2});
    const Output states =
        scan([&](Output h, Output x) { return thalweg::tanh(matmul(x, w) + matmul(h, u)); }, inputs,
             start);
    expect_slopes(states,
                  {{inputs, filled({3, 2, 3}, 0.1, 0.7)},
                   {w, filled({3, 2}, 0.5, 0.3)},
                   {u, filled({2, 2}, 0.2, 0.9)},
                   {start, filled({2, 2}, 0.4, 0.4)}},
                  disabled);
  }
}

TEST(WhileGradient, GoesThroughNestedLoopsAndBranches) {
  for (const auto& disabled : kPassChoices) {
    Graph graph(standard_ops());
    const Output x = scalar_input(graph);
    const Output w = scalar_input(graph);
    const Output zero = constant(graph, Tensor(0));
    const Outputs last = while_loop(
        [&](Output i, Output) { return less(i, constant(graph, Tensor(3))); },
        [&](Output i, Output y) {
          const Output inner = while_loop([&](Output j, Output) { return less(j, i + 1.0); },
                                          [&](Output j, Output z) {
                                            return Outputs{j + 1.0, sin(z * w) + z};
                                          },
                                          {zero, y})[1];
          const Output chosen = cond(
              less(inner, scalar_like(inner, 1.2)), [&] { return inner * w; },
              [&] { return cos(inner) * inner; });
          return Outputs{i + 1.0, chosen};
        },
        {zero, x});
    expect_slopes(last[1], {{x, Tensor(0.6)}, {w, Tensor(0.9)}}, disabled);
  }
}

TEST(WhileGradient, ReachesVariablesThatBodiesRead) {
  Graph graph(standard_ops());
  const Variable w(graph, Tensor(1.5), {.name = "w"});
  const Output x = scalar_input(graph);
  const Output y = while_loop([&](Output i, Output) { return less(i, constant(graph, Tensor(3))); },
                              [&](Output i, Output v) {
                                return Outputs{i + 1.0, v * w};
                              },
                              {constant(graph, Tensor(0)), x})[1];
  const Output inside = cond(
      less(x, scalar_like(x, 0)), [&] { return x + 0.0; }, [&] { return x * w; });
  const std::vector<Output> slopes = gradients({y}, {w});
  const std::vector<Output> branch = gradients({inside}, {w});
  Session session(graph);
  session.initialize();
  EXPECT_NEAR(session.run(slopes[0], {{x, Tensor(2.0)}}).at(0), 3 * 2 * 1.5 * 1.5, 1e-12);
  EXPECT_NEAR(session.run(branch[0], {{x, Tensor(2.0)}}).at(0), 2, 1e-12);
  EXPECT_NEAR(session.run(branch[0], {{x, Tensor(-2.0)}}).at(0), 0, 1e-12);
}

TEST(WhileGradient, CanBeDifferentiatedAgain) {
  for (const auto& disabled : kPassChoices) {
    Graph graph(standard_ops());
    const Output x = scalar_input(graph);
    const Output w = scalar_input(graph);
    const Output n = placeholder(graph, kInt32, {});
    const Output slope = gradient(repeated(x, w, n), x);
    expect_slopes(slope, {{x, Tensor(0.3)}, {w, Tensor(0.8)}, {n, Tensor(3)}}, disabled);
  }
}

TEST(WhileGradient, UsesTheNumbersThatWereDrawn) {
  Graph graph(standard_ops());
  graph.set_seed(3);
  const Output x = scalar_input(graph);
  const Output y = while_loop(
      [&](Output i, Output) { return less(i, constant(graph, Tensor(3))); },
      [&](Output i, Output v) {
        return Outputs{i + 1.0, v * (random_uniform(graph, {}, {.dtype = kFloat64}) + 0.5)};
      },
      {constant(graph, Tensor(0)), x})[1];
  const Output slope = gradient(y, x);
  Session session(graph);
  const std::vector<Tensor> values = session.run({{x, Tensor(2.0)}}, {y, slope});
  EXPECT_NEAR(values[0].at(0), 2 * values[1].at(0), 1e-12);
}

TEST(MapGradient, ReachesEachRow) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat64, {kUnknownDim, 2});
  const Output w = placeholder(graph, kFloat64, {2});
  const Output y = map_fn([&](Output row) { return exp(row) * w; }, x);
  const Output last = foldl([&](Output s, Output row) { return s * row; }, y, w);
  expect_slopes(y, {{x, filled({3, 2}, 0.1, 0.7)}, {w, filled({2}, 1, 0.3)}});
  expect_slopes(last, {{x, filled({3, 2}, 0.1, 0.7)}, {w, filled({2}, 1, 0.3)}});
}

}  // namespace
}  // namespace thalweg::testing
