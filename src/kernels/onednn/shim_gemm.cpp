#include <algorithm>

#include "kernels/onednn/gemm.h"
#include "kernels/onednn/shim_dnnl.h"

namespace thalweg::onednn {

void gemm(int64_t m, int64_t n, int64_t k, GemmOperand a, GemmOperand b, bool accumulate, float* c,
          int64_t stride) {
  if (m == 0 || n == 0) return;
  if (k == 0) {
    for (int64_t i = 0; !accumulate && i < m; ++i) std::fill_n(c + i * stride, n, 0.0f);
    return;
  }
  const dnnl_status_t status =
      dnnl_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n, k, 1.0f, a.data,
                 a.stride, b.data, b.stride, accumulate ? 1.0f : 0.0f, c, stride);
  if (status != dnnl_success) fail(status, "sgemm");
}

}  // namespace thalweg::onednn
