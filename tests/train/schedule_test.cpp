// Learning rates by step. Values are those of Keras's own tests of its schedules, or its formulas.
#include "thalweg/train/schedule.h"

#include <cmath>

#include "testing.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/standard_ops.h"
#include "thalweg/runtime/session.h"

namespace thalweg {
namespace {

using testing::expect_error;

std::vector<double> rates(const Schedule& schedule, const std::vector<int64_t>& steps) {
  Graph graph(standard_ops());
  const Output step = placeholder(graph, kInt64, Shape{}, {.name = "step"});
  const Output rate = schedule.at(step);
  EXPECT_EQ(rate.dtype(), kFloat32);
  Session session(graph);
  std::vector<double> result;
  for (const int64_t s : steps) result.push_back(session.run(rate, {{step, Tensor(s)}}).at(0));
  return result;
}

void expect_rates(const Schedule& schedule, const std::vector<int64_t>& steps,
                  const std::vector<double>& expected) {
  const std::vector<double> found = rates(schedule, steps);
  for (size_t i = 0; i < steps.size(); ++i) {
    EXPECT_NEAR(found[i], expected[i], 1e-6 * std::max(1.0, std::abs(expected[i])))
        << schedule.to_string() << " at step " << steps[i];
  }
}

TEST(Schedule, OfANumberIsConstant) {
  expect_rates(0.25, {0, 1, 1000000}, {0.25, 0.25, 0.25});
  EXPECT_EQ(Schedule(0.25).to_string(), "0.25");
  expect_error(
      Code::kInvalidArgument, [] { Schedule(-0.1); }, "0 or more", "-0.1");
}

TEST(Schedule, ExponentialDecay) {
  // Keras: 0.05 * 0.96 ^ (step / 10), and by whole periods.
  const DecayOptions options{.initial = 0.05, .decay_steps = 10, .decay_rate = 0.96};
  expect_rates(exponential_decay(options), {0, 5, 10, 25},
               {0.05, 0.05 * std::pow(0.96, 0.5), 0.048, 0.05 * std::pow(0.96, 2.5)});
  DecayOptions stairs = options;
  stairs.staircase = true;
  expect_rates(exponential_decay(stairs), {0, 9, 10, 19, 20}, {0.05, 0.05, 0.048, 0.048, 0.04608});
}

TEST(Schedule, InverseTimeDecay) {
  // Keras's test: 0.1 / (1 + 0.96 * 3 / 10), and with stairs of 3 steps.
  DecayOptions options{.initial = 0.1, .decay_steps = 10, .decay_rate = 0.96};
  expect_rates(inverse_time_decay(options), {0, 3}, {0.1, 0.1 / 1.288});
  options = {.initial = 0.1, .decay_steps = 3, .decay_rate = 0.96, .staircase = true};
  expect_rates(inverse_time_decay(options), {2, 3, 7}, {0.1, 0.1 / 1.96, 0.1 / 2.92});
}

TEST(Schedule, PolynomialDecay) {
  // Keras's tests: halfway, at the end, beyond it, with an end, with a power.
  PolynomialDecayOptions options{.initial = 0.05, .decay_steps = 10, .end = 0.0};
  expect_rates(polynomial_decay(options), {5, 10, 20}, {0.025, 0.0, 0.0});
  options.end = 0.001;
  expect_rates(polynomial_decay(options), {5, 10, 20}, {0.0255, 0.001, 0.001});
  options = {.initial = 0.05, .decay_steps = 10, .end = 0.0, .power = 0.5};
  expect_rates(polynomial_decay(options), {5}, {0.05 * std::sqrt(0.5)});
}

TEST(Schedule, CosineDecay) {
  expect_rates(cosine_decay({.initial = 1.0, .decay_steps = 1000}), {0, 250, 500, 750, 1000, 2000},
               {1.0, 0.5 * (1 + std::sqrt(0.5)), 0.5, 0.5 * (1 - std::sqrt(0.5)), 0.0, 0.0});
  expect_rates(cosine_decay({.initial = 1.0, .decay_steps = 1000, .alpha = 0.1}), {500, 1000},
               {0.55, 0.1});
}

TEST(Schedule, PiecewiseConstantKeepsTheRateAtTheBoundary) {
  // Keras's test: the boundary itself belongs to the piece before it.
  expect_rates(piecewise_constant({100, 110, 120}, {1.0, 0.1, 0.01, 0.001}),
               {90, 100, 105, 110, 120, 999}, {1.0, 1.0, 0.1, 0.1, 0.01, 0.001});
}

TEST(Schedule, WarmUpRisesThenFollows) {
  const Schedule schedule = warm_up(4, cosine_decay({.initial = 0.8, .decay_steps = 10}));
  expect_rates(schedule, {0, 1, 3, 4, 9, 14}, {0.2, 0.4, 0.8, 0.8, 0.4, 0.0});
}

TEST(Schedule, RejectsWhatMakesNoCurve) {
  expect_error(
      Code::kInvalidArgument, [] { exponential_decay({.decay_steps = 0}); }, "exponential_decay",
      "decay_steps is 0");
  expect_error(
      Code::kInvalidArgument,
      [] {
        piecewise_constant({1, 2}, {0.1, 0.2});
      },
      "2 boundaries need 3");
  expect_error(
      Code::kInvalidArgument,
      [] {
        piecewise_constant({2, 1}, {0.1, 0.2, 0.3});
      },
      "must rise", "[2, 1]");
  expect_error(
      Code::kInvalidArgument, [] { warm_up(0, 0.1); }, "warm_up");
}

TEST(Schedule, RejectsRatesThatNoStepCanHave) {
  const double nan = std::nan(""), inf = HUGE_VAL;
  const auto refuse = [](const std::function<void()>& make, std::string_view option) {
    expect_error(Code::kInvalidArgument, make, option);
  };
  for (const double bad : {-1.0, nan, inf, 1e39}) {
    refuse([&] { Schedule{bad}; }, "learning rate is");
    refuse([&] { exponential_decay({.initial = bad}); }, "initial is");
    refuse([&] { exponential_decay({.decay_rate = bad}); }, "decay_rate is");
    refuse([&] { inverse_time_decay({.initial = bad}); }, "initial is");
    refuse([&] { inverse_time_decay({.decay_rate = bad}); }, "decay_rate is");
    refuse([&] { polynomial_decay({.initial = bad}); }, "initial is");
    refuse([&] { polynomial_decay({.end = bad}); }, "end is");
    refuse([&] { polynomial_decay({.power = bad}); }, "power is");
    refuse([&] { cosine_decay({.initial = bad}); }, "initial is");
    refuse([&] { cosine_decay({.alpha = bad}); }, "alpha is");
    refuse([&] { piecewise_constant({5}, {0.1, bad}); }, "a rate is");
  }
  refuse([] { piecewise_constant({5, 5}, {0.1, 0.2, 0.3}); }, "must rise");
  refuse([] { Schedule(std::function<Output(Output)>(), "mine"); }, "'mine'");
}

}  // namespace
}  // namespace thalweg
