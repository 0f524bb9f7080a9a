// Each update rule is a function of one element: the variable and its slots there, the
// hyperparameters, the gradient. float32 is computed in float32, as TensorFlow does, half and
// bfloat16 in float32 as well.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/variable_access.h"

namespace thalweg {
namespace {

template <class T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;

// A scalar hyperparameter; the number of a step is an int64, the others have the variable's type.
template <class C, class T>
C read_scalar(const KernelContext& c, int i, DType dtype) {
  return dtype == kInt64 ? static_cast<C>(*c.input<int64_t>(i)) : static_cast<C>(*c.input<T>(i));
}

// The row of each variable that row `i` of the gradient is about: `i` itself, or what an input
// `indices` behind the gradient says.
class Rows {
 public:
  Rows(const KernelRequest& request, int input)
      : input_(input), dtype_(request.inputs[static_cast<size_t>(input)].dtype) {}
  int64_t operator()(const KernelContext& c, int64_t i) const {
    return dtype_ == kInt64 ? c.input<int64_t>(input_)[i] : c.input<int32_t>(input_)[i];
  }
  // Before the first row is changed.
  void check(const KernelContext& c, int64_t count, const VariableState& variable) const {
    const int64_t size = variable.value_shape[0];
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = (*this)(c, i);
      if (row < 0 || row >= size) {
        throw invalid_argument("indices[", i, "] is ", row, ", outside [0, ", size,
                               "), the rows of variable `", variable.name, "`");
      }
    }
  }

 private:
  int input_;
  DType dtype_;
};

// A kernel whose first `kSlots` inputs are the variable and its slots and input `kGrad` is the
// gradient, perhaps of rows alone that the next input, `indices`, names; the other inputs, in
// order, are the hyperparameters h. `rule(x, h, g)` updates the values x of one element.
template <int kSlots, int kGrad, class Rule>
KernelPtr make_update(const KernelRequest& request, Rule rule) {
  const Shape shape = request.inputs[kGrad].shape;
  const auto inputs = static_cast<int>(request.inputs.size());
  const bool sparse = kGrad + 1 < inputs && request.node.type().starts_with("ResourceSparseApply");
  if (sparse) {
    const Shape& indices = request.inputs[kGrad + 1].shape;
    if (shape.rank() < 1 || !(indices == shape.slice(0, 1))) {
      throw invalid_argument("`indices` has shape ", indices, ", but the gradient ", shape,
                             ": each of its rows needs an index");
    }
  }
  std::vector<DType> types;
  for (const TensorSpec& input : request.inputs) types.push_back(input.dtype);
  return visit_floats(request.inputs[kGrad].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([shape, inputs, sparse, types, rule,
                        rows = Rows(request, sparse ? kGrad + 1 : kGrad)](KernelContext& c) {
      using C = Compute<T>;
      std::array<C, 8> h{};
      size_t next = 0;
      for (int i = kSlots; i < inputs; ++i) {
        if (i == kGrad || (sparse && i == kGrad + 1)) continue;
        h[next++] = read_scalar<C, T>(c, i, types[static_cast<size_t>(i)]);
      }
      std::array<T*, kSlots> data;
      for (int s = 0; s < kSlots; ++s) {
        data[static_cast<size_t>(s)] = static_cast<T*>(writable_value(c.variable(s)));
        const Shape& value = c.variable(s).value_shape;
        const bool fits =
            sparse ? value.rank() > 0 && value.slice(1) == shape.slice(1) : value == shape;
        if (!fits) {
          throw invalid_argument("variable `", c.variable(s).name, "` has shape ", value,
                                 ", the gradient ", shape);
        }
        if (value != c.variable(0).value_shape) {
          throw invalid_argument("slot `", c.variable(s).name, "` has shape ", value,
                                 ", variable `", c.variable(0).name, "` ",
                                 c.variable(0).value_shape);
        }
      }
      if (sparse) rows.check(c, shape[0], c.variable(0));
      const T* gradient = c.input<T>(kGrad);
      const int64_t inner = sparse ? shape.slice(1).num_elements() : shape.num_elements();
      for (int64_t r = 0; r < (sparse ? shape[0] : 1); ++r) {
        const int64_t row = sparse ? rows(c, r) : 0;
        for (int64_t k = 0; k < inner; ++k) {
          std::array<C, kSlots> x;
          for (size_t s = 0; s < kSlots; ++s) x[s] = static_cast<C>(data[s][row * inner + k]);
          rule(x, h, static_cast<C>(gradient[r * inner + k]));
          for (size_t s = 0; s < kSlots; ++s) data[s][row * inner + k] = static_cast<T>(x[s]);
        }
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

struct FtrlOptions {
  bool by_lr;  // the linear term is kept times lr: all of the formula but accum is multiplied by it
  bool sparse;  // a NaN stays one; TensorFlow's dense rule makes it 0
  explicit FtrlOptions(const Node& node)
      : by_lr(node.attr<bool>("multiply_linear_by_lr")),
        sparse(node.type().starts_with("ResourceSparseApply")) {}
};

template <class X, class C>
void ftrl(X& x, C lr, C l1, C l2, C shrinkage, C lr_power, C g, const FtrlOptions& options) {
  auto& [var, accum, linear] = x;
  const auto power = [lr_power](C a) {
    return lr_power == C(-0.5) ? std::sqrt(a) : std::pow(a, -lr_power);
  };
  const C scale = options.by_lr ? 1 : 1 / lr;
  const C weight = options.by_lr ? lr : 1;
  const C next = accum + g * g;
  linear += (g + 2 * shrinkage * var) * weight - (power(next) - power(accum)) * scale * var;
  const C bound = l1 * weight;
  const C divisor = power(next) * scale + 2 * l2 * weight;
  const bool beyond = std::abs(linear) > bound || (options.sparse && std::isnan(linear));
  var = beyond ? ((linear > 0 ? bound : -bound) - linear) / divisor : C(0);
  accum = next;
}

KernelPtr make_ftrl(const KernelRequest& request) {
  return make_update<3, 3>(request,
                           [options = FtrlOptions(request.node)](auto& x, const auto& h, auto g) {
                             ftrl(x, h[0], h[1], h[2], decltype(g)(0), h[3], g, options);
                           });
}

KernelPtr make_ftrl_v2(const KernelRequest& request) {
  return make_update<3, 3>(request,
                           [options = FtrlOptions(request.node)](auto& x, const auto& h, auto g) {
                             ftrl(x, h[0], h[1], h[2], h[3], h[4], g, options);
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

template <class C>
C sign(C x) {
  return static_cast<C>((x > 0) - (x < 0));
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

// Shrinks x by the penalties of a step of size lr.
template <class C>
C proximal(C x, C lr, C l1, C l2) {
  if (l1 > 0) x = sign(x) * std::max(std::abs(x) - lr * l1, C(0));
  return x / (1 + l2 * lr);
}

KernelPtr make_proximal_gradient_descent(const KernelRequest& request) {
  return make_update<1, 4>(request, [](auto& x, const auto& h, auto g) {
    x[0] = proximal(x[0] - g * h[0], h[0], h[1], h[2]);
  });
}

KernelPtr make_proximal_adagrad(const KernelRequest& request) {
  return make_update<2, 5>(request, [](auto& x, const auto& h, auto g) {
    auto& [var, accum] = x;
    accum += g * g;
    const auto lr = h[0] / std::sqrt(accum);
    var = proximal(var - g * lr, lr, h[1], h[2]);
  });
}

KernelPtr make_adagrad_da(const KernelRequest& request) {
  return make_update<3, 3>(request, [](auto& x, const auto& h, auto g) {
    const auto [lr, l1, l2, step] = std::array{h[0], h[1], h[2], h[3]};
    auto& [var, sum, squares] = x;
    sum += g;
    squares += g * g;
    const auto bounded =
        l1 > 0 ? sign(sum) * std::max(std::abs(sum) - l1 * step, decltype(g)(0)) : sum;
    var = -lr * bounded / (l2 * step * lr + std::sqrt(squares));
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
