// Each optimizer against its formula, worked out here in double precision.
#include "thalweg/train/optimizer.h"

#include <cmath>
#include <functional>

#include "testing.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/ops/state.h"
#include "thalweg/ops/unary.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using testing::expect_error;

const std::vector<std::vector<float>> kGradients = {
    {0.5f, -1.0f, 0.0f}, {0.25f, 2.0f, -3.0f}, {-0.75f, 0.125f, 1.0f}, {0.1f, -0.2f, 0.3f}};
const std::vector<double> kStart = {1.0, -2.0, 0.5};

/// loss = sum(w * g), so that g is the gradient of the step.
struct Line {
  explicit Line(const Optimizer& optimizer) : graph(standard_ops()) {
    g = placeholder(graph, kFloat32, Shape{3}, {.name = "g"});
    const Variable w(graph, Tensor::of<float>({1.0f, -2.0f, 0.5f}), {.name = "w"});
    step = &optimizer.minimize(reduce_sum(w.read() * g));
    session = std::make_unique<Session>(graph);
    session->initialize();
  }
  void run(const std::vector<float>& gradient) {
    session->run(*step, {{g, Tensor::from(std::span<const float>(gradient), Shape{3})}});
  }
  Tensor value(std::string_view name) const { return session->variables().get(name); }

  Graph graph;
  Output g;
  Node* step = nullptr;
  std::unique_ptr<Session> session;
};

/// One element's update: weight, gradient, number of the step from 1.
using Update = std::function<void(double& w, double g, int t)>;

/// `make` gives the formula with slots of its own for each element.
void expect_steps(const Optimizer& optimizer, const std::function<Update()>& make) {
  Line line(optimizer);
  std::vector<double> w = kStart;
  std::vector<Update> updates;
  for (size_t i = 0; i < w.size(); ++i) updates.push_back(make());
  int t = 0;
  for (const std::vector<float>& gradient : kGradients) {
    line.run(gradient);
    ++t;
    const Tensor found = line.value("w");
    for (size_t i = 0; i < w.size(); ++i) {
      updates[i](w[i], static_cast<double>(gradient[i]), t);
      EXPECT_NEAR(found.at(static_cast<int64_t>(i)), w[i], 2e-6)
          << optimizer.to_string() << ", step " << t << ", element " << i;
    }
  }
}

TEST(Optimizer, Sgd) {
  expect_steps(Sgd({.learning_rate = 0.1}),
               [] { return [](double& w, double g, int) { w -= 0.1 * g; }; });
}

TEST(Optimizer, MomentumIsKeras) {
  for (const bool nesterov : {false, true}) {
    expect_steps(Momentum({.learning_rate = 0.1, .momentum = 0.8, .nesterov = nesterov}),
                 [nesterov] {
                   return [nesterov, a = 0.0](double& w, double g, int) mutable {
                     a = 0.8 * a - 0.1 * g;
                     w += nesterov ? 0.8 * a - 0.1 * g : a;
                   };
                 });
  }
}

TEST(Optimizer, Adam) {
  expect_steps(Adam({.learning_rate = 0.1, .beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-3}), [] {
    return [m = 0.0, v = 0.0](double& w, double g, int t) mutable {
      m = 0.8 * m + 0.2 * g;
      v = 0.9 * v + 0.1 * g * g;
      const double rate = 0.1 * std::sqrt(1 - std::pow(0.9, t)) / (1 - std::pow(0.8, t));
      w -= rate * m / (std::sqrt(v) + 1e-3);
    };
  });
}

TEST(Optimizer, AdamWDecaysApartFromTheGradient) {
  expect_steps(AdamW({.learning_rate = 0.1, .weight_decay = 0.2, .beta1 = 0.8, .beta2 = 0.9}), [] {
    return [m = 0.0, v = 0.0](double& w, double g, int t) mutable {
      w -= 0.1 * 0.2 * w;
      m = 0.8 * m + 0.2 * g;
      v = 0.9 * v + 0.1 * g * g;
      const double rate = 0.1 * std::sqrt(1 - std::pow(0.9, t)) / (1 - std::pow(0.8, t));
      w -= rate * m / (std::sqrt(v) + 1e-7);
    };
  });
}

TEST(Optimizer, RmsProp) {
  // TensorFlow's op keeps epsilon under the root.
  expect_steps(RmsProp({.learning_rate = 0.01, .rho = 0.8, .momentum = 0.5, .epsilon = 1e-3}), [] {
    return [ms = 0.0, mom = 0.0](double& w, double g, int) mutable {
      ms = 0.8 * ms + 0.2 * g * g;
      mom = 0.5 * mom + 0.01 * g / std::sqrt(ms + 1e-3);
      w -= mom;
    };
  });
  expect_steps(RmsProp({.learning_rate = 0.01, .rho = 0.8, .epsilon = 1e-3, .centered = true}), [] {
    return [ms = 0.0, mg = 0.0](double& w, double g, int) mutable {
      ms = 0.8 * ms + 0.2 * g * g;
      mg = 0.8 * mg + 0.2 * g;
      w -= 0.01 * g / std::sqrt(ms - mg * mg + 1e-3);
    };
  });
}

TEST(Optimizer, Adagrad) {
  expect_steps(Adagrad({.learning_rate = 0.1, .initial_accumulator = 0.2, .epsilon = 1e-3}), [] {
    return [a = 0.2](double& w, double g, int) mutable {
      a += g * g;
      w -= 0.1 * g / (std::sqrt(a) + 1e-3);
    };
  });
}

TEST(Optimizer, Adadelta) {
  expect_steps(Adadelta({.learning_rate = 0.5, .rho = 0.9, .epsilon = 1e-2}), [] {
    return [a = 0.0, d = 0.0](double& w, double g, int) mutable {
      a = 0.9 * a + 0.1 * g * g;
      const double change = std::sqrt(d + 1e-2) / std::sqrt(a + 1e-2) * g;
      d = 0.9 * d + 0.1 * change * change;
      w -= 0.5 * change;
    };
  });
}

TEST(Optimizer, Ftrl) {
  const double rate = 0.1;
  expect_steps(Ftrl({.learning_rate = rate,
                     .initial_accumulator = 0.1,
                     .l1 = 0.05,
                     .l2 = 0.2,
                     .l2_shrinkage = 0.1}),
               [rate] {
                 return [rate, n = 0.1, z = 0.0](double& w, double g, int) mutable {
                   const double shrunk = g + 2 * 0.1 * w;
                   const double next = n + g * g;
                   z += shrunk - (std::sqrt(next) - std::sqrt(n)) / rate * w;
                   n = next;
                   const double quadratic = std::sqrt(n) / rate + 2 * 0.2;
                   const double sign = z > 0 ? 1 : -1;
                   w = std::abs(z) > 0.05 ? (sign * 0.05 - z) / quadratic : 0;
                 };
               });
}

TEST(Optimizer, NamesSlotsAsTensorFlowDoesAndCountsSteps) {
  Line line(Adam({.learning_rate = 0.1}));
  const std::vector<std::string> names = {"Adam/iterations", "global_step", "w", "w/Adam",
                                          "w/Adam_1"};
  EXPECT_EQ(line.session->variables().names(), names);
  EXPECT_EQ(line.value("global_step").dtype(), kInt64);
  for (int i = 0; i < 3; ++i) line.run(kGradients[0]);
  EXPECT_EQ(line.value("global_step").item<int64_t>(), 3);
  const Graph::VariableRecord* slot = line.graph.find_variable("w/Adam");
  ASSERT_NE(slot, nullptr);
  EXPECT_FALSE(slot->trainable);
}

TEST(Optimizer, SlotNamesDoNotDependOnTheScope) {
  Graph graph(standard_ops());
  Output loss;
  {
    const NameScope scope(graph, "net");
    const Variable w(graph, Tensor::of<float>({1, 2}), {.name = "w"});
    loss = reduce_sum(square(w.read()));
  }
  const NameScope scope(graph, "training");
  Adagrad().minimize(loss);
  EXPECT_NE(graph.find_variable("net/w/Adagrad"), nullptr);
}

TEST(Optimizer, FollowsItsSchedule) {
  Line line(Sgd({.learning_rate = piecewise_constant({0, 1}, {0.5, 0.25, 0.125})}));
  const std::vector<float> one = {1, 0, 0};
  std::vector<double> found;
  for (int i = 0; i < 3; ++i) {
    line.run(one);
    found.push_back(line.value("w").at(0));
  }
  EXPECT_EQ(found, (std::vector<double>{0.5, 0.25, 0.125}));
}

TEST(Optimizer, TellsTheRateOfTheComingStep) {
  Graph graph(standard_ops());
  const Variable w(graph, Tensor::of<float>({1, 2}), {.name = "w"});
  const Sgd optimizer({.learning_rate = piecewise_constant({0}, {0.5, 0.25})});
  Node& step = optimizer.minimize(reduce_sum(square(w.read())));
  const Output rate = optimizer.learning_rate(graph);
  Session session(graph);
  session.initialize();
  EXPECT_FLOAT_EQ(session.run(rate).item<float>(), 0.5f);
  session.run(step);
  EXPECT_FLOAT_EQ(session.run(rate).item<float>(), 0.25f);
  EXPECT_EQ(optimizer.to_string(), "SGD(learning_rate=piecewise_constant([0], [0.5, 0.25]))");
}

TEST(Optimizer, MinimizeStopsOnALossThatIsNoNumberBeforeAnythingChanges) {
  Graph graph(standard_ops());
  const Output x = placeholder(graph, kFloat32, Shape{}, {.name = "x"});
  const Variable w(graph, Tensor(2.0f), {.name = "w"});
  Node& step = Adam().minimize(log(w.read() * x));
  Session session(graph);
  session.initialize();
  session.run(step, {{x, Tensor(1.0f)}});
  std::map<std::string, Tensor> before;
  for (const std::string& name : session.variables().names()) {
    before[name] = session.variables().get(name);
  }
  for (const float bad : {-1.0f, 0.0f}) {
    expect_error(
        Code::kInvalidArgument,
        [&] {
          session.run(step, {{x, Tensor(bad)}});
        },
        "the loss is not finite");
    for (const auto& [name, value] : before) {
      EXPECT_TRUE(value.same_bits(session.variables().get(name))) << name;
    }
  }
}

TEST(Optimizer, RefusesALossThatNothingCanMakeSmaller) {
  Graph graph(standard_ops());
  const Variable w(graph, Tensor(2.0f), {.name = "w"});
  const Variable other(graph, Tensor(1.0f), {.name = "other"});
  const Output constant_loss = reduce_sum(constant(graph, Tensor::of<float>({1, 2})));
  expect_error(
      Code::kInvalidArgument, [&] { Sgd().minimize(constant_loss); }, "no trainable variable");
  const Output loss = square(w.read());
  expect_error(
      Code::kInvalidArgument, [&] { Sgd().minimize(loss, {other.handle()}); }, "`other`",
      "does not depend");
}

TEST(Clip, ByNormsGivesTensorFlowsValues) {
  // tf.clip_by_norm and tf.clip_by_global_norm in TensorFlow's clip_ops_test.
  Graph graph(standard_ops());
  const Variable a(graph, Tensor::of<float>({0, 0, 0, 0, 0, 0}, {2, 3}), {.name = "a"});
  const Variable b(graph, Tensor::of<float>({0, 0}), {.name = "b"});
  const auto clipped = [&](const Clip& clip) {
    const Output ga = constant(graph, Tensor::of<float>({-2, 0, 0, 4, 0, 0}, {2, 3}));
    const Output gb = constant(graph, Tensor::of<float>({1, -2}));
    Session session(graph);
    std::vector<double> values;
    for (const GradientAndVariable& pair :
         clip_gradients({{ga, a.handle()}, {gb, b.handle()}}, clip)) {
      const Tensor value = session.run(pair.gradient);
      for (int64_t i = 0; i < value.num_elements(); ++i) values.push_back(value.at(i));
    }
    return values;
  };
  const auto expect = [&](const Clip& clip, const std::vector<double>& expected) {
    const std::vector<double> found = clipped(clip);
    for (size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-6) << i;
  };
  expect({}, {-2, 0, 0, 4, 0, 0, 1, -2});
  expect({.value = 1.5}, {-1.5, 0, 0, 1.5, 0, 0, 1, -1.5});
  expect({.global_norm = 4}, {-1.6, 0, 0, 3.2, 0, 0, 0.8, -1.6});
  expect({.global_norm = 6}, {-2, 0, 0, 4, 0, 0, 1, -2});
  const double share = 2 / std::sqrt(20.0);
  expect({.norm = 2}, {-2 * share, 0, 0, 4 * share, 0, 0, 2 / std::sqrt(5.0), -4 / std::sqrt(5.0)});
  expect_error(
      Code::kInvalidArgument, [&] { clipped({.norm = -1}); }, "clipping bounds");
}

TEST(Clip, LeavesAGradientOfZeroAlone) {
  Line line(Sgd({.learning_rate = 1.0, .clip = {.norm = 1, .global_norm = 1}}));
  line.run({0, 0, 0});
  EXPECT_EQ(line.value("w").at(0), 1.0);
  line.run({3, 0, 4});
  EXPECT_NEAR(line.value("w").at(0), 0.4, 1e-6);
  EXPECT_NEAR(line.value("w").at(2), -0.3, 1e-6);
}

// As a generator and a discriminator are trained: by turns, in one graph.
TEST(Optimizer, SeveralInOneGraphCountTheirOwnStepsOnly) {
  struct Part {
    Part(Graph& graph, const std::string& name, const Optimizer& optimizer)
        : w(graph, Tensor::of<float>({1, -2, 0.5f}), {.name = name}),
          step(&optimizer.minimize(reduce_sum(square(w.read()) * 0.5))),
          rate(optimizer.learning_rate(graph)) {}
    Variable w;
    Node* step;
    Output rate;
  };
  const Schedule falling = exponential_decay({.initial = 0.1, .decay_steps = 2});
  const std::vector<Optimizer> optimizers = {Adam({.learning_rate = falling}),
                                             AdamW({.learning_rate = falling}),
                                             Adam({.learning_rate = falling, .beta1 = 0.5})};
  Graph graph(standard_ops());
  std::vector<Part> parts;
  for (size_t i = 0; i < optimizers.size(); ++i) {
    parts.emplace_back(graph, str("w", i), optimizers[i]);
  }
  Session together(graph);
  together.initialize();
  constexpr int kSteps = 5;
  for (int step = 0; step < kSteps; ++step) {
    for (const Part& part : parts) together.run(*part.step);
  }
  for (size_t i = 0; i < optimizers.size(); ++i) {
    Graph own(standard_ops());
    const Part alone(own, str("w", i), optimizers[i]);
    Session session(own);
    session.initialize();
    for (int step = 0; step < kSteps; ++step) session.run(*alone.step);
    EXPECT_TRUE(
        session.variables().get(str("w", i)).same_bits(together.variables().get(str("w", i))))
        << optimizers[i].to_string();
    EXPECT_EQ(session.run(alone.rate).item<float>(), together.run(parts[i].rate).item<float>());
  }
  EXPECT_EQ(together.variables().get("global_step").item<int64_t>(), 3 * kSteps);
  EXPECT_EQ(together.variables().get("Adam_1/iterations").item<int64_t>(), kSteps);
}

TEST(Optimizer, SeveralMakeOneStepOfOneLoss) {
  Graph graph(standard_ops());
  const Variable a(graph, Tensor::of<float>({1, 2}), {.name = "a"});
  const Variable b(graph, Tensor(4.0f), {.name = "b"});
  const Output loss = reduce_sum(square(a.read())) + square(b.read());
  const Sgd slow({.learning_rate = 0.1}), fast({.learning_rate = 0.25});
  const auto gradients = slow.compute_gradients(loss);
  ASSERT_EQ(gradients.size(), 2u);
  Node& step = apply_gradients(loss, {{slow, {gradients[0]}}, {fast, {gradients[1]}}});
  Session session(graph);
  session.initialize();
  session.run(step);
  const VariableStore& variables = session.variables();
  EXPECT_FLOAT_EQ(static_cast<float>(variables.get("a").at(1)), 2 - 0.1f * 4);
  EXPECT_FLOAT_EQ(variables.get("b").item<float>(), 4 - 0.25f * 8);
  EXPECT_EQ(variables.get("global_step").item<int64_t>(), 1);
  EXPECT_EQ(variables.get("SGD/iterations").item<int64_t>(), 1);
  EXPECT_EQ(variables.get("SGD_1/iterations").item<int64_t>(), 1);
  expect_error(
      Code::kInvalidArgument, [&] { apply_gradients(loss, {}); }, "no optimizers");
  expect_error(
      Code::kInvalidArgument,
      [&] {
        apply_gradients(loss, {{slow, {}}});
      },
      "no gradients");
}

TEST(Optimizer, SaysAllThatChangesItsSteps) {
  EXPECT_EQ(Sgd().to_string(), "SGD(learning_rate=0.01)");
  EXPECT_EQ(Adam().to_string(), "Adam(learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-07)");
  EXPECT_EQ(Momentum({.momentum = 0.5, .nesterov = true, .clip = {.norm = 1}}).to_string(),
            "Momentum(learning_rate=0.01, momentum=0.5, nesterov, clip.norm=1)");
  const std::vector<std::pair<Optimizer, Optimizer>> pairs = {
      {Sgd(), Sgd({.clip = {.value = 1}})},
      {Sgd({.clip = {.norm = 1}}), Sgd({.clip = {.global_norm = 1}})},
      {Momentum(), Momentum({.momentum = 0.8})},
      {Momentum(), Momentum({.nesterov = true})},
      {Adam(), Adam({.beta1 = 0.8})},
      {Adam(), Adam({.beta2 = 0.8})},
      {Adam(), Adam({.epsilon = 1e-6})},
      {AdamW(), AdamW({.weight_decay = 0.01})},
      {AdamW(), AdamW({.beta1 = 0.8})},
      {AdamW(), AdamW({.beta2 = 0.8})},
      {AdamW(), AdamW({.epsilon = 1e-6})},
      {RmsProp(), RmsProp({.rho = 0.8})},
      {RmsProp(), RmsProp({.momentum = 0.8})},
      {RmsProp(), RmsProp({.epsilon = 1e-6})},
      {RmsProp(), RmsProp({.centered = true})},
      {Adagrad(), Adagrad({.initial_accumulator = 0.2})},
      {Adagrad(), Adagrad({.epsilon = 1e-6})},
      {Adadelta(), Adadelta({.rho = 0.9})},
      {Adadelta(), Adadelta({.epsilon = 1e-6})},
      {Ftrl(), Ftrl({.learning_rate_power = -0.4})},
      {Ftrl(), Ftrl({.initial_accumulator = 0.2})},
      {Ftrl(), Ftrl({.l1 = 0.1})},
      {Ftrl(), Ftrl({.l2 = 0.1})},
      {Ftrl(), Ftrl({.l2_shrinkage = 0.1})},
  };
  for (const auto& [a, b] : pairs) EXPECT_NE(a.to_string(), b.to_string());
}

TEST(Optimizer, RefusesOptionsThatMakeNoStep) {
  const double nan = std::nan(""), inf = HUGE_VAL;
  const auto refuse = [](const std::function<void()>& make, std::string_view option) {
    expect_error(Code::kInvalidArgument, make, option);
  };
  for (const double bad : {-1.0, 1.0, 1.5, nan, inf}) {
    refuse([&] { Adam({.beta1 = bad}); }, "beta1 is");
    refuse([&] { Adam({.beta2 = bad}); }, "beta2 is");
    refuse([&] { AdamW({.beta1 = bad}); }, "beta1 is");
    refuse([&] { AdamW({.beta2 = bad}); }, "beta2 is");
    refuse([&] { Momentum({.momentum = bad}); }, "momentum is");
    refuse([&] { RmsProp({.rho = bad}); }, "rho is");
    refuse([&] { RmsProp({.momentum = bad}); }, "momentum is");
    refuse([&] { Adadelta({.rho = bad}); }, "rho is");
  }
  for (const double bad : {-1.0, nan, inf, 1e39}) {
    refuse([&] { Adam({.epsilon = bad}); }, "epsilon is");
    refuse([&] { AdamW({.epsilon = bad}); }, "epsilon is");
    refuse([&] { AdamW({.weight_decay = bad}); }, "weight_decay is");
    refuse([&] { RmsProp({.epsilon = bad}); }, "epsilon is");
    refuse([&] { Adagrad({.initial_accumulator = bad}); }, "initial_accumulator is");
    refuse([&] { Adagrad({.epsilon = bad}); }, "epsilon is");
    refuse([&] { Adadelta({.epsilon = bad}); }, "epsilon is");
    refuse([&] { Ftrl({.initial_accumulator = bad}); }, "initial_accumulator is");
    refuse([&] { Ftrl({.l1 = bad}); }, "l1 is");
    refuse([&] { Ftrl({.l2 = bad}); }, "l2 is");
    refuse([&] { Ftrl({.l2_shrinkage = bad}); }, "l2_shrinkage is");
    refuse([&] { Sgd({.learning_rate = bad}); }, "learning rate is");
    refuse([&] { Sgd({.clip = {.value = bad}}); }, "clipping bounds: value is");
    refuse([&] { Sgd({.clip = {.norm = bad}}); }, "clipping bounds: norm is");
    refuse([&] { clip_gradients({}, {.global_norm = bad}); }, "clipping bounds: global_norm is");
  }
  for (const double bad : {0.5, nan, -inf}) {
    refuse([&] { Ftrl({.learning_rate_power = bad}); }, "learning_rate_power is");
  }
  refuse([&] { Optimizer(nullptr, 0.1, {}); }, "needs a rule");
}

}  // namespace
}  // namespace thalweg
