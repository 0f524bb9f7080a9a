#include "ops/families.h"
#include "ops/handle.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

constexpr char kNotAFunction[] = "it updates variables in place and has no output";

// The first `kSlots` inputs are the variable and its slots, input `kGrad` is the gradient, all of
// one shape; every other input is a scalar.
template <int kSlots, int kGrad>
void apply_shape(ShapeContext& c) {
  const DType dtype = c.attr<DType>("T");
  Shape shape = variable_shape(c, 0, dtype);
  const auto merge = [&c, &shape](int i, const Shape& other) {
    if (!other.is_compatible_with(shape)) {
      throw c.error("`", c.input_name(i), "` has shape ", other, ", the variable ", shape);
    }
    shape = shape.merge(other);
  };
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (i < kSlots) {
      merge(i, variable_shape(c, i, dtype));
    } else if (i == kGrad) {
      merge(i, c.input(i));
    } else {
      c.with_rank(i, 0);
    }
  }
}

constexpr char kVar[] = "var: resource | The variable to update.";
constexpr char kAccumSlot[] = "accum: resource | Slot: the accumulated gradients.";
constexpr char kSquareSlot[] = "accum: resource | Slot: the sum of squared gradients.";
constexpr char kLinearSlot[] = "linear: resource | Slot: the linear term.";
constexpr char kMomentSlot[] = "m: resource | Slot: the mean of gradients.";
constexpr char kSecondSlot[] = "v: resource | Slot: the mean of squared gradients.";
constexpr char kMeanGradSlot[] = "mg: resource | Slot: the mean of gradients.";
constexpr char kMeanSquareSlot[] = "ms: resource | Slot: the mean of squared gradients.";
constexpr char kMomentumSlot[] = "mom: resource | Slot: the momentum.";
constexpr char kRate[] = "lr: T | Learning rate.";
constexpr char kGrad[] = "grad: T | The gradient.";
constexpr char kMomentum[] = "momentum: T | Share of the last step that is taken again.";
constexpr char kRho[] = "rho: T | Decay of the means.";
constexpr char kEpsilon[] = "epsilon: T | Keeps the divisor from 0.";
constexpr char kBeta1Power[] = "beta1_power: T | beta1 to the number of this step, from 1.";
constexpr char kBeta2Power[] = "beta2_power: T | beta2 to the number of this step.";
constexpr char kBeta1[] = "beta1: T | Decay of m.";
constexpr char kBeta2[] = "beta2: T | Decay of v.";
constexpr char kL1[] = "l1: T | Weight of the L1 penalty.";
constexpr char kL2[] = "l2: T | Weight of the L2 penalty.";
constexpr char kRatePower[] =
    "lr_power: T | Power of the learning rate's decay, at most 0; -0.5 is a square root.";
constexpr char kType[] = "T: {half, bfloat16, float, double} | Element type.";
constexpr char kLocking[] =
    "use_locking: bool = false | Kept for graph files; updates are always whole.";
constexpr char kNesterov[] = "use_nesterov: bool = false | Whether to look ahead by the momentum.";
constexpr char kUpdateSlots[] = "update_slots: bool = true | Whether accum takes this gradient up.";
constexpr char kLinearByRate[] =
    "multiply_linear_by_lr: bool = false | Whether the linear term is kept times lr.";

constexpr OpDef kTrainingOps[] = {
    {.name = "ResourceApplyGradientDescent",
     .inputs = {kVar, "alpha: T | Learning rate.", "delta: T | The gradient."},
     .outputs = {},
     .attrs = {kType, kLocking},
     .doc = "var -= alpha * delta.",
     .shape = apply_shape<1, 2>,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "ResourceApplyMomentum",
     .inputs = {kVar, kAccumSlot, kRate, kGrad, kMomentum},
     .outputs = {},
     .attrs = {kType, kLocking, kNesterov},
     .doc = "accum = momentum * accum + grad; var -= lr * accum, with Nesterov lr * (grad + "
            "momentum * accum).",
     .shape = apply_shape<2, 3>,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "ResourceApplyKerasMomentum",
     .inputs = {kVar, kAccumSlot, kRate, kGrad, kMomentum},
     .outputs = {},
     .attrs = {kType, kLocking, kNesterov},
     .doc = "accum = momentum * accum - lr * grad; var += accum, with Nesterov momentum * accum - "
            "lr * grad.",
     .shape = apply_shape<2, 3>,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "ResourceApplyAdam",
     .inputs = {kVar, kMomentSlot, kSecondSlot, kBeta1Power, kBeta2Power, kRate, kBeta1, kBeta2,
                kEpsilon, kGrad},
     .outputs = {},
     .attrs = {kType, kLocking, kNesterov},
     .doc = "Kingma and Ba 2014. m += (1 - beta1) * (grad - m); v += (1 - beta2) * (grad^2 - v); "
            "var -= lr * sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon), with "
            "Nesterov "
            "beta1 * m + (1 - beta1) * grad for m.",
     .shape = apply_shape<3, 9>,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "_ResourceApplyAdamW",
     .inputs = {kVar, kMomentSlot, kSecondSlot, kBeta1Power, kBeta2Power, kRate,
                "weight_decay: T | Share of the variable, times lr, that each step takes off.",
                kBeta1, kBeta2, kEpsilon, kGrad},
     .outputs = {},
     .attrs = {kType, kLocking},
     .doc = "Adam with decoupled weight decay (Loshchilov and Hutter 2017): var -= lr * "
            "weight_decay * var, then as "
            "ResourceApplyAdam.",
     .shape = apply_shape<3, 10>,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "ResourceApplyAdagrad",
     .inputs = {kVar, kSquareSlot, kRate, kGrad},
     .outputs = {},
     .attrs = {kType, kLocking, kUpdateSlots},
     .doc = "accum += grad^2; var -= lr * grad / sqrt(accum).",
     .shape = apply_shape<2, 3>,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "ResourceApplyAdagradV2",
     .inputs = {kVar, kSquareSlot, kRate, kEpsilon, kGrad},
     .outputs = {},
     .attrs = {kType, kLocking, kUpdateSlots},
     .doc = "accum += grad^2; var -= lr * grad / (sqrt(accum) + epsilon).",
     .shape = apply_shape<2, 4>,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "ResourceApplyAdadelta",
     .inputs = {kVar, "accum: resource | Slot: the mean of squared gradients.",
                "accum_update: resource | Slot: the mean of squared updates.", kRate, kRho,
                kEpsilon, kGrad},
     .outputs = {},
     .attrs = {kType, kLocking},
     .doc = "Zeiler 2012. accum = rho * accum + (1 - rho) * grad^2; update = sqrt(accum_update + "
            "epsilon) / "
            "sqrt(accum + epsilon) * grad; var -= lr * update; accum_update = rho * accum_update + "
            "(1 - rho) * update^2.",
     .shape = apply_shape<3, 6>,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "ResourceApplyRMSProp",
     .inputs = {kVar, kMeanSquareSlot, kMomentumSlot, kRate, kRho, kMomentum, kEpsilon, kGrad},
     .outputs = {},
     .attrs = {kType, kLocking},
     .doc = "ms += (1 - rho) * (grad^2 - ms); mom = momentum * mom + lr * grad / sqrt(ms + "
            "epsilon); var -= mom.",
     .shape = apply_shape<3, 7>,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "ResourceApplyCenteredRMSProp",
     .inputs = {kVar, kMeanGradSlot, kMeanSquareSlot, kMomentumSlot, kRate, kRho, kMomentum,
                kEpsilon, kGrad},
     .outputs = {},
     .attrs = {kType, kLocking},
     .doc = "ms += (1 - rho) * (grad^2 - ms); mg += (1 - rho) * (grad - mg); "
            "mom = momentum * mom + lr * grad / sqrt(ms - mg^2 + epsilon); var -= mom.",
     .shape = apply_shape<4, 8>,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "ResourceApplyFtrl",
     .inputs = {kVar, kSquareSlot, kLinearSlot, kGrad, kRate, kL1, kL2, kRatePower},
     .outputs = {},
     .attrs = {kType, kLocking, kLinearByRate},
     .doc = "Follow the regularised leader (McMahan et al. 2013). new = accum + grad^2; "
            "linear += grad - (new^-lr_power - accum^-lr_power) / lr * var; "
            "var = (clip(linear, -l1, l1) - linear) / (new^-lr_power / lr + 2 * l2); accum = new.",
     .shape = apply_shape<3, 3>,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
    {.name = "ResourceApplyFtrlV2",
     .inputs = {kVar, kSquareSlot, kLinearSlot, kGrad, kRate, kL1, kL2,
                "l2_shrinkage: T | Weight of an L2 penalty on the step alone.", kRatePower},
     .outputs = {},
     .attrs = {kType, kLocking, kLinearByRate},
     .doc =
         "As ResourceApplyFtrl, with grad + 2 * l2_shrinkage * var for grad in the line of linear.",
     .shape = apply_shape<3, 3>,
     .no_gradient = kNotAFunction,
     .effect = Effect::kWrites},
};

}  // namespace

std::span<const OpDef> training_ops() { return kTrainingOps; }

}  // namespace thalweg
