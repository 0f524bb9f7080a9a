// The arguments that update rules share, in words, and the row of such an op.
#pragma once

#include <string_view>

#include "ops/handle.h"
#include "thalweg/graph/op_def.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg::update_rule {

// The first `kSlots` inputs are the variable and its slots, input `kGrad` is the gradient; with
// `kSparse` the next input holds the rows it is about. Every other input is a scalar.
template <int kSlots, int kGrad, bool kSparse = false>
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

inline constexpr char kVar[] = "var: resource | The variable to update.";
inline constexpr char kAccumSlot[] = "accum: resource | Slot: the accumulated gradients.";
inline constexpr char kSquareSlot[] = "accum: resource | Slot: the sum of squared gradients.";
inline constexpr char kLinearSlot[] = "linear: resource | Slot: the linear term.";
inline constexpr char kMomentSlot[] = "m: resource | Slot: the mean of gradients.";
inline constexpr char kSecondSlot[] = "v: resource | Slot: the mean of squared gradients.";
inline constexpr char kMeanGradSlot[] = "mg: resource | Slot: the mean of gradients.";
inline constexpr char kMeanSquareSlot[] = "ms: resource | Slot: the mean of squared gradients.";
inline constexpr char kMomentumSlot[] = "mom: resource | Slot: the momentum.";
inline constexpr char kRate[] = "lr: T | Learning rate.";
inline constexpr char kGrad[] = "grad: T | The gradient.";
inline constexpr char kMomentum[] = "momentum: T | Share of the last step that is taken again.";
inline constexpr char kRho[] = "rho: T | Decay of the means.";
inline constexpr char kEpsilon[] = "epsilon: T | Keeps the divisor from 0.";
inline constexpr char kBeta1Power[] = "beta1_power: T | beta1 to the number of this step, from 1.";
inline constexpr char kBeta2Power[] = "beta2_power: T | beta2 to the number of this step.";
inline constexpr char kBeta1[] = "beta1: T | Decay of m.";
inline constexpr char kBeta2[] = "beta2: T | Decay of v.";
inline constexpr char kL1[] = "l1: T | Weight of the L1 penalty.";
inline constexpr char kL2[] = "l2: T | Weight of the L2 penalty.";
inline constexpr char kRatePower[] =
    "lr_power: T | Power of the learning rate's decay, at most 0; -0.5 is a square root.";
inline constexpr char kType[] = "T: {half, bfloat16, float, double} | Element type.";
inline constexpr char kLocking[] =
    "use_locking: bool = false | Kept for graph files; updates are always whole.";
inline constexpr char kNesterov[] =
    "use_nesterov: bool = false | Whether to look ahead by the momentum.";
inline constexpr char kUpdateSlots[] =
    "update_slots: bool = true | Whether accum takes this gradient up.";
inline constexpr char kLinearByRate[] =
    "multiply_linear_by_lr: bool = false | Whether the linear term is kept times lr.";
inline constexpr char kUpdateSlot[] = "accum_update: resource | Slot: the mean of squared updates.";
inline constexpr char kNotAFunction[] = "it updates variables in place and has no output";

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

}  // namespace thalweg::update_rule
