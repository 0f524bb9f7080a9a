// The rows of FusedBatchNorm before its third version. They differ from it in their types and in
// having no third reserve; shapes, gradients and kernels are its own.
#include "ops/batch_norm.h"
#include "ops/families.h"

namespace thalweg {
namespace {

constexpr char kEpsilon[] = "epsilon: float = 0.0001 | Added to the variance under the root.";
constexpr char kFactor[] =
    "exponential_avg_factor: float = 1.0 | new running value = (1 - factor) * old + factor * the "
    "batch's.";
constexpr char kFormat[] = "data_format: {'NHWC', 'NCHW'} = 'NHWC' | Order of the dimensions of x.";
constexpr char kTraining[] =
    "is_training: bool = true | Whether x is normalised by its own mean and variance.";
constexpr char kX[] = "x: T | `[batch, height, width, channels]`, or as data_format says.";
constexpr char kNormalised[] = "x: T | What was normalised.";
constexpr char kBackprop[] = "y_backprop: T | The gradient of y.";
constexpr char kY[] = "y: T | Shaped as x.";
constexpr char kDx[] = "x_backprop: T | The gradient of x.";

constexpr OpDef kBatchNormVersionOps[] = {
    {.name = "FusedBatchNorm",
     .inputs = {kX, "scale: T | `[channels]`.", "offset: T | `[channels]`.",
                "mean: T | `[channels]`: the running mean. May be `[0]` in training.",
                "variance: T | `[channels]`: the running variance, likewise."},
     .outputs = {kY, "batch_mean: T | `[channels]`: the new running mean.",
                 "batch_variance: T | `[channels]`: the new running variance.",
                 "reserve_space_1: T | `[channels]`: the mean that x was normalised by.",
                 "reserve_space_2: T | `[channels]`: the variance that x was normalised by."},
     .attrs = {"T: {float} | Element type.", kEpsilon, kFactor, kFormat, kTraining},
     .doc = "The first version of FusedBatchNormV3.",
     .shape = batch_norm_shape,
     .gradient = batch_norm_gradient},
    {.name = "FusedBatchNormV2",
     .inputs = {kX, "scale: U | `[channels]`.", "offset: U | `[channels]`.",
                "mean: U | `[channels]`: the running mean. May be `[0]` in training.",
                "variance: U | `[channels]`: the running variance, likewise."},
     .outputs = {kY, "batch_mean: U | `[channels]`: the new running mean.",
                 "batch_variance: U | `[channels]`: the new running variance.",
                 "reserve_space_1: U | `[channels]`: the mean that x was normalised by.",
                 "reserve_space_2: U | `[channels]`: the variance that x was normalised by."},
     .attrs = {"T: {half, bfloat16, float} | Type of x.",
               "U: {float} | Type of per-channel values.", kEpsilon, kFactor, kFormat, kTraining},
     .doc = "The second version of FusedBatchNormV3.",
     .shape = batch_norm_shape,
     .gradient = batch_norm_gradient},
    {.name = "FusedBatchNormGrad",
     .inputs = {kBackprop, kNormalised, "scale: T | `[channels]`.",
                "reserve_space_1: T | `[channels]`: the mean that x was normalised by.",
                "reserve_space_2: T | `[channels]`: the variance that x was normalised by."},
     .outputs = {kDx, "scale_backprop: T | The gradient of scale.",
                 "offset_backprop: T | The gradient of offset.", "reserve_space_3: T | Empty.",
                 "reserve_space_4: T | Empty."},
     .attrs = {"T: {float} | Element type.", kEpsilon, kFormat, kTraining},
     .doc = "The gradient of FusedBatchNorm's y.",
     .shape = batch_norm_grad_shape,
     .gradient = batch_norm_grad_gradient},
    {.name = "FusedBatchNormGradV2",
     .inputs = {kBackprop, kNormalised, "scale: float | `[channels]`.",
                "reserve_space_1: U | `[channels]`: the mean that x was normalised by.",
                "reserve_space_2: U | `[channels]`: the variance that x was normalised by."},
     .outputs = {kDx, "scale_backprop: U | The gradient of scale.",
                 "offset_backprop: U | The gradient of offset.", "reserve_space_3: U | Empty.",
                 "reserve_space_4: U | Empty."},
     .attrs = {"T: {half, bfloat16, float} | Type of x.",
               "U: {float} | Type of per-channel values.", kEpsilon, kFormat, kTraining},
     .doc = "The gradient of FusedBatchNormV2's y.",
     .shape = batch_norm_grad_shape,
     .gradient = batch_norm_grad_gradient},
};

}  // namespace

std::span<const OpDef> batch_norm_version_ops() { return kBatchNormVersionOps; }

}  // namespace thalweg
