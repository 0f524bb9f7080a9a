// Each update rule is a function of one element: the variable and its slots there, the
// hyperparameters, the gradient. float32 is computed in float32, as TensorFlow does, half and
// bfloat16 in float32 as well.

#include <array>
#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/variable_access.h"

namespace thalweg {
namespace {

template <class T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;

// A kernel whose first `kSlots` inputs are the variable and its slots and input `kGrad` is the
// gradient; the other inputs, in order, are the hyperparameters h. `rule(x, h, g)` updates the
// values x of one element.
template <int kSlots, int kGrad, class Rule>
KernelPtr make_update(const KernelRequest& request, Rule rule) {
  const Shape shape = request.inputs[kGrad].shape;
  const size_t scalars = request.inputs.size() - kSlots - 1;
  return visit_floats(request.inputs[kGrad].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([shape, scalars, rule](KernelContext& c) {
      using C = Compute<T>;
      std::array<C, 8> h{};
      for (int i = kSlots, k = 0; static_cast<size_t>(k) < scalars; ++i) {
        if (i != kGrad) h[static_cast<size_t>(k++)] = static_cast<C>(*c.input<T>(i));
      }
      std::array<T*, kSlots> data;
      for (int s = 0; s < kSlots; ++s) {
        data[static_cast<size_t>(s)] = static_cast<T*>(writable_value(c.variable(s)));
        if (c.variable(s).value_shape != shape) {
          throw invalid_argument("variable `", c.variable(s).name, "` has shape ",
                                 c.variable(s).value_shape, ", the gradient ", shape);
        }
      }
      const T* gradient = c.input<T>(kGrad);
      for (int64_t i = 0; i < shape.num_elements(); ++i) {
        std::array<C, kSlots> x;
        for (size_t s = 0; s < kSlots; ++s) x[s] = static_cast<C>(data[s][i]);
        rule(x, h, static_cast<C>(gradient[i]));
        for (size_t s = 0; s < kSlots; ++s) data[s][i] = static_cast<T>(x[s]);
      }
    });
  });
}

KernelPtr make_gradient_descent(const KernelRequest& request) {
  return make_update<1, 2>(request, [](auto& x, const auto& h, auto g) { x[0] -= h[0] * g; });
}

KernelPtr make_momentum(const KernelRequest& request) {
  return make_update<2, 3>(request, [nesterov = request.node.attr<bool>("use_nesterov")](
                                        auto& x, const auto& h, auto g) {
    const auto [lr, momentum] = std::array{h[0], h[1]};
    auto& [var, accum] = x;
    accum = accum * momentum + g;
    var -= nesterov ? g * lr + accum * momentum * lr : accum * lr;
  });
}

KernelPtr make_keras_momentum(const KernelRequest& request) {
  return make_update<2, 3>(request, [nesterov = request.node.attr<bool>("use_nesterov")](
                                        auto& x, const auto& h, auto g) {
    const auto [lr, momentum] = std::array{h[0], h[1]};
    auto& [var, accum] = x;
    accum = accum * momentum - g * lr;
    var += nesterov ? accum * momentum - g * lr : accum;
  });
}

template <class X, class C>
void adam(X& x, C beta1_power, C beta2_power, C lr, C beta1, C beta2, C epsilon, C g,
          bool nesterov) {
  auto& [var, m, v] = x;
  const C alpha = lr * std::sqrt(1 - beta2_power) / (1 - beta1_power);
  m += (g - m) * (1 - beta1);
  v += (g * g - v) * (1 - beta2);
  var -= alpha * (nesterov ? g * (1 - beta1) + beta1 * m : m) / (std::sqrt(v) + epsilon);
}

KernelPtr make_adam(const KernelRequest& request) {
  return make_update<3, 9>(request, [nesterov = request.node.attr<bool>("use_nesterov")](
                                        auto& x, const auto& h, auto g) {
    adam(x, h[0], h[1], h[2], h[3], h[4], h[5], g, nesterov);
  });
}

KernelPtr make_adamw(const KernelRequest& request) {
  return make_update<3, 10>(request, [](auto& x, const auto& h, auto g) {
    x[0] -= h[2] * h[3] * x[0];
    adam(x, h[0], h[1], h[2], h[4], h[5], h[6], g, false);
  });
}

KernelPtr make_adagrad(const KernelRequest& request) {
  return make_update<2, 3>(
      request, [update = request.node.attr<bool>("update_slots")](auto& x, const auto& h, auto g) {
        auto& [var, accum] = x;
        if (update) accum += g * g;
        var -= g * h[0] / std::sqrt(accum);
      });
}

KernelPtr make_adagrad_v2(const KernelRequest& request) {
  return make_update<2, 4>(
      request, [update = request.node.attr<bool>("update_slots")](auto& x, const auto& h, auto g) {
        auto& [var, accum] = x;
        if (update) accum += g * g;
        var -= g * h[0] / (std::sqrt(accum) + h[1]);
      });
}

KernelPtr make_adadelta(const KernelRequest& request) {
  return make_update<3, 6>(request, [](auto& x, const auto& h, auto g) {
    const auto [lr, rho, epsilon] = std::array{h[0], h[1], h[2]};
    auto& [var, accum, accum_update] = x;
    accum = accum * rho + g * g * (1 - rho);
    const auto update = std::sqrt(accum_update + epsilon) / std::sqrt(accum + epsilon) * g;
    var -= update * lr;
    accum_update = accum_update * rho + update * update * (1 - rho);
  });
}

KernelPtr make_rms_prop(const KernelRequest& request) {
  return make_update<3, 7>(request, [](auto& x, const auto& h, auto g) {
    const auto [lr, rho, momentum, epsilon] = std::array{h[0], h[1], h[2], h[3]};
    auto& [var, ms, mom] = x;
    ms += (g * g - ms) * (1 - rho);
    mom = mom * momentum + g * lr / std::sqrt(ms + epsilon);
    var -= mom;
  });
}

KernelPtr make_centered_rms_prop(const KernelRequest& request) {
  return make_update<4, 8>(request, [](auto& x, const auto& h, auto g) {
    const auto [lr, rho, momentum, epsilon] = std::array{h[0], h[1], h[2], h[3]};
    auto& [var, mg, ms, mom] = x;
    ms += (g * g - ms) * (1 - rho);
    mg += (g - mg) * (1 - rho);
    mom = mom * momentum + g * lr / std::sqrt(ms - mg * mg + epsilon);
    var -= mom;
  });
}

// With `by_lr` the linear term is kept times lr: all of the formula but accum is multiplied by it.
template <class X, class C>
void ftrl(X& x, C lr, C l1, C l2, C shrinkage, C lr_power, C g, bool by_lr) {
  auto& [var, accum, linear] = x;
  const auto power = [lr_power](C a) {
    return lr_power == C(-0.5) ? std::sqrt(a) : std::pow(a, -lr_power);
  };
  const C scale = by_lr ? 1 : 1 / lr;
  const C weight = by_lr ? lr : 1;
  const C next = accum + g * g;
  linear += (g + 2 * shrinkage * var) * weight - (power(next) - power(accum)) * scale * var;
  const C bound = l1 * weight;
  const C divisor = power(next) * scale + 2 * l2 * weight;
  var = std::abs(linear) > bound ? ((linear > 0 ? bound : -bound) - linear) / divisor : C(0);
  accum = next;
}

KernelPtr make_ftrl(const KernelRequest& request) {
  return make_update<3, 3>(request, [by_lr = request.node.attr<bool>("multiply_linear_by_lr")](
                                        auto& x, const auto& h, auto g) {
    ftrl(x, h[0], h[1], h[2], decltype(g)(0), h[3], g, by_lr);
  });
}

KernelPtr make_ftrl_v2(const KernelRequest& request) {
  return make_update<3, 3>(request, [by_lr = request.node.attr<bool>("multiply_linear_by_lr")](
                                        auto& x, const auto& h, auto g) {
    ftrl(x, h[0], h[1], h[2], h[3], h[4], g, by_lr);
  });
}

constexpr KernelDef kKernels[] = {
    {"ResourceApplyGradientDescent", "reference", make_gradient_descent},
    {"ResourceApplyMomentum", "reference", make_momentum},
    {"ResourceApplyKerasMomentum", "reference", make_keras_momentum},
    {"ResourceApplyAdam", "reference", make_adam},
    {"_ResourceApplyAdamW", "reference", make_adamw},
    {"ResourceApplyAdagrad", "reference", make_adagrad},
    {"ResourceApplyAdagradV2", "reference", make_adagrad_v2},
    {"ResourceApplyAdadelta", "reference", make_adadelta},
    {"ResourceApplyRMSProp", "reference", make_rms_prop},
    {"ResourceApplyCenteredRMSProp", "reference", make_centered_rms_prop},
    {"ResourceApplyFtrl", "reference", make_ftrl},
    {"ResourceApplyFtrlV2", "reference", make_ftrl_v2},
};

}  // namespace

std::span<const KernelDef> reference_training_kernels() { return kKernels; }

}  // namespace thalweg
