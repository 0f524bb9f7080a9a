// Update rules of optimizers that are met less often, and rules that update single rows of a
// variable: the gradient then comes with the rows that it is about.
#include "ops/families.h"
#include "ops/update_rule.h"

namespace thalweg {
namespace {

using namespace update_rule;  // NOLINT: a table of rows in its words

constexpr char kSum[] = "gradient_accumulator: resource | Slot: the sum of gradients.";
constexpr char kSquares[] =
    "gradient_squared_accumulator: resource | Slot: the sum of squared gradients.";
constexpr char kAlpha[] = "alpha: T | Learning rate.";
constexpr char kRowGrad[] = "grad: T | The gradient of the rows, `[n, ...]`.";
constexpr char kRows[] = "indices: Tindices | Which rows they are, `[n]`.";
constexpr char kBeta[] = "beta: T | Decay of m.";
constexpr char kDecay[] = "sign_decay: T | Weight of the signs' agreement.";
constexpr char kShrinkage[] = "l2_shrinkage: T | Weight of the L2 penalty on the gradient.";
constexpr char kStep[] = "global_step: int64 | Number of this step, from 1.";
constexpr char kIndex[] = "Tindices: {int32, int64} | Type of the rows.";

void sum_duplicates_shape(ShapeContext& c) {
  const Shape indices = c.with_rank(0, 1);
  const Shape values = c.input(1);
  if (values.rank() == 0) throw c.error("`values` is a scalar: it has no rows");
  if (values.has_rank() && !values.slice(0, 1).is_compatible_with(indices)) {
    throw c.error("`values` has shape ", values, ", `indices` ", indices,
                  ": each row needs an index");
  }
  const Shape rows = values.has_rank() ? indices.merge(values.slice(0, 1)) : indices;
  c.set_output(0, rows);
  c.set_output(1, values.has_rank() ? rows.concat(values.slice(1)) : values);
}

constexpr OpDef kOps[] = {
    row("ResourceApplyAdaMax",
        {kVar, kMomentSlot, "v: resource | Slot: the decaying largest gradient.", kBeta1Power,
         kRate, kBeta1, kBeta2, kEpsilon, kGrad},
        {kType, kLocking},
        "Kingma and Ba 2014, section 7.1. m += (1 - beta1) * (grad - m); v = max(beta2 * v, "
        "|grad|); var -= lr / (1 - beta1_power) * m / (v + epsilon).",
        update_shape<3, 8>),
    row("ResourceApplyAdamWithAmsgrad",
        {kVar, kMomentSlot, kSecondSlot, "vhat: resource | Slot: the largest v so far.",
         kBeta1Power, kBeta2Power, kRate, kBeta1, kBeta2, kEpsilon, kGrad},
        {kType, kLocking},
        "Reddi et al. 2018: ResourceApplyAdam with the largest v so far as its divisor.",
        update_shape<4, 10>),
    row("ResourceApplyAddSign",
        {kVar, kMomentSlot, kRate, "alpha: T | Weight of the gradient itself.", kDecay, kBeta,
         kGrad},
        {kType, kLocking},
        "Bello et al. 2017. m = beta * m + (1 - beta) * grad; var -= lr * (alpha + sign_decay * "
        "sign(grad) * sign(m)) * grad.",
        update_shape<2, 6>),
    row("ResourceApplyPowerSign",
        {kVar, kMomentSlot, kRate, "logbase: T | Logarithm of the base.", kDecay, kBeta, kGrad},
        {kType, kLocking},
        "Bello et al. 2017. m = beta * m + (1 - beta) * grad; var -= lr * exp(logbase * sign_decay "
        "* sign(grad) * sign(m)) * grad.",
        update_shape<2, 6>),
    row("ResourceApplyProximalGradientDescent",
        {kVar, kAlpha, kL1, kL2, "delta: T | The gradient."}, {kType, kLocking},
        "Duchi and Singer 2009. p = var - alpha * delta; var = sign(p) * max(|p| - alpha * l1, 0) "
        "/ (1 + alpha * l2).",
        update_shape<1, 4>),
    row("ResourceApplyProximalAdagrad", {kVar, kSquareSlot, kRate, kL1, kL2, kGrad},
        {kType, kLocking}, "accum += grad^2, then a proximal step of size lr / sqrt(accum).",
        update_shape<2, 5>),
    row("ResourceApplyAdagradDA", {kVar, kSum, kSquares, kGrad, kRate, kL1, kL2, kStep},
        {kType, kLocking},
        "Duchi, Hazan and Singer 2011, dual averaging. With sums s of gradients and q of their "
        "squares: var = -lr * sign(s) * max(|s| - l1 * step, 0) / (l2 * step * lr + sqrt(q)).",
        update_shape<3, 3>),

    {.name = "_SumDuplicates",
     .inputs = {"indices: Tindices | Which rows they are, `[n]`; negative: none.",
                "values: T | A gradient's rows, `[n, ...]`."},
     .outputs = {"rows: Tindices | The indices, 0 for negative ones.",
                 "sums: T | At an index's first place the sum of all its rows, zeros elsewhere."},
     .attrs = {kType, kIndex},
     .doc = "The gradient of rows with each row's parts summed, of the same shape: updates that a "
            "gradient of 0 does not change may then take row by row.",
     .shape = sum_duplicates_shape,
     .no_gradient = "it stands in updates, after differentiation"},
    row("ResourceSparseApplyMomentum", {kVar, kAccumSlot, kRate, kRowGrad, kRows, kMomentum},
        {kType, kIndex, kLocking, kNesterov}, "ResourceApplyMomentum on rows.",
        update_shape<2, 3, true>),
    row("ResourceSparseApplyKerasMomentum", {kVar, kAccumSlot, kRate, kRowGrad, kRows, kMomentum},
        {kType, kIndex, kLocking, kNesterov}, "ResourceApplyKerasMomentum on rows.",
        update_shape<2, 3, true>),
    row("ResourceSparseApplyAdagrad", {kVar, kSquareSlot, kRate, kRowGrad, kRows},
        {kType, kIndex, kLocking, kUpdateSlots}, "ResourceApplyAdagrad on rows.",
        update_shape<2, 3, true>),
    row("ResourceSparseApplyAdagradV2", {kVar, kSquareSlot, kRate, kEpsilon, kRowGrad, kRows},
        {kType, kIndex, kLocking, kUpdateSlots}, "ResourceApplyAdagradV2 on rows.",
        update_shape<2, 4, true>),
    row("ResourceSparseApplyAdagradDA",
        {kVar, kSum, kSquares, kRowGrad, kRows, kRate, kL1, kL2, kStep}, {kType, kIndex, kLocking},
        "ResourceApplyAdagradDA on rows.", update_shape<3, 3, true>),
    row("ResourceSparseApplyAdadelta",
        {kVar, kSquareSlot, kUpdateSlot, kRate, kRho, kEpsilon, kRowGrad, kRows},
        {kType, kIndex, kLocking}, "ResourceApplyAdadelta on rows.", update_shape<3, 6, true>),
    row("ResourceSparseApplyRMSProp",
        {kVar, kMeanSquareSlot, kMomentumSlot, kRate, kRho, kMomentum, kEpsilon, kRowGrad, kRows},
        {kType, kIndex, kLocking}, "ResourceApplyRMSProp on rows.", update_shape<3, 7, true>),
    row("ResourceSparseApplyCenteredRMSProp",
        {kVar, kMeanGradSlot, kMeanSquareSlot, kMomentumSlot, kRate, kRho, kMomentum, kEpsilon,
         kRowGrad, kRows},
        {kType, kIndex, kLocking}, "ResourceApplyCenteredRMSProp on rows.",
        update_shape<4, 8, true>),
    row("ResourceSparseApplyFtrl",
        {kVar, kSquareSlot, kLinearSlot, kRowGrad, kRows, kRate, kL1, kL2, kRatePower},
        {kType, kIndex, kLocking, kLinearByRate}, "ResourceApplyFtrl on rows.",
        update_shape<3, 3, true>),
    row("ResourceSparseApplyFtrlV2",
        {kVar, kSquareSlot, kLinearSlot, kRowGrad, kRows, kRate, kL1, kL2, kShrinkage, kRatePower},
        {kType, kIndex, kLocking, kLinearByRate}, "ResourceApplyFtrlV2 on rows.",
        update_shape<3, 3, true>),
    row("ResourceSparseApplyProximalAdagrad", {kVar, kSquareSlot, kRate, kL1, kL2, kRowGrad, kRows},
        {kType, kIndex, kLocking}, "ResourceApplyProximalAdagrad on rows.",
        update_shape<2, 5, true>),
    row("ResourceSparseApplyProximalGradientDescent", {kVar, kAlpha, kL1, kL2, kRowGrad, kRows},
        {kType, kIndex, kLocking}, "ResourceApplyProximalGradientDescent on rows.",
        update_shape<1, 4, true>),
};

}  // namespace

std::span<const OpDef> training_sparse_ops() { return kOps; }

}  // namespace thalweg
