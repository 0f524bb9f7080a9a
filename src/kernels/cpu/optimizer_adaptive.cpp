// The optimizers with more slots: Adadelta, RMSProp plain and centered, FTRL.
#include <cmath>

#include "kernels/cpu/highway.h"
#include "kernels/cpu/optimizer.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/optimizer_adaptive.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/vec_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {

void adadelta(const AdadeltaStep& step, float* var, float* accum, float* accum_update,
              const float* grad, int64_t n) {
  const V rate = set(step.learning_rate);
  const V rho = set(step.rho);
  const V rest = set(1.0f - step.rho);
  const V epsilon = set(step.epsilon);
  sweep(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const V g = io.load(grad + i);
    const V u0 = io.load(accum_update + i);
    const V a = hn::MulAdd(rho, io.load(accum + i), hn::Mul(rest, hn::Mul(g, g)));
    // One root of the quotient instead of the quotient of two.
    const V ratio = hn::Div(hn::Add(u0, epsilon), hn::Add(a, epsilon));
    const V update = hn::Mul(hn::Sqrt(ratio), g);
    io.store(a, accum + i);
    io.store(hn::MulAdd(rho, u0, hn::Mul(rest, hn::Mul(update, update))), accum_update + i);
    io.store(hn::NegMulAdd(rate, update, io.load(var + i)), var + i);
  });
}

void rms_prop(const RmsPropStep& step, float* var, float* ms, float* mom, const float* grad,
              int64_t n) {
  const V rate = set(step.learning_rate);
  const V rest = set(1.0f - step.rho);
  const V mu = set(step.momentum);
  const V epsilon = set(step.epsilon);
  sweep(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const V g = io.load(grad + i);
    const V s0 = io.load(ms + i);
    const V s = hn::MulAdd(rest, hn::MulSub(g, g, s0), s0);
    const V scaled = hn::Div(hn::Mul(rate, g), hn::Sqrt(hn::Add(s, epsilon)));
    const V m = hn::MulAdd(mu, io.load(mom + i), scaled);
    io.store(s, ms + i);
    io.store(m, mom + i);
    io.store(hn::Sub(io.load(var + i), m), var + i);
  });
}

void centered_rms_prop(const RmsPropStep& step, float* var, float* mg, float* ms, float* mom,
                       const float* grad, int64_t n) {
  const V rate = set(step.learning_rate);
  const V rest = set(1.0f - step.rho);
  const V mu = set(step.momentum);
  const V epsilon = set(step.epsilon);
  sweep(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const V g = io.load(grad + i);
    const V s0 = io.load(ms + i);
    const V c0 = io.load(mg + i);
    const V s = hn::MulAdd(rest, hn::MulSub(g, g, s0), s0);
    const V c = hn::MulAdd(rest, hn::Sub(g, c0), c0);
    const V variance = hn::Add(hn::NegMulAdd(c, c, s), epsilon);
    const V scaled = hn::Div(hn::Mul(rate, g), hn::Sqrt(variance));
    const V m = hn::MulAdd(mu, io.load(mom + i), scaled);
    io.store(s, ms + i);
    io.store(c, mg + i);
    io.store(m, mom + i);
    io.store(hn::Sub(io.load(var + i), m), var + i);
  });
}

namespace {

// accum^-lr_power.
HWY_INLINE V ftrl_power(V accum, float lr_power) {
  if (lr_power == -0.5f) return hn::Sqrt(accum);
  HWY_ALIGN float lanes[kLanes];
  hn::Store(accum, F32(), lanes);
  for (float& lane : lanes) lane = std::pow(lane, -lr_power);
  return hn::Load(F32(), lanes);
}

}  // namespace

// With multiply_linear_by_lr the slot holds linear times the learning rate, so that a rate of 0 is
// allowed: every term of the formula is scaled by it.
void ftrl(const FtrlStep& step, float* var, float* accum, float* linear, const float* grad,
          int64_t n) {
  const bool scaled = step.multiply_linear_by_lr;
  const float scale = scaled ? step.learning_rate : 1.0f;
  const V rate = set(scale);
  const V over_rate = set(scaled ? 1.0f : 1.0f / step.learning_rate);
  const V l1 = set(step.l1 * scale);
  const V twice_l2 = set(2 * step.l2 * scale);
  const V twice_shrinkage = set(2 * step.l2_shrinkage);
  const float lr_power = step.lr_power;
  sweep(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const V g = io.load(grad + i);
    const V w = io.load(var + i);
    const V a0 = io.load(accum + i);
    const V a = hn::MulAdd(g, g, a0);
    const V power = ftrl_power(a, lr_power);
    const V sigma = hn::Mul(hn::Sub(power, ftrl_power(a0, lr_power)), over_rate);
    const V shrunk = hn::MulAdd(twice_shrinkage, w, g);
    const V z = hn::Add(io.load(linear + i), hn::NegMulAdd(sigma, w, hn::Mul(shrunk, rate)));
    const V excess = hn::Sub(hn::CopySign(l1, z), z);
    const V new_w = hn::Div(excess, hn::MulAdd(power, over_rate, twice_l2));
    // "Not at most l1" rather than "above l1": NaN in linear must show in the variable.
    const M stays_zero = hn::Le(hn::Abs(z), l1);
    io.store(a, accum + i);
    io.store(z, linear + i);
    io.store(hn::IfThenZeroElse(stays_zero, new_w), var + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(adadelta);
void apply_adadelta(const AdadeltaStep& step, float* var, float* accum, float* accum_update,
                    const float* grad, int64_t n) {
  HWY_DYNAMIC_DISPATCH(adadelta)(step, var, accum, accum_update, grad, n);
}

HWY_EXPORT(rms_prop);
void apply_rms_prop(const RmsPropStep& step, float* var, float* ms, float* mom, const float* grad,
                    int64_t n) {
  HWY_DYNAMIC_DISPATCH(rms_prop)(step, var, ms, mom, grad, n);
}

HWY_EXPORT(centered_rms_prop);
void apply_centered_rms_prop(const RmsPropStep& step, float* var, float* mg, float* ms, float* mom,
                             const float* grad, int64_t n) {
  HWY_DYNAMIC_DISPATCH(centered_rms_prop)(step, var, mg, ms, mom, grad, n);
}

HWY_EXPORT(ftrl);
void apply_ftrl(const FtrlStep& step, float* var, float* accum, float* linear, const float* grad,
                int64_t n) {
  HWY_DYNAMIC_DISPATCH(ftrl)(step, var, accum, linear, grad, n);
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
