// Builders: from layouts to prepared oneDNN primitives.
//
// Every operand is either a fixed layout or Desc::any(dims); Primitive::desc(Arg) then tells what
// was chosen. Forward and backward of one operation share one struct: in a backward builder the
// fields `src`, `weights`, `bias` and `dst` describe the gradients where the primitive has
// gradients in those roles. All builders return nothing when oneDNN has no implementation but its
// reference loops, and throw invalid_argument when the shapes do not fit together. Thread-safe.
//
// There is no builder for a lone element-wise function, softmax, or reduction, on purpose: oneDNN's
// are slow or wrong (eltwise with post-ops on one dimension reports success and writes nothing).
#pragma once

#include <optional>

#include "kernels/onednn/shim.h"

namespace thalweg::onednn {

/// Element-wise function applied to a result before it is stored. Beware of special values: relu
/// and relu6 turn NaN into 0, the others keep it; both gelus and swish give NaN for -infinity.
enum class Activation : std::uint8_t {
  none,
  relu,
  leaky_relu,
  relu6,
  elu,
  tanh,
  sigmoid,
  gelu_tanh,
  gelu_erf,
  swish
};

/// What happens to a result r before it is stored: dst = activation(r + sum_scale * old dst).
struct Epilogue {
  float sum_scale = 0.0f;  ///< 0: the old dst is not read
  Activation activation = Activation::none;
  float alpha = 1.0f;  ///< leaky_relu: slope below zero; elu: scale; swish: factor in the sigmoid
};

/// Copies between layouts and element types of equal dimensions. Arguments: src, dst.
std::optional<Primitive> reorder(const Desc& from, const Desc& to);

/// dst[..., m, n] = epilogue(src[..., m, k] weights[..., k, n] + bias[..., 1, n]); batch dimensions
/// of size 1 broadcast. A transposed operand is one with swapped strides (Desc::permute).
struct MatMul {
  Desc src, weights, bias, dst;
  Epilogue epilogue;
};
/// Arguments: src, weights, [bias], dst.
std::optional<Primitive> matmul(const MatMul& op);

/// dst[n, o] = epilogue(src[n, i...] weights[o, i...] + bias[o]). `src` and `weights` may have
/// equal spatial dimensions behind the channel (a flattened image).
struct InnerProduct {
  Desc src, weights, bias, dst;
  Epilogue epilogue;     ///< forward only
  bool training = true;  ///< false lets forward choose for itself alone
};
/// Arguments: src, weights, [bias], dst.
std::optional<Primitive> inner_product_forward(const InnerProduct& op);
/// Arguments: diff_dst, weights, diff_src. `bias` and `epilogue` are ignored.
std::optional<Primitive> inner_product_backward_data(const InnerProduct& op);
/// Arguments: src, diff_dst, diff_weights, [diff_bias].
std::optional<Primitive> inner_product_backward_weights(const InnerProduct& op);

/// Convolution over 1 to 3 spatial dimensions: src [n, c, ...], weights [o, i, ...] or grouped
/// [g, o/g, i/g, ...], bias [o], dst [n, o, ...]. Empty vectors mean strides 1, dilations 1 (dense,
/// TensorFlow's counting) and no padding.
struct Convolution {
  Desc src, weights, bias, dst;
  Dims strides = {}, dilations = {}, pads_before = {}, pads_after = {};
  bool winograd = false;  ///< 3x3 with stride 1 only; nothing is returned when it does not apply
  Epilogue epilogue;      ///< forward only
  bool training = true;
};
/// Arguments: src, weights, [bias], dst.
std::optional<Primitive> convolution_forward(const Convolution& op);
/// Arguments: diff_dst, weights, diff_src. `bias` and `epilogue` are ignored.
std::optional<Primitive> convolution_backward_data(const Convolution& op);
/// Arguments: src, diff_dst, diff_weights, [diff_bias].
std::optional<Primitive> convolution_backward_weights(const Convolution& op);

enum class PoolingKind : std::uint8_t { max, average_with_padding, average_without_padding };

/// Pooling over 1 to 3 spatial dimensions, src [n, c, ...] (fixed layout), dst [n, c, ...].
/// Among equal maxima the first in row order wins and gets the whole gradient. NaN never wins a
/// maximum, and a window of nothing but NaN or -infinity gives the lowest finite number.
struct Pooling {
  PoolingKind kind = PoolingKind::max;
  Desc src, dst;
  Dims kernel, strides = {}, pads_before = {}, pads_after = {};
};
/// Arguments: src, dst, and for max pooling in training: workspace, the place of each maximum.
std::optional<Primitive> pooling_forward(const Pooling& op, bool training);
/// Arguments: diff_dst, [workspace], diff_src. The workspace is that of the forward primitive made
/// from the same Pooling; compare the two descs.
std::optional<Primitive> pooling_backward(const Pooling& op);

/// Batch normalization of data [n, c, ...] in one fixed layout, f32 scale and shift [c].
/// y = scale (x - mean) / sqrt(variance + epsilon) + shift; variance is the biased one (divides by
/// the count). `relu` fuses max(y, 0), which in training needs a workspace.
struct BatchNorm {
  Desc data;
  float epsilon = 1e-3f;
  bool relu = false;
  bool fixed_statistics = false;  ///< backward only: mean and variance are constants
};
/// Arguments: src, scale, shift, dst, mean, variance, [workspace]; the last three are outputs.
std::optional<Primitive> batch_norm_training(const BatchNorm& op);
/// Arguments: src, mean, variance, scale, shift, dst.
std::optional<Primitive> batch_norm_inference(const BatchNorm& op);
/// Arguments: src, diff_dst, mean, variance, scale, [workspace], diff_src, diff_scale, diff_shift.
std::optional<Primitive> batch_norm_backward(const BatchNorm& op);

}  // namespace thalweg::onednn
