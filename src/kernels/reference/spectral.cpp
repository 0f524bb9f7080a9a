// Orthogonal factors: QR, eigenvalues, and least squares by them.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <algorithm>

#include "kernels/families.h"
#include "kernels/reference/matrices.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: matrices in its words
using Request = const KernelRequest&;
using Complex = std::complex<double>;

KernelPtr make_qr(Request request) {
  return make_matrix_kernel(
      request, {2, 2}, 1,
      [full = request.node.attr<bool>("full_matrices")]<class S>(KernelContext&,
                                                                 MatrixBatch<S>& m) {
        const Matrix<S> x = m.in(0);
        const Eigen::Index rank = full ? x.rows() : std::min(x.rows(), x.cols());
        if (x.size() == 0) {
          m.set(0, Matrix<S>::Identity(x.rows(), rank));
          m.set(1, Matrix<S>::Zero(rank, x.cols()));
          return;
        }
        const Eigen::HouseholderQR<Matrix<S>> qr(x);
        m.set(0, Matrix<S>(qr.householderQ() * Matrix<S>::Identity(x.rows(), rank)));
        const Matrix<S> r = qr.matrixQR().template triangularView<Eigen::Upper>();
        m.set(1, Matrix<S>(r.topRows(rank)));
      });
}

KernelPtr make_self_adjoint_eig(Request request) {
  const bool vectors = request.node.attr<bool>("compute_v");
  return make_matrix_kernel(
      request, vectors ? std::vector<int>{1, 2} : std::vector<int>{1}, 1,
      [vectors]<class S>(KernelContext&, MatrixBatch<S>& m) {
        const Matrix<S> x = m.in(0);
        if (x.size() == 0) return;
        const Eigen::SelfAdjointEigenSolver<Matrix<S>> eig(
            x, vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
        if (eig.info() != Eigen::Success)
          throw invalid_argument(
              "the eigenvalues do not converge: the matrix holds a number that is not finite");
        m.set(0, Matrix<double>(eig.eigenvalues()));
        if (vectors) m.set(1, eig.eigenvectors());
      });
}

KernelPtr make_eig(Request request) {
  const bool vectors = request.node.attr<bool>("compute_v");
  return make_matrix_kernel(
      request, vectors ? std::vector<int>{1, 2} : std::vector<int>{1}, 1,
      [vectors]<class S>(KernelContext&, MatrixBatch<S>& m) {
        const Matrix<Complex> x = m.in(0).template cast<Complex>();
        if (x.size() == 0) return;
        const Eigen::ComplexEigenSolver<Matrix<Complex>> eig(x, vectors);
        if (eig.info() != Eigen::Success)
          throw invalid_argument(
              "the eigenvalues do not converge: the matrix holds a number that is not finite");
        m.set(0, Matrix<Complex>(eig.eigenvalues()));
        if (vectors) m.set(1, eig.eigenvectors());
      });
}

template <class S>
Matrix<S> solve_positive(Matrix<S> gramian, double regularizer, const Matrix<S>& rhs) {
  gramian.diagonal().array() += S(regularizer);
  const Eigen::LLT<Matrix<S>> factor(gramian);
  if (factor.info() != Eigen::Success)
    throw invalid_argument(
        "the matrix has not full rank: give `l2_regularizer` a value above 0, or set `fast` to "
        "false");
  return factor.solve(rhs);
}

KernelPtr make_solve_ls(Request request) {
  return make_matrix_kernel(
      request, {2}, 2,
      [fast = request.node.attr<bool>("fast")]<class S>(KernelContext& context, MatrixBatch<S>& m) {
        const Matrix<S> a = m.in(0), b = m.in(1);
        const double regularizer = *context.input<double>(2);
        if (a.size() == 0 || b.size() == 0) {
          m.set(0, Matrix<S>::Zero(a.cols(), b.cols()));
        } else if (!fast) {
          m.set(0, Matrix<S>(Eigen::CompleteOrthogonalDecomposition<Matrix<S>>(a).solve(b)));
        } else if (a.rows() >= a.cols()) {
          m.set(0, solve_positive<S>(a.adjoint() * a, regularizer, a.adjoint() * b));
        } else {
          m.set(0, Matrix<S>(a.adjoint() * solve_positive<S>(a * a.adjoint(), regularizer, b)));
        }
      });
}

constexpr KernelDef kKernels[] = {
    {"MatrixSolveLs", "reference", make_solve_ls},
    {"Qr", "reference", make_qr},
    {"SelfAdjointEigV2", "reference", make_self_adjoint_eig},
    {"Eig", "reference", make_eig},
};

}  // namespace

std::span<const KernelDef> reference_spectral_kernels() { return kKernels; }

}  // namespace thalweg
