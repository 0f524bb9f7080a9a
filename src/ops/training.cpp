// Update rules of the common optimizers.
#include "ops/families.h"
#include "ops/update_rule.h"

namespace thalweg {
namespace {

using namespace update_rule;  // NOLINT: a table of rows in its words

constexpr OpDef kTrainingOps[] = {
    row("ResourceApplyGradientDescent",
        {kVar, "alpha: T | Learning rate.", "delta: T | The gradient."}, {kType, kLocking},
        "var -= alpha * delta.", update_shape<1, 2>),
    row("ResourceApplyMomentum", {kVar, kAccumSlot, kRate, kGrad, kMomentum},
        {kType, kLocking, kNesterov},
        "accum = momentum * accum + grad; var -= lr * accum, with Nesterov lr * (grad + "
        "momentum * accum).",
        update_shape<2, 3>),
    row("ResourceApplyKerasMomentum", {kVar, kAccumSlot, kRate, kGrad, kMomentum},
        {kType, kLocking, kNesterov},
        "accum = momentum * accum - lr * grad; var += accum, with Nesterov momentum * accum - "
        "lr * grad.",
        update_shape<2, 3>),
    row("ResourceApplyAdam",
        {kVar, kMomentSlot, kSecondSlot, kBeta1Power, kBeta2Power, kRate, kBeta1, kBeta2, kEpsilon,
         kGrad},
        {kType, kLocking, kNesterov},
        "Kingma and Ba 2014. m += (1 - beta1) * (grad - m); v += (1 - beta2) * (grad^2 - v); "
        "var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon), with "
        "Nesterov "
        "beta1 * m + (1 - beta1) * grad for m.",
        update_shape<3, 9>),
    row("_ResourceApplyAdamW",
        {kVar, kMomentSlot, kSecondSlot, kBeta1Power, kBeta2Power, kRate,
         "weight_decay: T | Share of the variable, times lr, that each step takes off.", kBeta1,
         kBeta2, kEpsilon, kGrad},
        {kType, kLocking},
        "Adam with decoupled weight decay (Loshchilov and Hutter 2017): var -= lr * "
        "weight_decay * var, then as "
        "ResourceApplyAdam.",
        update_shape<3, 10>),
    row("ResourceApplyAdagrad", {kVar, kSquareSlot, kRate, kGrad}, {kType, kLocking, kUpdateSlots},
        "accum += grad^2; var -= lr * grad / sqrt(accum).", update_shape<2, 3>),
    row("ResourceApplyAdagradV2", {kVar, kSquareSlot, kRate, kEpsilon, kGrad},
        {kType, kLocking, kUpdateSlots},
        "accum += grad^2; var -= lr * grad / (sqrt(accum) + epsilon).", update_shape<2, 4>),
    row("ResourceApplyAdadelta",
        {kVar, "accum: resource | Slot: the mean of squared gradients.", kUpdateSlot, kRate, kRho,
         kEpsilon, kGrad},
        {kType, kLocking},
        "Zeiler 2012. accum = rho * accum + (1 - rho) * grad^2; update = sqrt(accum_update + "
        "epsilon) / "
        "sqrt(accum + epsilon) * grad; var -= lr * update; accum_update = rho * accum_update + "
        "(1 - rho) * update^2.",
        update_shape<3, 6>),
    row("ResourceApplyRMSProp",
        {kVar, kMeanSquareSlot, kMomentumSlot, kRate, kRho, kMomentum, kEpsilon, kGrad},
        {kType, kLocking},
        "ms += (1 - rho) * (grad^2 - ms); mom = momentum * mom + lr * grad / sqrt(ms + "
        "epsilon); var -= mom.",
        update_shape<3, 7>),
    row("ResourceApplyCenteredRMSProp",
        {kVar, kMeanGradSlot, kMeanSquareSlot, kMomentumSlot, kRate, kRho, kMomentum, kEpsilon,
         kGrad},
        {kType, kLocking},
        "ms += (1 - rho) * (grad^2 - ms); mg += (1 - rho) * (grad - mg); "
        "mom = momentum * mom + lr * grad / sqrt(ms - mg^2 + epsilon); var -= mom.",
        update_shape<4, 8>),
    row("ResourceApplyFtrl", {kVar, kSquareSlot, kLinearSlot, kGrad, kRate, kL1, kL2, kRatePower},
        {kType, kLocking, kLinearByRate},
        "Follow the regularised leader (McMahan et al. 2013). new = accum + grad^2; "
        "linear += grad - (new^-lr_power - accum^-lr_power) / lr * var; "
        "var = (clip(linear, -l1, l1) - linear) / (new^-lr_power / lr + 2 * l2); accum = new.",
        update_shape<3, 3>),
    row("ResourceApplyFtrlV2",
        {kVar, kSquareSlot, kLinearSlot, kGrad, kRate, kL1, kL2,
         "l2_shrinkage: T | Weight of an L2 penalty on the step alone.", kRatePower},
        {kType, kLocking, kLinearByRate},
        "As ResourceApplyFtrl, with grad + 2 * l2_shrinkage * var for grad in the line of linear.",
        update_shape<3, 3>),
};

}  // namespace

std::span<const OpDef> training_ops() { return kTrainingOps; }

}  // namespace thalweg
