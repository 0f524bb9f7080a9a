// The one place that knows which fast kernels exist. Empty it, and every test still passes, slower.
#include <array>

#include "kernels/cpu/row_sum_kernels.h"
#include "kernels/families.h"
#include "kernels/trees.h"

namespace thalweg {

std::span<const KernelFamily> fast_kernel_families() {
  static constexpr std::array<KernelFamily, 17> kFamilies = {
      onednn_matmul_kernels,   onednn_convolution_kernels, onednn_convolution3d_kernels,
      onednn_pooling_kernels,  onednn_batch_norm_kernels,  onednn_bias_kernels,
      cpu_elementwise_kernels, cpu_fused_kernels,          cpu_reduction_kernels,
      cpu_row_kernels,         cpu_update_kernels,         onednn_lstm_kernels,
      cpu_transpose_kernels,   cpu_bias_kernels,           cpu_row_sum_kernels,
      cpu_row_update_kernels,  cpu_tree_kernels,
  };
  return kFamilies;
}

}  // namespace thalweg
