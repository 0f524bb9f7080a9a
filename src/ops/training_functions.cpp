#include "thalweg/ops/training.h"

#include "thalweg/ops/binary.h"

namespace thalweg {
namespace {

Node& apply(std::string_view op, std::vector<Output> inputs, AttrMap attrs, std::string name) {
  Graph& graph = inputs[0].graph();
  return graph.add(op, std::move(inputs), std::move(attrs), {.name = std::move(name)});
}

AttrMap attrs_of(const ApplyOptions& options) { return {{"use_locking", options.use_locking}}; }
AttrMap attrs_of(const ApplyMomentumOptions& options) {
  return {{"use_locking", options.use_locking}, {"use_nesterov", options.use_nesterov}};
}
AttrMap attrs_of(const ApplyAdagradOptions& options) {
  return {{"use_locking", options.use_locking}, {"update_slots", options.update_slots}};
}
AttrMap attrs_of(const ApplyFtrlOptions& options) {
  return {{"use_locking", options.use_locking},
          {"multiply_linear_by_lr", options.multiply_linear_by_lr}};
}

}  // namespace

Node& apply_gradient_descent(Output var, Output alpha, Output delta, ApplyOptions options) {
  return apply("ResourceApplyGradientDescent", {var, alpha, delta}, attrs_of(options),
               options.name);
}

Node& apply_momentum(Output var, Output accum, Output lr, Output grad, Output momentum,
                     ApplyMomentumOptions options) {
  return apply("ResourceApplyMomentum", {var, accum, lr, grad, momentum}, attrs_of(options),
               options.name);
}

Node& apply_keras_momentum(Output var, Output accum, Output lr, Output grad, Output momentum,
                           ApplyMomentumOptions options) {
  return apply("ResourceApplyKerasMomentum", {var, accum, lr, grad, momentum}, attrs_of(options),
               options.name);
}

Node& apply_adam(Output var, Output m, Output v, Output beta1_power, Output beta2_power, Output lr,
                 Output beta1, Output beta2, Output epsilon, Output grad,
                 ApplyMomentumOptions options) {
  return apply("ResourceApplyAdam",
               {var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad},
               attrs_of(options), options.name);
}

Node& apply_adamw(Output var, Output m, Output v, Output beta1_power, Output beta2_power, Output lr,
                  Output weight_decay, Output beta1, Output beta2, Output epsilon, Output grad,
                  ApplyOptions options) {
  return apply("_ResourceApplyAdamW",
               {var, m, v, beta1_power, beta2_power, lr, weight_decay, beta1, beta2, epsilon, grad},
               attrs_of(options), options.name);
}

Node& apply_adagrad(Output var, Output accum, Output lr, Output grad, ApplyAdagradOptions options) {
  return apply("ResourceApplyAdagrad", {var, accum, lr, grad}, attrs_of(options), options.name);
}

Node& apply_adagrad_v2(Output var, Output accum, Output lr, Output epsilon, Output grad,
                       ApplyAdagradOptions options) {
  return apply("ResourceApplyAdagradV2", {var, accum, lr, epsilon, grad}, attrs_of(options),
               options.name);
}

Node& apply_adadelta(Output var, Output accum, Output accum_update, Output lr, Output rho,
                     Output epsilon, Output grad, ApplyOptions options) {
  return apply("ResourceApplyAdadelta", {var, accum, accum_update, lr, rho, epsilon, grad},
               attrs_of(options), options.name);
}

Node& apply_rms_prop(Output var, Output ms, Output mom, Output lr, Output rho, Output momentum,
                     Output epsilon, Output grad, ApplyOptions options) {
  return apply("ResourceApplyRMSProp", {var, ms, mom, lr, rho, momentum, epsilon, grad},
               attrs_of(options), options.name);
}

Node& apply_centered_rms_prop(Output var, Output mg, Output ms, Output mom, Output lr, Output rho,
                              Output momentum, Output epsilon, Output grad, ApplyOptions options) {
  return apply("ResourceApplyCenteredRMSProp", {var, mg, ms, mom, lr, rho, momentum, epsilon, grad},
               attrs_of(options), options.name);
}

Node& apply_ftrl(Output var, Output accum, Output linear, Output grad, Output lr, Output l1,
                 Output l2, Output lr_power, ApplyFtrlOptions options) {
  return apply("ResourceApplyFtrl", {var, accum, linear, grad, lr, l1, l2, lr_power},
               attrs_of(options), options.name);
}

Node& apply_ftrl_v2(Output var, Output accum, Output linear, Output grad, Output lr, Output l1,
                    Output l2, Output l2_shrinkage, Output lr_power, ApplyFtrlOptions options) {
  return apply("ResourceApplyFtrlV2",
               {var, accum, linear, grad, lr, l1, l2, l2_shrinkage, lr_power}, attrs_of(options),
               options.name);
}

RowGradient sum_duplicates(Output indices, Output values, ApplyOptions options) {
  Node& node = indices.graph().add("_SumDuplicates", {indices, values}, {}, {.name = options.name});
  return {node.output(0), node.output(1)};
}

Node& apply_gradient_descent_rows(Output var, Output alpha, const RowGradient& delta,
                                  ApplyOptions options) {
  return apply("ResourceScatterSub", {var, delta.rows, alpha * delta.gradient}, {}, options.name);
}

Node& apply_adagrad_v2_rows(Output var, Output accum, Output lr, Output epsilon,
                            const RowGradient& grad, ApplyAdagradOptions options) {
  return apply("ResourceSparseApplyAdagradV2", {var, accum, lr, epsilon, grad.gradient, grad.rows},
               attrs_of(options), options.name);
}

Node& apply_ftrl_v2_rows(Output var, Output accum, Output linear, const RowGradient& grad,
                         Output lr, Output l1, Output l2, Output l2_shrinkage, Output lr_power,
                         ApplyFtrlOptions options) {
  return apply("ResourceSparseApplyFtrlV2",
               {var, accum, linear, grad.gradient, grad.rows, lr, l1, l2, l2_shrinkage, lr_power},
               attrs_of(options), options.name);
}

}  // namespace thalweg
