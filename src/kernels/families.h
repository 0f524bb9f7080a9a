// The families of kernels, one source file each; the registries are built from them.
#pragma once

#include <span>

#include "thalweg/kernels/kernel.h"

namespace thalweg {

// Plain loops: the oracle of everything else.
std::span<const KernelDef> reference_unary_kernels();
std::span<const KernelDef> reference_activation_kernels();
std::span<const KernelDef> reference_binary_kernels();
std::span<const KernelDef> reference_logic_kernels();
std::span<const KernelDef> reference_reduction_kernels();
std::span<const KernelDef> reference_scan_kernels();
std::span<const KernelDef> reference_complex_kernels();
std::span<const KernelDef> reference_fft_kernels();
std::span<const KernelDef> reference_fractional_pooling_kernels();
std::span<const KernelDef> reference_decomposition_kernels();
std::span<const KernelDef> reference_spectral_kernels();
std::span<const KernelDef> reference_svd_kernels();
std::span<const KernelDef> reference_quantization_kernels();
std::span<const KernelDef> reference_quantized_kernels();
std::span<const KernelDef> reference_fake_quantization_kernels();
std::span<const KernelDef> reference_lstm_kernels();
std::span<const KernelDef> reference_gru_kernels();
std::span<const KernelDef> reference_distributions_kernels();
std::span<const KernelDef> reference_ctc_loss_kernels();
std::span<const KernelDef> reference_ctc_decoder_kernels();
std::span<const KernelDef> reference_candidate_sampling_kernels();
std::span<const KernelDef> reference_linalg_kernels();
std::span<const KernelDef> reference_convolution_kernels();
std::span<const KernelDef> reference_pooling_kernels();
std::span<const KernelDef> reference_normalization_kernels();
std::span<const KernelDef> reference_loss_kernels();
std::span<const KernelDef> reference_array_kernels();
std::span<const KernelDef> reference_audio_kernels();
std::span<const KernelDef> reference_movement_kernels();
std::span<const KernelDef> reference_padding_kernels();
std::span<const KernelDef> reference_slicing_kernels();
std::span<const KernelDef> reference_indexing_kernels();
std::span<const KernelDef> reference_selection_kernels();
std::span<const KernelDef> reference_random_kernels();
std::span<const KernelDef> reference_state_kernels();
std::span<const KernelDef> reference_training_kernels();
std::span<const KernelDef> reference_control_kernels();
std::span<const KernelDef> reference_legacy_kernels();
std::span<const KernelDef> reference_passing_kernels();
std::span<const KernelDef> reference_arithmetic_kernels();
std::span<const KernelDef> reference_rearrange_kernels();
std::span<const KernelDef> reference_counting_kernels();
std::span<const KernelDef> reference_string_kernels();
std::span<const KernelDef> reference_string_join_kernels();
std::span<const KernelDef> reference_string_split_kernels();
std::span<const KernelDef> reference_string_number_kernels();
std::span<const KernelDef> reference_string_regex_kernels();
std::span<const KernelDef> reference_string_hash_kernels();
std::span<const KernelDef> reference_unicode_kernels();
std::span<const KernelDef> reference_special_kernels();
std::span<const KernelDef> reference_bitwise_kernels();
std::span<const KernelDef> reference_resize_kernels();
std::span<const KernelDef> reference_crop_kernels();
std::span<const KernelDef> reference_space_kernels();
std::span<const KernelDef> reference_patch_kernels();
std::span<const KernelDef> reference_convolution3d_kernels();
std::span<const KernelDef> reference_pooling3d_kernels();
std::span<const KernelDef> reference_pooling_variant_kernels();
std::span<const KernelDef> reference_local_response_kernels();
std::span<const KernelDef> reference_dilation_kernels();
std::span<const KernelDef> reference_colour_kernels();
std::span<const KernelDef> reference_suppression_kernels();
std::span<const KernelDef> reference_table_kernels();
std::span<const KernelDef> reference_queue_kernels();
std::span<const KernelDef> reference_function_kernels();
std::span<const KernelDef> reference_parse_example_kernels();
std::span<const KernelDef> reference_decoding_kernels();
std::span<const KernelDef> reference_outside_kernels();
std::span<const KernelDef> reference_summary_kernels();
std::span<const KernelDef> reference_image_codec_kernels();
std::span<const KernelDef> reference_segments_kernels();
std::span<const KernelDef> reference_sparse_segments_kernels();
std::span<const KernelDef> reference_sparse_serialization_kernels();
std::span<const KernelDef> reference_partition_kernels();
std::span<const KernelDef> reference_scatter_kernels();
std::span<const KernelDef> reference_parse_sequence_kernels();
std::span<const KernelDef> reference_diagonal_kernels();
std::span<const KernelDef> reference_sparse_kernels();
std::span<const KernelDef> reference_sparse_math_kernels();
std::span<const KernelDef> reference_sparse_cross_kernels();
std::span<const KernelDef> reference_ragged_kernels();
std::span<const KernelDef> reference_fused_kernels();
std::span<const KernelDef> reference_tensor_list_kernels();

// In oneDNN's layouts, on oneDNN's primitives for the most part.
std::span<const KernelDef> onednn_matmul_kernels();
std::span<const KernelDef> onednn_convolution_kernels();
std::span<const KernelDef> onednn_convolution3d_kernels();
std::span<const KernelDef> onednn_pooling_kernels();
std::span<const KernelDef> onednn_batch_norm_kernels();
std::span<const KernelDef> onednn_bias_kernels();
std::span<const KernelDef> onednn_lstm_kernels();

// On our own SIMD functions.
std::span<const KernelDef> cpu_bias_kernels();
std::span<const KernelDef> cpu_elementwise_kernels();
std::span<const KernelDef> cpu_fused_kernels();
std::span<const KernelDef> cpu_reduction_kernels();
std::span<const KernelDef> cpu_row_kernels();
std::span<const KernelDef> cpu_transpose_kernels();
std::span<const KernelDef> cpu_update_kernels();

/// A function that returns one family.
using KernelFamily = std::span<const KernelDef> (*)();
/// The fast families, best first: oneDNN, then our own SIMD kernels.
std::span<const KernelFamily> fast_kernel_families();

}  // namespace thalweg
