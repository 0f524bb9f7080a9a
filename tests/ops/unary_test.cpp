#include "thalweg/ops/unary.h"

#include <cmath>
#include <functional>

#include "ops/evaluate_output.h"
#include "testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/ops/array.h"

namespace thalweg {
namespace {

using testing::evaluate_output;
using testing::values;
using Doubles = std::vector<double>;

TEST(UnaryFunctions, CanBePassedAsTheyAre) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({-1, 2}));
  std::function<Output(Output)> activation = relu;
  EXPECT_EQ(values(evaluate_output(activation(x))), (Doubles{0, 2}));
  activation = gelu;
  EXPECT_EQ(activation(x).shape(), x.shape());
}

TEST(Gelu, IsXTimesTheNormalDistribution) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<double>({-1, 0, 1, 10}));
  const Doubles y = values(evaluate_output(gelu(x)));
  EXPECT_NEAR(y[0], -0.15865525393145705, 1e-15);
  EXPECT_EQ(y[1], 0);
  EXPECT_NEAR(y[2], 0.8413447460685429, 1e-15);
  EXPECT_NEAR(y[3], 10, 1e-12);
}

TEST(Gelu, KeepsItsSmallValuesFarBelowZero) {
  Graph graph(standard_ops());
  const double expected = -8.958687807200846e-12;
  const Output x = constant(graph, Tensor(-7.0));
  EXPECT_NEAR(evaluate_output(gelu(x)).item<double>() / expected, 1, 1e-9);
  const Output single = constant(graph, Tensor(-7.0f));
  EXPECT_NEAR(evaluate_output(gelu(single)).item<float>() / expected, 1, 1e-5);
}

TEST(Cast, HandsThroughWhatHasTheDtypeAlready) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1}));
  EXPECT_EQ(cast(x, kFloat32), x);
  EXPECT_EQ(cast(x, kFloat32, {.name = "named"}).name(), "named:0");
}

TEST(CastGradient, ComesBackInTheFirstDtypeAndStopsAtIntegers) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({1.5f, -2}));
  EXPECT_EQ(gradient(cast(x, kFloat64), x).dtype(), kFloat32);
  const Output through_integers = cast(cast(x, kInt32), kFloat32);
  EXPECT_FALSE(gradients({through_integers}, {x})[0]);
}

// Kinks have no derivative; these are TensorFlow's values there.
TEST(ActivationGradients, HaveTensorFlowsValuesAtKinks) {
  Graph graph(standard_ops());
  const auto slope_at = [&](const std::function<Output(Output)>& f, double x) {
    const Output point = constant(graph, Tensor(x));
    return evaluate_output(gradient(f(point), point)).item<double>();
  };
  EXPECT_EQ(slope_at(relu, 0), 0);
  EXPECT_EQ(slope_at(relu6, 0), 0);
  EXPECT_EQ(slope_at(relu6, 6), 0);
  EXPECT_EQ(slope_at([](Output x) { return leaky_relu(x, {.alpha = 0.5f}); }, 0), 0.5);
  EXPECT_EQ(slope_at(elu, 0), 1);
  EXPECT_EQ(slope_at(abs, 0), 0);
}

// Activations of large scores decide whether deep networks train at all: no overflow in value or
// slope.
TEST(ActivationGradients, StayFiniteFarOut) {
  Graph graph(standard_ops());
  const Output x = constant(graph, Tensor::of<float>({-500, 500}));
  for (const auto& function : std::vector<std::function<Output(Output)>>{
           sigmoid, softplus, softsign, elu, selu, gelu, tanh}) {
    const Output first = gradient(function(x), x);
    const Output second = gradient(first, x);
    for (const Output& y : {function(x), first, second}) {
      for (double value : values(evaluate_output(y))) EXPECT_TRUE(std::isfinite(value)) << y.name();
    }
  }
}

}  // namespace
}  // namespace thalweg
