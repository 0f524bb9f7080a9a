#include "thalweg/ops/standard_ops.h"

#include "ops/families.h"
#include "ops/trees.h"

namespace thalweg {

const OpRegistry& standard_ops() {
  static const OpRegistry registry = [] {
    OpRegistry ops;
    for (auto family : {unary_ops,
                        activation_ops,
                        binary_ops,
                        logic_ops,
                        reduction_ops,
                        scan_ops,
                        complex_ops,
                        fft_ops,
                        fractional_pooling_ops,
                        decomposition_ops,
                        quantization_ops,
                        quantized_ops,
                        rnn_ops,
                        stateless_random_ops,
                        distributions_ops,
                        ctc_ops,
                        candidate_sampling_ops,
                        linalg_ops,
                        convolution_ops,
                        pooling_ops,
                        normalization_ops,
                        loss_ops,
                        array_ops,
                        audio_ops,
                        movement_ops,
                        padding_ops,
                        slicing_ops,
                        indexing_ops,
                        random_ops,
                        state_ops,
                        training_ops,
                        control_ops,
                        legacy_ops,
                        passing_ops,
                        arithmetic_ops,
                        rearrange_ops,
                        counting_ops,
                        string_ops,
                        unicode_ops,
                        special_ops,
                        bitwise_ops,
                        resize_ops,
                        crop_ops,
                        space_ops,
                        patch_ops,
                        convolution3d_ops,
                        pooling3d_ops,
                        pooling_variant_ops,
                        local_response_ops,
                        batch_norm_version_ops,
                        dilation_ops,
                        colour_ops,
                        suppression_ops,
                        image_codec_ops,
                        table_ops,
                        queue_ops,
                        segments_ops,
                        sparse_segments_ops,
                        sparse_serialization_ops,
                        partition_ops,
                        training_sparse_ops,
                        scatter_ops,
                        parsing_ops,
                        sequence_ops,
                        decoding_ops,
                        outside_ops,
                        summary_ops,
                        diagonal_ops,
                        sparse_ops,
                        sparse_math_ops,
                        sparse_cross_ops,
                        ragged_ops,
                        fused_ops,
                        tree_ops,
                        function_ops,
                        tensor_list_ops}) {
      ops.add(family());
    }
    return ops;
  }();
  return registry;
}

}  // namespace thalweg
