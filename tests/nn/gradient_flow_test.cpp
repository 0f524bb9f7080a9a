// Gradients through every layer, against central differences in double precision.
#include <cmath>
#include <functional>

#include "nn/nn_testing.h"
#include "thalweg/autodiff/gradients.h"
#include "thalweg/nn/image_layers.h"
#include "thalweg/nn/layers.h"
#include "thalweg/nn/losses.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using testing::GraphTest;

class GradientFlow : public GraphTest {
 protected:
  // Some numbers without ties or kinks near them.
  static Tensor sample(const Shape& shape) {
    Tensor x(kFloat64, shape);
    const auto data = x.mutable_data<double>();
    for (size_t i = 0; i < data.size(); ++i) data[i] = std::sin(1.7 * static_cast<double>(i) + 0.4);
    return x;
  }

  // Checks d(loss)/d(variable) for all trainable variables of the layer, and for the input.
  void check(const Layer& layer, const Tensor& x_value, Mode mode = Mode::kTraining) {
    const Output x = placeholder(graph_, x_value.dtype(), x_value.shape());
    Output y = layer(x, mode);
    if (y.dtype() != kFloat64) y = cast(y, kFloat64);
    const Output loss = reduce_sum(square(y) * 0.5 + y * given(sample(y.shape())));
    session().initialize();
    const auto loss_at = [&](const Tensor& at) { return number(loss, {{x, at}}); };

    std::vector<Output> sources;
    std::vector<Variable> variables;
    for (const Variable& variable : layer.variables(graph_)) {
      if (!graph_.find_variable(variable.name())->trainable) continue;
      variables.push_back(variable);
      sources.push_back(variable.handle());
    }
    const std::vector<Output> slopes = gradients({loss}, sources);
    for (size_t i = 0; i < variables.size(); ++i) {
      const std::string& name = variables[i].name();
      SCOPED_TRACE(name);
      ASSERT_TRUE(slopes[i]);
      const Tensor slope = run(slopes[i], {{x, x_value}});
      const Tensor value = session().variables().get(name);
      const double h = value.dtype() == kFloat64 ? 1e-5 : 1e-2;
      for (int64_t k = 0; k < value.num_elements(); ++k) {
        const auto shifted = [&](double by) {
          Tensor wide = value.cast(kFloat64).clone();
          wide.mutable_data<double>()[static_cast<size_t>(k)] += by;
          session().variables().set(name, wide.cast(value.dtype()));
          return loss_at(x_value);
        };
        const double numeric = (shifted(h) - shifted(-h)) / (2 * h);
        session().variables().set(name, value);
        EXPECT_NEAR(slope.at(k), numeric, (h > 1e-3 ? 1e-3 : 1e-6) * (1 + std::abs(numeric)));
      }
    }
    if (!is_floating(x.dtype())) return;
    const Tensor slope = run(gradient(loss, x), {{x, x_value}});
    for (int64_t k = 0; k < x_value.num_elements(); ++k) {
      const auto shifted = [&](double by) {
        Tensor moved = x_value.clone();
        moved.mutable_data<double>()[static_cast<size_t>(k)] += by;
        return loss_at(moved);
      };
      const double numeric = (shifted(1e-5) - shifted(-1e-5)) / 2e-5;
      EXPECT_NEAR(slope.at(k), numeric, 1e-6 * (1 + std::abs(numeric))) << "input " << k;
    }
  }
};

TEST_F(GradientFlow, Dense) {
  check(thalweg::Dense({.units = 3, .activation = "tanh", .bias_initializer = "normal(0, 1)"}),
        sample({2, 4}));
}
TEST_F(GradientFlow, DenseOnSequences) { check(thalweg::Dense({.units = 2}), sample({2, 3, 2})); }
TEST_F(GradientFlow, Conv2d) {
  check(thalweg::Conv2d(
            {.filters = 2, .kernel_size = {3, 2}, .strides = {2, 1}, .activation = "sigmoid"}),
        sample({2, 4, 3, 2}));
}
TEST_F(GradientFlow, DepthwiseConv2d) {
  check(thalweg::DepthwiseConv2d({.kernel_size = {2}, .multiplier = 2}), sample({1, 3, 3, 2}));
}
TEST_F(GradientFlow, BatchNormTraining) { check(BatchNorm({.epsilon = 0.1}), sample({4, 3})); }
TEST_F(GradientFlow, BatchNormOfImages) {
  check(BatchNorm({.epsilon = 0.1}), sample({2, 2, 2, 2}));
}
TEST_F(GradientFlow, BatchNormPredicting) { check(BatchNorm(), sample({4, 3}), Mode::kPredicting); }
TEST_F(GradientFlow, MaxPool) { check(MaxPool2d(), sample({1, 4, 4, 2})); }
TEST_F(GradientFlow, AvgPool) { check(AvgPool2d({.padding = "SAME"}), sample({1, 3, 3, 2})); }
TEST_F(GradientFlow, GlobalAvgPool) { check(GlobalAvgPool2d(), sample({1, 3, 3, 2})); }
TEST_F(GradientFlow, DropoutPredicting) { check(Dropout(), sample({2, 3}), Mode::kPredicting); }
TEST_F(GradientFlow, FlattenAndReshape) {
  check(Sequential({Flatten(), Reshape({.shape = {3, 2}})}), sample({2, 2, 3}));
}
TEST_F(GradientFlow, Embedding) {
  check(thalweg::Embedding({.vocabulary = 4, .units = 2}), Tensor::of<int64_t>({1, 3, 1}));
}
TEST_F(GradientFlow, Network) {
  check(Sequential({thalweg::Conv2d({.filters = 3, .activation = "elu"}), BatchNorm(), AvgPool2d(),
                    Flatten(), thalweg::Dense({.units = 2, .activation = "softmax"})}),
        sample({2, 4, 4, 1}));
}

// What dropout lets through, it lets back.
TEST_F(GradientFlow, DropoutTraining) {
  const Output x = given(sample({1, 32}));
  const Output y = Dropout({.rate = 0.5})(x, Mode::kTraining);
  session().initialize();
  const std::vector<Tensor> got = session().run({}, {y, gradient(y, x)});
  for (int64_t i = 0; i < 32; ++i) EXPECT_EQ(got[1].at(i), got[0].at(i) == 0 ? 0 : 2) << i;
}

TEST_F(GradientFlow, DescendsToAFit) {
  const thalweg::Dense dense({.units = 1});
  const Output x = given(Tensor::of<float>({0, 1, 2, 3}, {4, 1}));
  const Output loss =
      losses::mean_squared_error(given(Tensor::of<float>({1, 3, 5, 7})), dense(x, Mode::kTraining));
  const std::vector<Variable> weights = dense.variables(graph_);
  const std::vector<Output> slopes = gradients({loss}, {weights[0], weights[1]});
  const std::vector<Node*> step = {&weights[0].assign_sub(slopes[0] * 0.1),
                                   &weights[1].assign_sub(slopes[1] * 0.1)};
  for (int i = 0; i < 200; ++i) run_nodes(step);
  EXPECT_NEAR(variable("dense/kernel").at(0), 2, 1e-2);
  EXPECT_NEAR(variable("dense/bias").at(0), 1, 2e-2);
}

}  // namespace
}  // namespace thalweg
