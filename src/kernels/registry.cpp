#include "thalweg/kernels/kernel_registry.h"

#include "kernels/families.h"
#include "kernels/trees.h"

namespace thalweg {
namespace {

std::string describe(const KernelRequest& request) {
  std::vector<std::string> inputs;
  for (const TensorSpec& input : request.inputs) inputs.push_back(str(input.dtype, input.shape));
  return join(inputs, ", ");
}

void add_reference(KernelRegistry& kernels) {
  for (auto family : {reference_unary_kernels,
                      reference_activation_kernels,
                      reference_binary_kernels,
                      reference_logic_kernels,
                      reference_reduction_kernels,
                      reference_scan_kernels,
                      reference_complex_kernels,
                      reference_fft_kernels,
                      reference_fractional_pooling_kernels,
                      reference_decomposition_kernels,
                      reference_spectral_kernels,
                      reference_svd_kernels,
                      reference_quantization_kernels,
                      reference_quantized_kernels,
                      reference_fake_quantization_kernels,
                      reference_lstm_kernels,
                      reference_gru_kernels,
                      reference_distributions_kernels,
                      reference_ctc_loss_kernels,
                      reference_ctc_decoder_kernels,
                      reference_candidate_sampling_kernels,
                      reference_linalg_kernels,
                      reference_convolution_kernels,
                      reference_pooling_kernels,
                      reference_normalization_kernels,
                      reference_loss_kernels,
                      reference_array_kernels,
                      reference_audio_kernels,
                      reference_movement_kernels,
                      reference_padding_kernels,
                      reference_slicing_kernels,
                      reference_indexing_kernels,
                      reference_selection_kernels,
                      reference_random_kernels,
                      reference_state_kernels,
                      reference_training_kernels,
                      reference_control_kernels,
                      reference_legacy_kernels,
                      reference_passing_kernels,
                      reference_arithmetic_kernels,
                      reference_rearrange_kernels,
                      reference_counting_kernels,
                      reference_string_kernels,
                      reference_string_join_kernels,
                      reference_string_split_kernels,
                      reference_string_number_kernels,
                      reference_string_regex_kernels,
                      reference_string_hash_kernels,
                      reference_unicode_kernels,
                      reference_special_kernels,
                      reference_bitwise_kernels,
                      reference_resize_kernels,
                      reference_crop_kernels,
                      reference_space_kernels,
                      reference_patch_kernels,
                      reference_convolution3d_kernels,
                      reference_pooling3d_kernels,
                      reference_pooling_variant_kernels,
                      reference_local_response_kernels,
                      reference_dilation_kernels,
                      reference_colour_kernels,
                      reference_suppression_kernels,
                      reference_image_codec_kernels,
                      reference_table_kernels,
                      reference_queue_kernels,
                      reference_segments_kernels,
                      reference_sparse_segments_kernels,
                      reference_sparse_serialization_kernels,
                      reference_partition_kernels,
                      reference_scatter_kernels,
                      reference_parse_example_kernels,
                      reference_parse_sequence_kernels,
                      reference_decoding_kernels,
                      reference_outside_kernels,
                      reference_summary_kernels,
                      reference_diagonal_kernels,
                      reference_sparse_kernels,
                      reference_sparse_math_kernels,
                      reference_sparse_cross_kernels,
                      reference_ragged_kernels,
                      reference_fused_kernels,
                      reference_tree_kernels,
                      reference_function_kernels,
                      reference_tensor_list_kernels}) {
    kernels.add(family());
  }
}

}  // namespace

void KernelRegistry::add(std::span<const KernelDef> kernels) {
  for (const KernelDef& kernel : kernels) kernels_[std::string(kernel.op)].push_back(kernel);
}

void KernelRegistry::add_first(std::span<const KernelDef> kernels) {
  for (const KernelDef& kernel : kernels) {
    std::vector<KernelDef>& list = kernels_[std::string(kernel.op)];
    list.insert(list.begin(), kernel);
  }
}

std::span<const KernelDef> KernelRegistry::find(std::string_view op) const {
  const auto it = kernels_.find(op);
  return it == kernels_.end() ? std::span<const KernelDef>()
                              : std::span<const KernelDef>(it->second);
}

KernelPtr KernelRegistry::make(const KernelRequest& request, std::string* provider) const {
  for (const KernelDef& def : find(request.node.type())) {
    if (KernelPtr kernel = def.make(request)) {
      if (provider != nullptr) *provider = def.provider;
      return kernel;
    }
  }
  throw unimplemented(request.node, ": no kernel of op ", request.node.type(), " accepts inputs (",
                      describe(request),
                      find(request.node.type()).empty()
                          ? "); the op has none registered; add one with "
                            "KernelRegistry::add"
                          : "); cast to a type that `thalweg ops` lists");
}

KernelRegistry KernelRegistry::only(std::string_view provider) const {
  KernelRegistry result;
  for (const auto& [op, kernels] : kernels_) {
    for (const KernelDef& kernel : kernels) {
      if (kernel.provider == provider) result.kernels_[op].push_back(kernel);
    }
  }
  return result;
}

const KernelRegistry& reference_kernels() {
  static const KernelRegistry registry = [] {
    KernelRegistry kernels;
    add_reference(kernels);
    return kernels;
  }();
  return registry;
}

const KernelRegistry& standard_kernels() {
  static const KernelRegistry registry = [] {
    KernelRegistry kernels;
    for (auto family : fast_kernel_families()) kernels.add(family());
    add_reference(kernels);
    return kernels;
  }();
  return registry;
}

}  // namespace thalweg
