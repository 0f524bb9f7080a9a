// Update rules of optimizers that are met less often, and rules that update single rows of a
// variable: the gradient then comes with the rows that it is about.
#include "ops/families.h"
#include "ops/handle.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

// The first `kSlots` inputs are the variable and its slots, input `kGrad` is the gradient; with
// `kSparse` the next input holds the rows it is about. Every other input is a scalar.
template <int kSlots, int kGrad, bool kSparse>
void update_shape(ShapeContext& c) {
  const DType dtype = c.attr<DType>("T");
  Shape shape = variable_shape(c, 0, dtype);
  for (int i = 1; i < kSlots; ++i) {
    const Shape slot = variable_shape(c, i, dtype);
    if (!slot.is_compatible_with(shape))
      throw c.error("`", c.input_name(i), "` has shape ", slot, ", the variable ", shape);
    shape = shape.merge(slot);
  }
  for (int i = kSlots; i < c.num_inputs(); ++i) {
    if (i == kGrad || (kSparse && i == kGrad + 1)) continue;
    c.with_rank(i, 0);
  }
  if (kSparse) {
    const Shape rows = c.with_rank(kGrad + 1, 1);
    if (shape.rank() == 0) throw c.error("the variable is a scalar: it has no rows");
    shape = shape.has_rank() ? rows.concat(shape.slice(1)) : shape;
  }
  if (!c.input(kGrad).is_compatible_with(shape))
    throw c.error("`", c.input_name(kGrad), "` has shape ", c.input(kGrad), ", expected ", shape);
}

constexpr char kNotAFunction[] = "it updates variables in place and has no output";
constexpr char kVar[] = "var: resource | The variable to update.";
constexpr char kAccum[] = "accum: resource | Slot: the sum of squared gradients.";
constexpr char kVelocity[] = "accum: resource | Slot: the accumulated gradients.";
constexpr char kLinear[] = "linear: resource | Slot: the linear term.";
constexpr char kM[] = "m: resource | Slot: the mean of gradients.";
constexpr char kV[] = "v: resource | Slot: the mean of squared gradients.";
constexpr char kMg[] = "mg: resource | Slot: the mean of gradients.";
constexpr char kMs[] = "ms: resource | Slot: the mean of squared gradients.";
constexpr char kMom[] = "mom: resource | Slot: the momentum.";
constexpr char kSum[] = "gradient_accumulator: resource | Slot: the sum of gradients.";
constexpr char kSquares[] =
    "gradient_squared_accumulator: resource | Slot: the sum of squared gradients.";
constexpr char kRate[] = "lr: T | Learning rate.";
constexpr char kAlpha[] = "alpha: T | Learning rate.";
constexpr char kGrad[] = "grad: T | The gradient.";
constexpr char kRowGrad[] = "grad: T | The gradient of the rows, `[n, ...]`.";
constexpr char kRows[] = "indices: Tindices | Which rows they are, `[n]`.";
constexpr char kMomentum[] = "momentum: T | Share of the last step that is taken again.";
constexpr char kRho[] = "rho: T | Decay of the means.";
constexpr char kEpsilon[] = "epsilon: T | Keeps the divisor from 0.";
constexpr char kBeta1Power[] = "beta1_power: T | beta1 to the number of this step, from 1.";
constexpr char kBeta2Power[] = "beta2_power: T | beta2 to the number of this step.";
constexpr char kBeta1[] = "beta1: T | Decay of m.";
constexpr char kBeta2[] = "beta2: T | Decay of v.";
constexpr char kBeta[] = "beta: T | Decay of m.";
constexpr char kDecay[] = "sign_decay: T | Weight of the signs' agreement.";
constexpr char kL1[] = "l1: T | Weight of the L1 penalty.";
constexpr char kL2[] = "l2: T | Weight of the L2 penalty.";
constexpr char kShrinkage[] = "l2_shrinkage: T | Weight of the L2 penalty on the gradient.";
constexpr char kStep[] = "global_step: int64 | Number of this step, from 1.";
constexpr char kRatePower[] =
    "lr_power: T | Power of the learning rate's decay, at most 0; -0.5 is a square root.";
constexpr char kType[] = "T: {half, bfloat16, float, double} | Element type.";
constexpr char kIndex[] = "Tindices: {int32, int64} | Type of the rows.";
constexpr char kLocking[] =
    "use_locking: bool = false | Kept for graph files; updates are always whole.";
constexpr char kNesterov[] = "use_nesterov: bool = false | Whether to look ahead by the momentum.";
constexpr char kUpdateSlots[] = "update_slots: bool = true | Whether accum takes this gradient up.";
constexpr char kByRate[] =
    "multiply_linear_by_lr: bool = false | Whether the linear term is kept times lr.";

constexpr OpDef row(std::string_view name, const Specs& inputs, const Specs& attrs,
                    std::string_view doc, ShapeFunction shape) {
  return {.name = name,
          .inputs = inputs,
          .outputs = {},
          .attrs = attrs,
          .doc = doc,
          .shape = shape,
          .no_gradient = kNotAFunction,
          .effect = Effect::kWrites};
}

constexpr OpDef kOps[] = {
    row("ResourceApplyAdaMax",
        {kVar, kM, "v: resource | Slot: the decaying largest gradient.", kBeta1Power, kRate, kBeta1,
         kBeta2, kEpsilon, kGrad},
        {kType, kLocking},
        "Kingma and Ba 2014, section 7.1. m += (1 - beta1) * (grad - m); v = max(beta2 * v, "
        "|grad|); var -= lr / (1 - beta1_power) * m / (v + epsilon).",
        update_shape<3, 8, false>),
    row("ResourceApplyAdamWithAmsgrad",
        {kVar, kM, kV, "vhat: resource | Slot: the largest v so far.", kBeta1Power, kBeta2Power,
         kRate, kBeta1, kBeta2, kEpsilon, kGrad},
        {kType, kLocking},
        "Reddi et al. 2018: ResourceApplyAdam with the largest v so far as its divisor.",
        update_shape<4, 10, false>),
    row("ResourceApplyAddSign",
        {kVar, kM, kRate, "alpha: T | Weight of the gradient itself.", kDecay, kBeta, kGrad},
        {kType, kLocking},
        "Bello et al. 2017. m = beta * m + (1 - beta) * grad; var -= lr * (alpha + sign_decay * "
        "sign(grad) * sign(m)) * grad.",
        update_shape<2, 6, false>),
    row("ResourceApplyPowerSign",
        {kVar, kM, kRate, "logbase: T | Logarithm of the base.", kDecay, kBeta, kGrad},
        {kType, kLocking},
        "Bello et al. 2017. m = beta * m + (1 - beta) * grad; var -= lr * exp(logbase * sign_decay "
        "* sign(grad) * sign(m)) * grad.",
        update_shape<2, 6, false>),
    row("ResourceApplyProximalGradientDescent",
        {kVar, kAlpha, kL1, kL2, "delta: T | The gradient."}, {kType, kLocking},
        "Duchi and Singer 2009. p = var - alpha * delta; var = sign(p) * max(|p| - alpha * l1, 0) "
        "/ (1 + alpha * l2).",
        update_shape<1, 4, false>),
    row("ResourceApplyProximalAdagrad", {kVar, kAccum, kRate, kL1, kL2, kGrad}, {kType, kLocking},
        "accum += grad^2, then a proximal step of size lr / sqrt(accum).",
        update_shape<2, 5, false>),
    row("ResourceApplyAdagradDA", {kVar, kSum, kSquares, kGrad, kRate, kL1, kL2, kStep},
        {kType, kLocking},
        "Duchi, Hazan and Singer 2011, dual averaging. With sums s of gradients and q of their "
        "squares: var = -lr * sign(s) * max(|s| - l1 * step, 0) / (l2 * step * lr + sqrt(q)).",
        update_shape<3, 3, false>),

    row("ResourceSparseApplyMomentum", {kVar, kVelocity, kRate, kRowGrad, kRows, kMomentum},
        {kType, kIndex, kLocking, kNesterov}, "ResourceApplyMomentum on rows.",
        update_shape<2, 3, true>),
    row("ResourceSparseApplyKerasMomentum", {kVar, kVelocity, kRate, kRowGrad, kRows, kMomentum},
        {kType, kIndex, kLocking, kNesterov}, "ResourceApplyKerasMomentum on rows.",
        update_shape<2, 3, true>),
    row("ResourceSparseApplyAdagrad", {kVar, kAccum, kRate, kRowGrad, kRows},
        {kType, kIndex, kLocking, kUpdateSlots}, "ResourceApplyAdagrad on rows.",
        update_shape<2, 3, true>),
    row("ResourceSparseApplyAdagradV2", {kVar, kAccum, kRate, kEpsilon, kRowGrad, kRows},
        {kType, kIndex, kLocking, kUpdateSlots}, "ResourceApplyAdagradV2 on rows.",
        update_shape<2, 4, true>),
    row("ResourceSparseApplyAdagradDA",
        {kVar, kSum, kSquares, kRowGrad, kRows, kRate, kL1, kL2, kStep}, {kType, kIndex, kLocking},
        "ResourceApplyAdagradDA on rows.", update_shape<3, 3, true>),
    row("ResourceSparseApplyAdadelta",
        {kVar, kAccum, "accum_update: resource | Slot: the mean of squared updates.", kRate, kRho,
         kEpsilon, kRowGrad, kRows},
        {kType, kIndex, kLocking}, "ResourceApplyAdadelta on rows.", update_shape<3, 6, true>),
    row("ResourceSparseApplyRMSProp",
        {kVar, kMs, kMom, kRate, kRho, kMomentum, kEpsilon, kRowGrad, kRows},
        {kType, kIndex, kLocking}, "ResourceApplyRMSProp on rows.", update_shape<3, 7, true>),
    row("ResourceSparseApplyCenteredRMSProp",
        {kVar, kMg, kMs, kMom, kRate, kRho, kMomentum, kEpsilon, kRowGrad, kRows},
        {kType, kIndex, kLocking}, "ResourceApplyCenteredRMSProp on rows.",
        update_shape<4, 8, true>),
    row("ResourceSparseApplyFtrl",
        {kVar, kAccum, kLinear, kRowGrad, kRows, kRate, kL1, kL2, kRatePower},
        {kType, kIndex, kLocking, kByRate}, "ResourceApplyFtrl on rows.", update_shape<3, 3, true>),
    row("ResourceSparseApplyFtrlV2",
        {kVar, kAccum, kLinear, kRowGrad, kRows, kRate, kL1, kL2, kShrinkage, kRatePower},
        {kType, kIndex, kLocking, kByRate}, "ResourceApplyFtrlV2 on rows.",
        update_shape<3, 3, true>),
    row("ResourceSparseApplyProximalAdagrad", {kVar, kAccum, kRate, kL1, kL2, kRowGrad, kRows},
        {kType, kIndex, kLocking}, "ResourceApplyProximalAdagrad on rows.",
        update_shape<2, 5, true>),
    row("ResourceSparseApplyProximalGradientDescent", {kVar, kAlpha, kL1, kL2, kRowGrad, kRows},
        {kType, kIndex, kLocking}, "ResourceApplyProximalGradientDescent on rows.",
        update_shape<1, 4, true>),
};

}  // namespace

std::span<const OpDef> training_sparse_ops() { return kOps; }

}  // namespace thalweg
