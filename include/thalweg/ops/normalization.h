// Normalisations: batch normalisation, softmax, and unit length.
#pragma once

#include <cstdint>
#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct FusedBatchNormOptions {
  float epsilon = 0.0001f;
  float exponential_avg_factor = 1.0f;  // weight of this batch in the new running mean and variance
  std::string data_format = "NHWC";     // or "NCHW"
  bool is_training = true;
  std::string name = {};
};
/// Per-channel values are `[channels]`.
struct FusedBatchNormResult {
  Output y;                // shaped as x
  Output batch_mean;       // the new running mean
  Output batch_variance;   // the new running variance, n / (n - 1) times the batch's for n values a
                           // channel; for n = 1 it is the batch's, so that it stays finite
  Output reserve_space_1;  // the mean that x was normalised by
  Output reserve_space_2;  // the variance (not corrected) that x was normalised by
  Output reserve_space_3;  // an unused scalar
};
/// `scale * (x - mean) / sqrt(variance + epsilon) + offset` for each channel of `x` `[batch,
/// height, width, channels]`. In training with the batch's own mean and variance, otherwise with
/// `mean` and `variance`, which are also the running values that the batch is averaged into.
/// TensorFlow's FusedBatchNormV3; see Ioffe and Szegedy, arXiv:1502.03167.
FusedBatchNormResult fused_batch_norm(Output x, Output scale, Output offset, Output mean,
                                      Output variance, FusedBatchNormOptions options = {});

struct FusedBatchNormGradResult {
  Output x_backprop;
  Output scale_backprop;
  Output offset_backprop;
};
/// The gradient of fused_batch_norm; the reserve spaces are its outputs 3, 4 and 5. TensorFlow's
/// FusedBatchNormGradV3.
FusedBatchNormGradResult fused_batch_norm_grad(Output y_backprop, Output x, Output scale,
                                               Output reserve_space_1, Output reserve_space_2,
                                               Output reserve_space_3,
                                               FusedBatchNormOptions options = {});

struct SoftmaxOptions {
  std::string name = {};
};
/// `exp(x) / sum(exp(x))` over the last dimension; finite for all finite logits. TensorFlow's
/// Softmax.
Output softmax(Output logits, SoftmaxOptions options = {});
/// `x - log(sum(exp(x)))` over the last dimension; finite for all finite logits. TensorFlow's
/// LogSoftmax.
Output log_softmax(Output logits, SoftmaxOptions options = {});

struct L2NormalizeOptions {
  int64_t axis = -1;
  double epsilon = 1e-12;  // lower bound of the sum of squares
  std::string name = {};
};
/// `x / sqrt(max(sum(x * x), epsilon))` along one axis; a composition. TensorFlow's
/// tf.math.l2_normalize.
Output l2_normalize(Output x, L2NormalizeOptions options = {});

struct LocalResponseOptions {
  int64_t depth_radius = 5;  // channels on either side
  float bias = 1;
  float alpha = 1;
  float beta = 0.5f;
  std::string name = {};
};
/// `x / (bias + alpha * sum of squares)^beta`, the sum over neighbouring channels of `[batch,
/// height, width, channels]`. TensorFlow's LRN.
Output local_response_normalization(Output input, LocalResponseOptions options = {});

}  // namespace thalweg
