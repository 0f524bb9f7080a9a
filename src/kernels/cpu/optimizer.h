// One step of the optimizers on float32 ranges, in one pass and in place: the formulas of
// TensorFlow's ResourceApply ops, with the variable and its slots as plain arrays.
//
// Every array has n elements and no two overlap. Single-threaded, no allocation: callers divide the
// range over threads, which changes no bit.
#pragma once

#include <cstdint>

namespace thalweg::simd {

/// var -= learning_rate grad.
void apply_gradient_descent(float learning_rate, float* var, const float* grad, int64_t n);

struct MomentumStep {
  float learning_rate = 0;
  float momentum = 0;
  bool use_nesterov = false;
};

/// accum = momentum accum + grad; var -= learning_rate accum, or with Nesterov
/// var -= learning_rate (grad + momentum accum).
void apply_momentum(const MomentumStep& step, float* var, float* accum, const float* grad,
                    int64_t n);

/// accum = momentum accum - learning_rate grad; var += accum, or with Nesterov
/// var += momentum accum - learning_rate grad.
void apply_keras_momentum(const MomentumStep& step, float* var, float* accum, const float* grad,
                          int64_t n);

struct AdamStep {
  float alpha = 0;  // learning_rate sqrt(1 - beta2^t) / (1 - beta1^t)
  float beta1 = 0.9f;
  float beta2 = 0.999f;
  float epsilon = 1e-8f;
  bool use_nesterov = false;
  /// Decoupled weight decay (AdamW), first of all: var -= decay var. Usually learning_rate times
  /// the weight decay.
  float decay = 0;
};

/// m += (1 - beta1) (grad - m); v += (1 - beta2) (grad^2 - v); var -= alpha m / (sqrt(v) +
/// epsilon), where Nesterov replaces m by beta1 m + (1 - beta1) grad.
void apply_adam(const AdamStep& step, float* var, float* m, float* v, const float* grad, int64_t n);

struct AdagradStep {
  float learning_rate = 0;
  float epsilon = 0;
  bool update_slots = true;
};

/// AdagradV2: accum += grad^2; var -= learning_rate grad / (sqrt(accum) + epsilon). With epsilon 0
/// it is Adagrad.
void apply_adagrad(const AdagradStep& step, float* var, float* accum, const float* grad, int64_t n);

struct AdadeltaStep {
  float learning_rate = 0;
  float rho = 0.95f;
  float epsilon = 1e-6f;
};

/// accum = rho accum + (1 - rho) grad^2; update = sqrt(accum_update + epsilon) / sqrt(accum +
/// epsilon) grad; accum_update = rho accum_update + (1 - rho) update^2; var -= learning_rate
/// update.
void apply_adadelta(const AdadeltaStep& step, float* var, float* accum, float* accum_update,
                    const float* grad, int64_t n);

struct RmsPropStep {
  float learning_rate = 0;
  float rho = 0.9f;
  float momentum = 0;
  float epsilon = 1e-7f;
};

/// ms += (1 - rho) (grad^2 - ms); mom = momentum mom + learning_rate grad / sqrt(ms + epsilon);
/// var -= mom.
void apply_rms_prop(const RmsPropStep& step, float* var, float* ms, float* mom, const float* grad,
                    int64_t n);

/// The same with mg += (1 - rho) (grad - mg) and ms - mg^2 in the place of ms under the root.
void apply_centered_rms_prop(const RmsPropStep& step, float* var, float* mg, float* ms, float* mom,
                             const float* grad, int64_t n);

struct FtrlStep {
  float learning_rate = 0;
  float l1 = 0;
  float l2 = 0;
  float l2_shrinkage = 0;  // FtrlV2; 0 is Ftrl
  float lr_power = -0.5f;  // -0.5 is fast, any other value <= 0 costs two scalar powers an element
  bool multiply_linear_by_lr = false;
};

/// FTRL-proximal (McMahan et al. 2013, algorithm 1), with p = -lr_power and
/// accum' = accum + grad^2: linear += grad + 2 l2_shrinkage var - (accum'^p - accum^p) /
/// learning_rate var; var = (clip(linear, -l1, l1) - linear) / (accum'^p / learning_rate + 2 l2).
void apply_ftrl(const FtrlStep& step, float* var, float* accum, float* linear, const float* grad,
                int64_t n);

}  // namespace thalweg::simd
