// How gradients run through a graph; what each op's gradient is stands in tests/cases.
#include "thalweg/autodiff/gradients.h"

#include <cmath>

#include "reference_evaluator.h"
#include "testing.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/control.h"
#include "thalweg/ops/functional.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using testing::expect_error;
using testing::ReferenceEvaluator;

class Gradients : public ::testing::Test {
 protected:
  Output scalar(double value) {
    const Output x = placeholder(graph_, kFloat64, Shape{});
    evaluator_.feed(x, Tensor(value));
    return x;
  }
  Output vector(std::initializer_list<double> values) {
    const Output x = placeholder(graph_, kFloat64, Shape{kUnknownDim});
    evaluator_.feed(x, Tensor::of<double>(values));
    return x;
  }
  std::vector<double> values(Output x) {
    const Tensor tensor = evaluator_.run(x);
    return {tensor.data<double>().begin(), tensor.data<double>().end()};
  }
  // Calls a function that is still being defined.
  Output call_unfinished(const std::string& function, Output x) {
    return graph_
        .add("StatefulPartitionedCall", {x},
             {{"Tout", std::vector<DType>{kFloat64}}, {"f", FunctionName{function}}})
        .output();
  }
  double value(Output x) { return evaluator_.run(x).item<double>(); }

  Graph graph_{standard_ops()};
  ReferenceEvaluator evaluator_;
};

TEST_F(Gradients, SumOverAllUsesOfAnInput) {
  const Output x = scalar(3);
  const Output y = x * x + sin(x) + x;
  EXPECT_NEAR(value(gradient(y, x)), 2 * 3 + std::cos(3.0) + 1, 1e-12);
}

TEST_F(Gradients, AreOfTheSumOfAllElements) {
  const Output x = vector({1, 2, 3});
  EXPECT_EQ(values(gradient(x * x, x)), (std::vector<double>{2, 4, 6}));
}

TEST_F(Gradients, SumOverBroadcastDimensions) {
  const Output x = vector({1, 2, 3});
  const Output s = scalar(2);
  EXPECT_EQ(value(gradient(x * s, s)), 6);
}

TEST_F(Gradients, AddUpOverSeveralTargets) {
  const Output x = scalar(3);
  const auto result = gradients({x * x, 5.0 * x}, {x});
  EXPECT_EQ(value(result[0]), 11);
}

TEST_F(Gradients, OfATargetInItselfIsOne) {
  const Output x = scalar(3);
  EXPECT_EQ(value(gradient(x, x)), 1);
}

TEST_F(Gradients, StartFromTheIncomingOnes) {
  const Output x = vector({1, 2, 3});
  const Output incoming = constant(graph_, Tensor::of<double>({1, 0, -1}));
  EXPECT_EQ(values(gradients({x * x}, {x}, {.grad_ys = {incoming}})[0]),
            (std::vector<double>{2, 0, -6}));
}

TEST_F(Gradients, OfUnconnectedInputsAreEmpty) {
  const Output x = scalar(3);
  const Output y = scalar(4);
  const auto result = gradients({x * x}, {y, x});
  EXPECT_FALSE(result[0]);
  EXPECT_EQ(value(result[1]), 6);
  expect_error(
      Code::kInvalidArgument, [&] { gradient(x * x, y); }, "does not depend on", y.name());
}

TEST_F(Gradients, InIntermediateValuesAreThere) {
  const Output x = scalar(3);
  const Output square_of_x = x * x;
  const Output y = square_of_x * square_of_x;
  const auto result = gradients({y}, {square_of_x, x});
  EXPECT_EQ(value(result[0]), 18);
  EXPECT_EQ(value(result[1]), 4 * 27);
}

TEST_F(Gradients, EndAtStops) {
  const Output x = scalar(3);
  const Output held = x * x;
  const Output y = held * x;
  EXPECT_EQ(value(gradients({y}, {x}, {.stop_at = {held}})[0]), 9);
  EXPECT_FALSE(gradients({held * 2.0}, {x}, {.stop_at = {held}})[0]);
}

TEST_F(Gradients, InStopsThemselvesArePartial) {
  const Output x = scalar(3);
  const Output held = x * x;
  const auto result = gradients({held * x}, {held, x}, {.stop_at = {held, x}});
  EXPECT_EQ(value(result[0]), 3);
  EXPECT_EQ(value(result[1]), 9);
}

TEST_F(Gradients, EndAtStopGradient) {
  const Output x = scalar(3);
  EXPECT_EQ(value(gradient(stop_gradient(x * x) * x, x)), 9);
}

TEST_F(Gradients, PassThroughEveryReadOfAVariable) {
  const Variable w(graph_, Tensor(2.0), {.name = "w"});
  evaluator_.set_variable(w.handle(), Tensor(2.0));
  const Output x = scalar(5);
  const Output first = w.read();
  const Output second = w.read();
  const Output y = first * x + second * second;
  EXPECT_EQ(value(gradients({y}, {w.handle()})[0]), 9);
  EXPECT_EQ(value(gradients({y}, {first})[0]), 9) << "one read stands for the variable";
  EXPECT_EQ(value(gradients({y}, {w.read()})[0]), 9) << "also one that y does not use";
}

TEST_F(Gradients, HaveGradients) {
  const Output x = scalar(0.7);
  const Output y = tanh(x * x);
  const Output first = gradient(y, x);
  const Output second = gradient(first, x);
  const double t = std::tanh(0.49);
  const double slope = 1 - t * t;
  EXPECT_NEAR(value(first), 2 * 0.7 * slope, 1e-12);
  EXPECT_NEAR(value(second), 2 * slope - 8 * 0.49 * t * slope, 1e-12);
  const Output third = gradient(gradient(gradient(x * x * x * x, x), x), x);
  EXPECT_NEAR(value(third), 24 * 0.7, 1e-12);
}

TEST_F(Gradients, OfAHessianTimesAVector) {
  const Output x = vector({1, 2});
  const Output direction = constant(graph_, Tensor::of<double>({3, -1}));
  const Output y = reduce_sum(x * x * x);
  const Output product = gradient(reduce_sum(gradient(y, x) * direction), x);
  EXPECT_EQ(values(product), (std::vector<double>{18, -12}));
}

TEST_F(Gradients, RunThroughMatrices) {
  const Output a = placeholder(graph_, kFloat64, Shape{kUnknownDim, 2});
  const Output b = placeholder(graph_, kFloat64, Shape{2, 1});
  evaluator_.feed(a, Tensor::of<double>({1, 2, 3, 4}, {2, 2}));
  evaluator_.feed(b, Tensor::of<double>({1, -1}, {2, 1}));
  const auto result = gradients({matmul(a, b)}, {a, b});
  EXPECT_EQ(values(result[0]), (std::vector<double>{1, -1, 1, -1}));
  EXPECT_EQ(values(result[1]), (std::vector<double>{4, 6}));
}

TEST_F(Gradients, StandUnderTheirScope) {
  const Output x = scalar(3);
  const Output y = x * x;
  const int before = graph_.num_nodes();
  gradients({y}, {x}, {.name = "back"});
  EXPECT_GT(graph_.num_nodes(), before);
  for (int id = before; id < graph_.num_nodes(); ++id) {
    EXPECT_TRUE(graph_.node(id).name().starts_with("back/")) << graph_.node(id).name();
  }
  EXPECT_EQ(graph_.scope(), "");
}

TEST_F(Gradients, NameTheOpWithoutOne) {
  const Output x = vector({1, 2});
  const Output y = cast(floor_div(cast(x, kInt32), constant(graph_, Tensor(int32_t{2}))), kFloat64);
  // Integers end the way: nothing flows back, and that is no mistake.
  EXPECT_FALSE(gradients({y}, {x})[0]);
  static constexpr OpDef kRows[] = {{.name = "Opaque",
                                     .inputs = {"x: double"},
                                     .outputs = {"y: double"},
                                     .doc = "Hides.",
                                     .no_gradient = "it is a riddle"}};
  OpRegistry ops = standard_ops();
  ops.add(kRows);
  Graph graph(ops);
  const Output z = placeholder(graph, kFloat64, Shape{});
  const Output hidden = graph.add("Opaque", {z}, {}, {.name = "hidden"}).output();
  expect_error(
      Code::kUnimplemented, [&] { gradients({hidden}, {z}); }, "hidden", "no gradient",
      "it is a riddle", "stop_gradient");
}

TEST_F(Gradients, AddContextToErrorsOfRows) {
  static constexpr OpDef kRows[] = {
      {.name = "Wrong",
       .inputs = {"x: double"},
       .outputs = {"y: double"},
       .doc = "Answers with another shape.",
       .shape = [](ShapeContext&) {},
       .gradient =
           [](GradientContext& c) {
             c.set(0, constant(c.graph(), Tensor::of<double>({1, 2})));
           }}};
  OpRegistry ops = standard_ops();
  ops.add(kRows);
  Graph graph(ops);
  const Output x = placeholder(graph, kFloat64, Shape{3});
  const Output y = graph.add("Wrong", {x}).output();
  expect_error(
      Code::kInternal, [&] { gradients({y}, {x}, {.grad_ys = {x}}); }, "gradient of Wrong", "[2]",
      "[3]");
}

TEST_F(Gradients, RefuseWhatCannotBeDifferentiated) {
  const Output x = scalar(3);
  expect_error(
      Code::kInvalidArgument, [&] { gradients({}, {x}); }, "no targets");
  expect_error(
      Code::kInvalidArgument, [&] { gradients({cast(x, kInt32)}, {x}); }, "int32",
      "floating point");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        gradients({x * x}, {x}, {.grad_ys = {x, x}});
      },
      "1 targets", "2 incoming");
}

TEST_F(Gradients, RefuseEmptyOutputs) {
  const Output x = scalar(3);
  const Output y = x * x;
  const auto refused = [&](const std::vector<Output>& ys, const std::vector<Output>& xs,
                           const GradientOptions& options, const char* named) {
    expect_error(
        Code::kInvalidArgument, [&] { gradients(ys, xs, options); }, named, "empty Output");
  };
  refused({Output()}, {x}, {}, "ys[0]");
  refused({y, Output()}, {x}, {}, "ys[1]");
  refused({y}, {Output()}, {}, "xs[0]");
  refused({y}, {x}, {.stop_at = {Output()}}, "stop_at[0]");
  EXPECT_NEAR(value(gradients({y}, {x}, {.grad_ys = {Output()}})[0]), 6, 1e-12);  // ones
}

TEST_F(Gradients, RefuseTensorsOfAnotherGraph) {
  const Output x = scalar(3);
  const Output y = neg(x);
  Graph other(standard_ops());
  const Output z = placeholder(other, kFloat64, Shape{}, {.name = "far"});
  ASSERT_EQ(z.node()->id(), x.node()->id());
  const auto refused = [&](const std::vector<Output>& ys, const std::vector<Output>& xs,
                           const GradientOptions& options, const char* named) {
    expect_error(
        Code::kInvalidArgument, [&] { gradients(ys, xs, options); }, named, "far:0",
        "another graph");
  };
  refused({y, z}, {x}, {}, "ys[1]");
  refused({y}, {z}, {}, "xs[0]");
  refused({y}, {x}, {.grad_ys = {z}}, "grad_ys[0]");
  refused({y}, {x}, {.stop_at = {z}}, "stop_at[0]");
}

TEST_F(Gradients, RefuseIncomingGradientsOfAnotherTypeOrShape) {
  const Output x = placeholder(graph_, kFloat64, Shape{4}, {.name = "x"});
  const Output y = x * 2.0;
  const auto refused = [&](const Output& incoming, const char* is) {
    expect_error(
        Code::kInvalidArgument,
        [&] {
          gradients({x, y}, {x}, {.grad_ys = {Output(), incoming}});
        },
        "grad_ys[1]", is, "float64[4]", y.name());
  };
  refused(constant(graph_, Tensor(1.0f)), "float32[]");
  refused(constant(graph_, Tensor(1.0)), "float64[]");
  refused(constant(graph_, Tensor::of<double>({1, 2, 3})), "float64[3]");
  const Output open = placeholder(graph_, kFloat64, Shape{kUnknownDim});
  EXPECT_TRUE(gradients({y}, {x}, {.grad_ys = {open}})[0]);
}

TEST_F(Gradients, OfAFunctionThatCallsItselfAreRefused) {
  const Output x = scalar(3);
  // x! for whole numbers, and something like it in between.
  const DefinedFunction factorial = define_function(
      graph_, "factorial", {{.dtype = kFloat64, .shape = Shape{}}}, [&](const Outputs& a) {
        return Outputs{cond(
            less(a[0], 1.0), [&] { return identity(a[0]); },
            [&] { return a[0] * call_unfinished("factorial", a[0] - 1.0); })};
      });
  const Output y = call(factorial, {x})[0];
  for (int i = 0; i < 2; ++i) {
    expect_error(
        Code::kUnimplemented, [&] { gradient(y, x); }, "`factorial`", "calls itself");
  }
  // Two calls of one function are no recursion.
  const DefinedFunction twice =
      define_function(graph_, "twice", {{.dtype = kFloat64, .shape = Shape{}}},
                      [](const Outputs& a) { return Outputs{a[0] * 2.0}; });
  EXPECT_TRUE(gradient(call(twice, {call(twice, {x})[0]})[0], x));
}

TEST_F(Gradients, OfALoopWhoseBodyCallsItselfAreRefused) {
  const Output x = scalar(3);
  define_function(graph_, "again", {{.dtype = kFloat64, .shape = Shape{}}}, [&](const Outputs& a) {
    return Outputs{while_loop(
        [&](Output z) { return greater(z, 1.0); },
        [&](Output z) { return reshape(call_unfinished("again", z * 0.5), {}); }, {a[0]})};
  });
  expect_error(
      Code::kUnimplemented, [&] { gradient(call(graph_, "again", {x})[0], x); }, "calls itself");
}

}  // namespace
}  // namespace thalweg
