// The optimizers with one or two slots: gradient descent, momentum, Adam, Adagrad.
#include "kernels/cpu/optimizer.h"

#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/optimizer.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/vec_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {

void gradient_descent(float learning_rate, float* var, const float* grad, int64_t n) {
  const V rate = set(learning_rate);
  sweep<4>(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    io.store(hn::NegMulAdd(rate, io.load(grad + i), io.load(var + i)), var + i);
  });
}

void momentum(const MomentumStep& step, float* var, float* accum, const float* grad, int64_t n) {
  const V rate = set(step.learning_rate);
  const V mu = set(step.momentum);
  const bool nesterov = step.use_nesterov;
  sweep(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const V g = io.load(grad + i);
    const V a = hn::MulAdd(mu, io.load(accum + i), g);
    const V direction = nesterov ? hn::MulAdd(mu, a, g) : a;
    io.store(a, accum + i);
    io.store(hn::NegMulAdd(rate, direction, io.load(var + i)), var + i);
  });
}

void keras_momentum(const MomentumStep& step, float* var, float* accum, const float* grad,
                    int64_t n) {
  const V rate = set(step.learning_rate);
  const V mu = set(step.momentum);
  const bool nesterov = step.use_nesterov;
  sweep(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const V g = hn::Mul(rate, io.load(grad + i));
    const V a = hn::MulSub(mu, io.load(accum + i), g);
    const V change = nesterov ? hn::MulSub(mu, a, g) : a;
    io.store(a, accum + i);
    io.store(hn::Add(io.load(var + i), change), var + i);
  });
}

void adam(const AdamStep& step, float* var, float* m, float* v, const float* grad, int64_t n) {
  const V alpha = set(step.alpha);
  const V beta1 = set(step.beta1);
  const V rest1 = set(1.0f - step.beta1);
  const V rest2 = set(1.0f - step.beta2);
  const V epsilon = set(step.epsilon);
  const V decay = set(step.decay);
  const bool nesterov = step.use_nesterov;
  sweep(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const V g = io.load(grad + i);
    const V m0 = io.load(m + i);
    const V v0 = io.load(v + i);
    const V w0 = io.load(var + i);
    const V m1 = hn::MulAdd(rest1, hn::Sub(g, m0), m0);
    const V v1 = hn::MulAdd(rest2, hn::MulSub(g, g, v0), v0);
    const V direction = nesterov ? hn::MulAdd(beta1, m1, hn::Mul(rest1, g)) : m1;
    const V change = hn::Div(hn::Mul(alpha, direction), hn::Add(hn::Sqrt(v1), epsilon));
    io.store(m1, m + i);
    io.store(v1, v + i);
    io.store(hn::Sub(hn::NegMulAdd(decay, w0, w0), change), var + i);
  });
}

void adagrad(const AdagradStep& step, float* var, float* accum, const float* grad, int64_t n) {
  const V rate = set(step.learning_rate);
  const V epsilon = set(step.epsilon);
  const bool update = step.update_slots;
  sweep(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const V g = io.load(grad + i);
    const V a0 = io.load(accum + i);
    const V a = update ? hn::MulAdd(g, g, a0) : a0;
    const V change = hn::Div(hn::Mul(rate, g), hn::Add(hn::Sqrt(a), epsilon));
    io.store(a, accum + i);
    io.store(hn::Sub(io.load(var + i), change), var + i);
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(gradient_descent);
void apply_gradient_descent(float learning_rate, float* var, const float* grad, int64_t n) {
  HWY_DYNAMIC_DISPATCH(gradient_descent)(learning_rate, var, grad, n);
}

HWY_EXPORT(momentum);
void apply_momentum(const MomentumStep& step, float* var, float* accum, const float* grad,
                    int64_t n) {
  HWY_DYNAMIC_DISPATCH(momentum)(step, var, accum, grad, n);
}

HWY_EXPORT(keras_momentum);
void apply_keras_momentum(const MomentumStep& step, float* var, float* accum, const float* grad,
                          int64_t n) {
  HWY_DYNAMIC_DISPATCH(keras_momentum)(step, var, accum, grad, n);
}

HWY_EXPORT(adam);
void apply_adam(const AdamStep& step, float* var, float* m, float* v, const float* grad,
                int64_t n) {
  HWY_DYNAMIC_DISPATCH(adam)(step, var, m, v, grad, n);
}

HWY_EXPORT(adagrad);
void apply_adagrad(const AdagradStep& step, float* var, float* accum, const float* grad,
                   int64_t n) {
  HWY_DYNAMIC_DISPATCH(adagrad)(step, var, accum, grad, n);
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
