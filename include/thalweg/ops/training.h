// The update rules of optimizers, each one op that changes a variable and its slots in place.
//
// `var` and slots are variable handles (Variable::handle()) of one dtype and shape; hyperparameters
// are scalars of that dtype; `grad` has the variable's shape. Formulas, inputs and their order are
// TensorFlow's ResourceApply ops. All return the node, to be run as a target.
#pragma once

#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct ApplyOptions {
  bool use_locking = false;  // kept for graph files; updates of a session are always whole
  std::string name = {};
};
struct ApplyMomentumOptions {
  bool use_locking = false;
  bool use_nesterov = false;
  std::string name = {};
};
struct ApplyAdagradOptions {
  bool use_locking = false;
  bool update_slots = true;
  std::string name = {};
};
struct ApplyFtrlOptions {
  bool use_locking = false;
  bool multiply_linear_by_lr = false;
  std::string name = {};
};

/// `var -= alpha * delta`.
Node& apply_gradient_descent(Output var, Output alpha, Output delta, ApplyOptions options = {});

/// `accum = momentum * accum + grad; var -= lr * accum`; with Nesterov `var -= lr * (grad +
/// momentum * accum)`.
Node& apply_momentum(Output var, Output accum, Output lr, Output grad, Output momentum,
                     ApplyMomentumOptions options = {});

/// Keras's form: `accum = momentum * accum - lr * grad; var += accum`; with Nesterov `var +=
/// momentum * accum - lr * grad`.
Node& apply_keras_momentum(Output var, Output accum, Output lr, Output grad, Output momentum,
                           ApplyMomentumOptions options = {});

/// Kingma and Ba, arXiv:1412.6980, in the form with the corrections in the step size:
/// `m += (1 - beta1) * (grad - m); v += (1 - beta2) * (grad^2 - v);`
/// `var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon)`; with Nesterov
/// `beta1 * m + (1 - beta1) * grad` stands for `m` in the last line. beta1_power is beta1 to the
/// number of this step.
Node& apply_adam(Output var, Output m, Output v, Output beta1_power, Output beta2_power, Output lr,
                 Output beta1, Output beta2, Output epsilon, Output grad,
                 ApplyMomentumOptions options = {});

/// Adam with decoupled weight decay (Loshchilov and Hutter, arXiv:1711.05101): `var -= lr *
/// weight_decay * var`, then as apply_adam. Our own op `_ResourceApplyAdamW`.
Node& apply_adamw(Output var, Output m, Output v, Output beta1_power, Output beta2_power, Output lr,
                  Output weight_decay, Output beta1, Output beta2, Output epsilon, Output grad,
                  ApplyOptions options = {});

/// `accum += grad^2; var -= lr * grad / sqrt(accum)`.
Node& apply_adagrad(Output var, Output accum, Output lr, Output grad,
                    ApplyAdagradOptions options = {});
/// `accum += grad^2; var -= lr * grad / (sqrt(accum) + epsilon)`. TensorFlow's
/// ResourceApplyAdagradV2.
Node& apply_adagrad_v2(Output var, Output accum, Output lr, Output epsilon, Output grad,
                       ApplyAdagradOptions options = {});

/// Zeiler, arXiv:1212.5701: `accum = rho * accum + (1 - rho) * grad^2;`
/// `update = sqrt(accum_update + epsilon) / sqrt(accum + epsilon) * grad; var -= lr * update;`
/// `accum_update = rho * accum_update + (1 - rho) * update^2`.
Node& apply_adadelta(Output var, Output accum, Output accum_update, Output lr, Output rho,
                     Output epsilon, Output grad, ApplyOptions options = {});

/// `ms += (1 - rho) * (grad^2 - ms); mom = momentum * mom + lr * grad / sqrt(ms + epsilon); var -=
/// mom`.
Node& apply_rms_prop(Output var, Output ms, Output mom, Output lr, Output rho, Output momentum,
                     Output epsilon, Output grad, ApplyOptions options = {});
/// As apply_rms_prop, with the variance `ms - mg^2` for `ms` under the root, where `mg += (1 - rho)
/// * (grad - mg)`.
Node& apply_centered_rms_prop(Output var, Output mg, Output ms, Output mom, Output lr, Output rho,
                              Output momentum, Output epsilon, Output grad,
                              ApplyOptions options = {});

/// Follow the regularised leader (McMahan et al., KDD 2013): `new = accum + grad^2;`
/// `linear += grad - (new^-lr_power - accum^-lr_power) / lr * var; accum = new;`
/// `var = (clip(linear, -l1, l1) - linear) / (accum^-lr_power / lr + 2 * l2)`.
Node& apply_ftrl(Output var, Output accum, Output linear, Output grad, Output lr, Output l1,
                 Output l2, Output lr_power, ApplyFtrlOptions options = {});
/// As apply_ftrl, with `grad + 2 * l2_shrinkage * var` for `grad` in the line of `linear`.
/// TensorFlow's ResourceApplyFtrlV2.
Node& apply_ftrl_v2(Output var, Output accum, Output linear, Output grad, Output lr, Output l1,
                    Output l2, Output l2_shrinkage, Output lr_power, ApplyFtrlOptions options = {});

/// A gradient that is zero but for some rows of a variable.
struct RowGradient {
  Output rows;      // int32 or int64 [n]: which rows
  Output gradient;  // [n, ...]: theirs
};
/// Parts `values` `[n, ...]` of the rows `indices` `[n]`, summed where a row is named several
/// times: the sum stands at its first place, zeros at the others; negative indices count as none.
/// Of the same shape, so an update that zeros do not change may take row by row. Our own op
/// `_SumDuplicates`.
RowGradient sum_duplicates(Output indices, Output values, ApplyOptions options = {});

/// apply_gradient_descent, apply_adagrad_v2 and apply_ftrl_v2 on some rows, one after the other.
/// ResourceScatterSub, ResourceSparseApplyAdagradV2 and ResourceSparseApplyFtrlV2.
Node& apply_gradient_descent_rows(Output var, Output alpha, const RowGradient& delta,
                                  ApplyOptions options = {});
Node& apply_adagrad_v2_rows(Output var, Output accum, Output lr, Output epsilon,
                            const RowGradient& grad, ApplyAdagradOptions options = {});
Node& apply_ftrl_v2_rows(Output var, Output accum, Output linear, const RowGradient& grad,
                         Output lr, Output l1, Output l2, Output l2_shrinkage, Output lr_power,
                         ApplyFtrlOptions options = {});

}  // namespace thalweg
