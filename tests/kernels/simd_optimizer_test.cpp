// Optimizer steps against TensorFlow's formulas in double, on every target.
#include "kernels/cpu/optimizer.h"

#include "kernels/simd_testing.h"

namespace thalweg::simd {
namespace {

THALWEG_FOR_EACH_TARGET(SimdOptimizer);

constexpr int64_t kCount = 101;

/// A variable, three slots and a gradient, with what one step leaves in them.
struct State {
  std::vector<float> var = some_numbers(kCount, -1, 1, 1);
  std::vector<float> a = some_numbers(kCount, 0.1f, 1, 2);
  std::vector<float> b = some_numbers(kCount, 0.1f, 1, 3);
  std::vector<float> c = some_numbers(kCount, 1, 2, 4);
  std::vector<float> grad = some_numbers(kCount, -1, 1, 5);
};

struct Element {
  double var, a, b, c;
};

// `step` is the kernel on whole arrays, `exact` the formula on one element.
template <class Step, class Exact>
void expect_step(Step step, Exact exact) {
  for (int64_t n : {int64_t{0}, int64_t{1}, int64_t{16}, int64_t{17}, kCount}) {
    const State before;
    State after;
    step(after, n);
    EXPECT_EQ(after.grad, before.grad);
    for (int64_t i = 0; i < kCount; ++i) {
      Element e{before.var[i], before.a[i], before.b[i], before.c[i]};
      if (i < n) exact(e, double{before.grad[i]});
      ASSERT_NEAR(after.var[i], e.var, 2e-6) << i;
      ASSERT_NEAR(after.a[i], e.a, 1e-6) << i;
      ASSERT_NEAR(after.b[i], e.b, 1e-6) << i;
      ASSERT_NEAR(after.c[i], e.c, 1e-6) << i;
    }
  }
}

TEST_P(SimdOptimizer, GradientDescent) {
  expect_step(
      [](State& s, int64_t n) { apply_gradient_descent(0.1f, s.var.data(), s.grad.data(), n); },
      [](Element& e, double g) { e.var -= 0.1 * g; });
}

TEST_P(SimdOptimizer, MomentumWithAndWithoutNesterov) {
  for (bool nesterov : {false, true}) {
    const MomentumStep step{.learning_rate = 0.1f, .momentum = 0.9f, .use_nesterov = nesterov};
    expect_step(
        [&](State& s, int64_t n) {
          apply_momentum(step, s.var.data(), s.a.data(), s.grad.data(), n);
        },
        [&](Element& e, double g) {
          e.a = 0.9 * e.a + g;
          e.var -= nesterov ? 0.1 * (g + 0.9 * e.a) : 0.1 * e.a;
        });
    expect_step(
        [&](State& s, int64_t n) {
          apply_keras_momentum(step, s.var.data(), s.a.data(), s.grad.data(), n);
        },
        [&](Element& e, double g) {
          e.a = 0.9 * e.a - 0.1 * g;
          e.var += nesterov ? 0.9 * e.a - 0.1 * g : e.a;
        });
  }
}

TEST_P(SimdOptimizer, AdamWithNesterovAndDecoupledDecay) {
  for (bool nesterov : {false, true}) {
    for (float decay : {0.0f, 0.01f}) {
      const AdamStep step{.alpha = 0.05f,
                          .beta1 = 0.9f,
                          .beta2 = 0.99f,
                          .epsilon = 1e-3f,
                          .use_nesterov = nesterov,
                          .decay = decay};
      expect_step(
          [&](State& s, int64_t n) {
            apply_adam(step, s.var.data(), s.a.data(), s.b.data(), s.grad.data(), n);
          },
          [&](Element& e, double g) {
            e.var -= decay * e.var;
            e.a += 0.1 * (g - e.a);
            e.b += 0.01 * (g * g - e.b);
            const double m = nesterov ? 0.9 * e.a + 0.1 * g : e.a;
            e.var -= 0.05 * m / (std::sqrt(e.b) + 1e-3);
          });
    }
  }
}

TEST_P(SimdOptimizer, AdagradUpdatesItsSlotUnlessToldNotTo) {
  for (bool update : {false, true}) {
    const AdagradStep step{.learning_rate = 0.1f, .epsilon = 1e-3f, .update_slots = update};
    expect_step([&](State& s,
                    int64_t n) { apply_adagrad(step, s.var.data(), s.a.data(), s.grad.data(), n); },
                [&](Element& e, double g) {
                  if (update) e.a += g * g;
                  e.var -= 0.1 * g / (std::sqrt(e.a) + 1e-3);
                });
  }
}

TEST_P(SimdOptimizer, Adadelta) {
  const AdadeltaStep step{.learning_rate = 0.5f, .rho = 0.9f, .epsilon = 1e-3f};
  expect_step(
      [&](State& s, int64_t n) {
        apply_adadelta(step, s.var.data(), s.a.data(), s.b.data(), s.grad.data(), n);
      },
      [](Element& e, double g) {
        e.a = 0.9 * e.a + 0.1 * g * g;
        const double update = std::sqrt(e.b + 1e-3) / std::sqrt(e.a + 1e-3) * g;
        e.b = 0.9 * e.b + 0.1 * update * update;
        e.var -= 0.5 * update;
      });
}

TEST_P(SimdOptimizer, RmsPropPlainAndCentered) {
  const RmsPropStep step{.learning_rate = 0.1f, .rho = 0.9f, .momentum = 0.8f, .epsilon = 1e-3f};
  expect_step(
      [&](State& s, int64_t n) {
        apply_rms_prop(step, s.var.data(), s.a.data(), s.b.data(), s.grad.data(), n);
      },
      [](Element& e, double g) {
        e.a += 0.1 * (g * g - e.a);
        e.b = 0.8 * e.b + 0.1 * g / std::sqrt(e.a + 1e-3);
        e.var -= e.b;
      });
  // The slot c, above 1, is the mean square here, so that the variance stays positive.
  expect_step(
      [&](State& s, int64_t n) {
        apply_centered_rms_prop(step, s.var.data(), s.a.data(), s.c.data(), s.b.data(),
                                s.grad.data(), n);
      },
      [](Element& e, double g) {
        e.c += 0.1 * (g * g - e.c);
        e.a += 0.1 * (g - e.a);
        e.b = 0.8 * e.b + 0.1 * g / std::sqrt(e.c - e.a * e.a + 1e-3);
        e.var -= e.b;
      });
}

TEST_P(SimdOptimizer, FtrlWithShrinkageAndAnyPower) {
  for (float lr_power : {-0.5f, -0.3f}) {
    for (float shrinkage : {0.0f, 0.02f}) {
      for (bool scaled : {false, true}) {
        const FtrlStep step{.learning_rate = 0.5f,
                            .l1 = 0.4f,
                            .l2 = 0.1f,
                            .l2_shrinkage = shrinkage,
                            .lr_power = lr_power,
                            .multiply_linear_by_lr = scaled};
        expect_step(
            [&](State& s, int64_t n) {
              apply_ftrl(step, s.var.data(), s.c.data(), s.b.data(), s.grad.data(), n);
            },
            [&](Element& e, double g) {
              const double power = -double{lr_power}, scale = scaled ? 0.5 : 1.0;
              const double accum = e.c + g * g;
              const double sigma = (std::pow(accum, power) - std::pow(e.c, power)) / 0.5;
              const double linear = e.b / scale + g + 2 * shrinkage * e.var - sigma * e.var;
              const double l1 = std::copysign(0.4f, linear);
              const double divisor = std::pow(accum, power) / 0.5 + 0.2;
              e.var = std::fabs(linear) > 0.4f ? (l1 - linear) / divisor : 0;
              e.b = linear * scale;
              e.c = accum;
            });
      }
    }
  }
}

TEST_P(SimdOptimizer, ShowsANanGradientInTheVariable) {
  State s;
  s.grad[3] = kNaN;
  apply_adam({.alpha = 0.1f}, s.var.data(), s.a.data(), s.b.data(), s.grad.data(), 20);
  EXPECT_TRUE(std::isnan(s.var[3]));
  EXPECT_FALSE(std::isnan(s.var[4]));
  State f;
  f.grad[3] = kNaN;
  apply_ftrl({.learning_rate = 0.1f, .l1 = 1}, f.var.data(), f.a.data(), f.b.data(), f.grad.data(),
             20);
  EXPECT_TRUE(std::isnan(f.var[3]));
}

}  // namespace
}  // namespace thalweg::simd
