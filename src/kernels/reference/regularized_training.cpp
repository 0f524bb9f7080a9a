#include "kernels/reference/regularized_training.h"

#include <algorithm>
#include <cmath>

#include "kernels/reference/update_rule.h"

namespace thalweg::reference {
namespace {

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

// Shrinks x by the penalties of a step of size lr.
template <class C>
C proximal(C x, C lr, C l1, C l2) {
  if (l1 > 0) x = sign(x) * std::max(std::abs(x) - lr * l1, C(0));
  return x / (1 + l2 * lr);
}

}  // namespace

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

}  // namespace thalweg::reference
