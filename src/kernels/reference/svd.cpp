// Singular values, by Jacobi's method: slow for large matrices, and exact.
#include <Eigen/SVD>
#include <algorithm>
#include <limits>

#include "kernels/families.h"
#include "kernels/reference/matrices.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: matrices in its words
using Request = const KernelRequest&;

KernelPtr make_svd(Request request) {
  const bool vectors = request.node.attr<bool>("compute_uv");
  return make_matrix_kernel(request, vectors ? std::vector<int>{1, 2, 2} : std::vector<int>{1}, 1,
                            [vectors, full = request.node.attr<bool>("full_matrices")]<class S>(
                                KernelContext&, MatrixBatch<S>& m) {
                              const Matrix<S> x = m.in(0);
                              const Eigen::Index rank = std::min(x.rows(), x.cols());
                              if (x.size() == 0) {
                                if (!vectors) return;
                                m.set(1, Matrix<S>::Identity(x.rows(), full ? x.rows() : rank));
                                m.set(2, Matrix<S>::Identity(x.cols(), full ? x.cols() : rank));
                                return;
                              }
                              if (!x.allFinite()) {
                                // Jacobi's method would end with zeros.
                                const double nan = std::numeric_limits<double>::quiet_NaN();
                                m.set(0, Matrix<double>::Constant(rank, 1, nan));
                                if (!vectors) return;
                                const Eigen::Index u = full ? x.rows() : rank;
                                const Eigen::Index v = full ? x.cols() : rank;
                                m.set(1, Matrix<S>::Constant(x.rows(), u, S(nan)));
                                m.set(2, Matrix<S>::Constant(x.cols(), v, S(nan)));
                                return;
                              }
                              unsigned wanted = 0;
                              if (vectors) {
                                wanted = full ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                              : Eigen::ComputeThinU | Eigen::ComputeThinV;
                              }
                              const Eigen::JacobiSVD<Matrix<S>> svd(x, wanted);
                              m.set(0, Matrix<double>(svd.singularValues()));
                              if (!vectors) return;
                              m.set(1, svd.matrixU());
                              m.set(2, svd.matrixV());
                            });
}

constexpr KernelDef kKernels[] = {
    {"Svd", "reference", make_svd},
};

}  // namespace

std::span<const KernelDef> reference_svd_kernels() { return kKernels; }

}  // namespace thalweg
