// The families of op rows, one source file each; standard_ops() is their union.
#pragma once

#include <span>

#include "thalweg/graph/op_def.h"

namespace thalweg {

std::span<const OpDef> unary_ops();
std::span<const OpDef> activation_ops();
std::span<const OpDef> binary_ops();
std::span<const OpDef> logic_ops();
std::span<const OpDef> reduction_ops();
std::span<const OpDef> scan_ops();
std::span<const OpDef> complex_ops();
std::span<const OpDef> fft_ops();
std::span<const OpDef> fractional_pooling_ops();
std::span<const OpDef> decomposition_ops();
std::span<const OpDef> quantization_ops();
std::span<const OpDef> quantized_ops();
std::span<const OpDef> rnn_ops();
std::span<const OpDef> stateless_random_ops();
std::span<const OpDef> distributions_ops();
std::span<const OpDef> ctc_ops();
std::span<const OpDef> candidate_sampling_ops();
std::span<const OpDef> linalg_ops();
std::span<const OpDef> convolution_ops();
std::span<const OpDef> pooling_ops();
std::span<const OpDef> normalization_ops();
std::span<const OpDef> loss_ops();
std::span<const OpDef> array_ops();
std::span<const OpDef> audio_ops();
std::span<const OpDef> movement_ops();
std::span<const OpDef> padding_ops();
std::span<const OpDef> slicing_ops();
std::span<const OpDef> indexing_ops();
std::span<const OpDef> random_ops();
std::span<const OpDef> state_ops();
std::span<const OpDef> training_ops();
std::span<const OpDef> control_ops();
std::span<const OpDef> legacy_ops();
std::span<const OpDef> passing_ops();
std::span<const OpDef> arithmetic_ops();
std::span<const OpDef> rearrange_ops();
std::span<const OpDef> counting_ops();
std::span<const OpDef> string_ops();
std::span<const OpDef> unicode_ops();
std::span<const OpDef> special_ops();
std::span<const OpDef> bitwise_ops();
std::span<const OpDef> resize_ops();
std::span<const OpDef> crop_ops();
std::span<const OpDef> space_ops();
std::span<const OpDef> patch_ops();
std::span<const OpDef> convolution3d_ops();
std::span<const OpDef> pooling3d_ops();
std::span<const OpDef> pooling_variant_ops();
std::span<const OpDef> local_response_ops();
std::span<const OpDef> batch_norm_version_ops();
std::span<const OpDef> dilation_ops();
std::span<const OpDef> colour_ops();
std::span<const OpDef> suppression_ops();
std::span<const OpDef> table_ops();
std::span<const OpDef> queue_ops();
std::span<const OpDef> function_ops();
std::span<const OpDef> parsing_ops();
std::span<const OpDef> decoding_ops();
std::span<const OpDef> outside_ops();
std::span<const OpDef> summary_ops();
std::span<const OpDef> image_codec_ops();
std::span<const OpDef> segments_ops();
std::span<const OpDef> sparse_segments_ops();
std::span<const OpDef> sparse_serialization_ops();
std::span<const OpDef> partition_ops();
std::span<const OpDef> training_sparse_ops();
std::span<const OpDef> scatter_ops();
std::span<const OpDef> sequence_ops();
std::span<const OpDef> diagonal_ops();
std::span<const OpDef> sparse_ops();
std::span<const OpDef> sparse_math_ops();
std::span<const OpDef> sparse_cross_ops();
std::span<const OpDef> ragged_ops();
std::span<const OpDef> fused_ops();
std::span<const OpDef> tensor_list_ops();

}  // namespace thalweg
