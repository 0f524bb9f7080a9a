// Shape functions of the rows of quantized numbers: what the op does to its tensors as without
// quantization, and that the ends of ranges are scalars.
#pragma once

#include "thalweg/graph/shape_context.h"

namespace thalweg {

/// Of one tensor and its range, and of a tensor and the range that is asked for.
void quantized_unary_shape(ShapeContext& c);
/// Of two tensors that are broadcast.
void quantized_binary_shape(ShapeContext& c);
/// A range alone.
void quantized_range_shape(ShapeContext& c);
/// `[batch, height, width, channels]` with a range for each channel.
void quantized_channels_shape(ShapeContext& c);
void quantized_channel_range_shape(ShapeContext& c);

void quantized_bias_shape(ShapeContext& c);
void quantized_matmul_shape(ShapeContext& c);
void quantized_conv2d_shape(ShapeContext& c);
void quantized_pool_shape(ShapeContext& c);
void quantized_reshape_shape(ShapeContext& c);
void quantized_concat_shape(ShapeContext& c);

}  // namespace thalweg
