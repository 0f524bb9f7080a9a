// The optimizers, each by its update rule.
#include <algorithm>
#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/duplicates.h"
#include "kernels/reference/regularized_training.h"
#include "kernels/reference/update_rule.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: rules in its words

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

KernelPtr make_ada_max(const KernelRequest& request) {
  return make_update<3, 8>(request, [](auto& x, const auto& h, auto g) {
    const auto [beta1_power, lr, beta1, beta2, epsilon] = std::array{h[0], h[1], h[2], h[3], h[4]};
    auto& [var, m, v] = x;
    m += (g - m) * (1 - beta1);
    v = std::max(beta2 * v, std::abs(g));
    var -= lr / (1 - beta1_power) * (m / (v + epsilon));
  });
}

KernelPtr make_amsgrad(const KernelRequest& request) {
  return make_update<4, 10>(request, [](auto& x, const auto& h, auto g) {
    auto& [var, m, v, largest] = x;
    const auto alpha = h[2] * std::sqrt(1 - h[1]) / (1 - h[0]);
    m += (g - m) * (1 - h[3]);
    v += (g * g - v) * (1 - h[4]);
    largest = std::max(largest, v);
    var -= m * alpha / (std::sqrt(largest) + h[5]);
  });
}

KernelPtr make_add_sign(const KernelRequest& request) {
  return make_update<2, 6>(request, [](auto& x, const auto& h, auto g) {
    const auto [lr, alpha, decay, beta] = std::array{h[0], h[1], h[2], h[3]};
    auto& [var, m] = x;
    m = m * beta + g * (1 - beta);
    var -= lr * (alpha + decay * sign(g) * sign(m)) * g;
  });
}

KernelPtr make_power_sign(const KernelRequest& request) {
  return make_update<2, 6>(request, [](auto& x, const auto& h, auto g) {
    const auto [lr, log_base, decay, beta] = std::array{h[0], h[1], h[2], h[3]};
    auto& [var, m] = x;
    m = m * beta + g * (1 - beta);
    var -= lr * std::exp(log_base * decay * sign(g) * sign(m)) * g;
  });
}

constexpr KernelDef kKernels[] = {
    {"ResourceApplyAdaMax", "reference", make_ada_max},
    {"ResourceApplyAdamWithAmsgrad", "reference", make_amsgrad},
    {"ResourceApplyAddSign", "reference", make_add_sign},
    {"ResourceApplyPowerSign", "reference", make_power_sign},
    {"ResourceApplyProximalGradientDescent", "reference", make_proximal_gradient_descent},
    {"ResourceApplyProximalAdagrad", "reference", make_proximal_adagrad},
    {"ResourceApplyAdagradDA", "reference", make_adagrad_da},
    {"_SumDuplicates", "reference", make_sum_duplicates},
    {"ResourceSparseApplyMomentum", "reference", make_momentum},
    {"ResourceSparseApplyKerasMomentum", "reference", make_keras_momentum},
    {"ResourceSparseApplyAdagrad", "reference", make_adagrad},
    {"ResourceSparseApplyAdagradV2", "reference", make_adagrad_v2},
    {"ResourceSparseApplyAdagradDA", "reference", make_adagrad_da},
    {"ResourceSparseApplyAdadelta", "reference", make_adadelta},
    {"ResourceSparseApplyRMSProp", "reference", make_rms_prop},
    {"ResourceSparseApplyCenteredRMSProp", "reference", make_centered_rms_prop},
    {"ResourceSparseApplyFtrl", "reference", make_ftrl},
    {"ResourceSparseApplyFtrlV2", "reference", make_ftrl_v2},
    {"ResourceSparseApplyProximalAdagrad", "reference", make_proximal_adagrad},
    {"ResourceSparseApplyProximalGradientDescent", "reference", make_proximal_gradient_descent},
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
