// Factors and solutions by elimination: Cholesky, LU and triangular matrices.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/matrices.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: matrices in its words
using Request = const KernelRequest&;

template <class S>
Eigen::PartialPivLU<Matrix<S>> invertible(const Matrix<S>& matrix) {
  Eigen::PartialPivLU<Matrix<S>> lu(matrix);
  if (matrix.rows() > 0 && !(lu.matrixLU().diagonal().cwiseAbs().minCoeff() > 0))
    throw invalid_argument("the input matrix is not invertible");
  return lu;
}

KernelPtr make_cholesky(Request request) {
  return make_matrix_kernel(request, {2}, 1, []<class S>(KernelContext&, MatrixBatch<S>& m) {
    const Matrix<S> x = m.in(0);
    if (x.size() == 0) return;
    const Eigen::LLT<Matrix<S>, Eigen::Lower> factor(x);
    if (factor.info() != Eigen::Success)
      throw invalid_argument(
          "Cholesky decomposition was not successful: the matrix is not positive definite");
    m.set(0, Matrix<S>(factor.matrixL()));
  });
}

// The adjoint of the factorization: from the gradient of l that of x, as CholeskyGrad defines it
// (Murray 2016, "Differentiation of the Cholesky decomposition", equation 8), symmetric.
KernelPtr make_cholesky_grad(Request request) {
  return make_matrix_kernel(request, {2}, 2, []<class S>(KernelContext&, MatrixBatch<S>& m) {
    const Matrix<S> grad = m.in(1).template triangularView<Eigen::Lower>();
    const Matrix<S> l = m.in(0).template triangularView<Eigen::Lower>();
    Matrix<S> middle = (l.adjoint() * grad).template triangularView<Eigen::Lower>();
    middle.diagonal() *= S(0.5);
    const auto solver = l.adjoint().template triangularView<Eigen::Upper>();
    const Matrix<S> left = solver.solve(middle);
    const Matrix<S> x = solver.solve(Matrix<S>(left.adjoint())).adjoint();
    m.set(0, Matrix<S>((x + x.adjoint()) * S(0.5)));
  });
}

KernelPtr make_inverse(Request request) {
  return make_matrix_kernel(
      request, {2}, 1,
      [adjoint = request.node.attr<bool>("adjoint")]<class S>(KernelContext&, MatrixBatch<S>& m) {
        Matrix<S> x = m.in(0);
        if (x.size() == 0) return;
        if (adjoint) x = x.adjoint().eval();
        m.set(0, Matrix<S>(invertible(x).inverse()));
      });
}

KernelPtr make_determinant(Request request) {
  return make_matrix_kernel(request, {0}, 1, []<class S>(KernelContext&, MatrixBatch<S>& m) {
    const Matrix<S> x = m.in(0);
    m.set_scalar(0, x.size() == 0 ? S(1) : Eigen::PartialPivLU<Matrix<S>>(x).determinant());
  });
}

KernelPtr make_log_determinant(Request request) {
  return make_matrix_kernel(request, {0, 0}, 1, []<class S>(KernelContext&, MatrixBatch<S>& m) {
    const Matrix<S> x = m.in(0);
    S sign = 1;
    double log_abs = 0;
    if (x.size() > 0) {
      const Eigen::PartialPivLU<Matrix<S>> lu(x);
      sign = S(lu.permutationP().determinant());
      for (Eigen::Index i = 0; i < x.rows(); ++i) {
        const S pivot = lu.matrixLU()(i, i);
        const double size = std::abs(pivot);
        sign = size > 0 ? sign * (pivot / size) : S(0);
        log_abs += std::log(size);
      }
    }
    m.set_scalar(0, sign);
    m.set_scalar(1, S(log_abs));
  });
}

KernelPtr make_solve(Request request) {
  return make_matrix_kernel(
      request, {2}, 2,
      [adjoint = request.node.attr<bool>("adjoint")]<class S>(KernelContext&, MatrixBatch<S>& m) {
        Matrix<S> a = m.in(0);
        const Matrix<S> b = m.in(1);
        if (b.size() == 0) return;
        if (adjoint) a = a.adjoint().eval();
        m.set(0, Matrix<S>(invertible(a).solve(b)));
      });
}

KernelPtr make_triangular_solve(Request request) {
  return make_matrix_kernel(
      request, {2}, 2,
      [lower = request.node.attr<bool>("lower"),
       adjoint = request.node.attr<bool>("adjoint")]<class S>(KernelContext&, MatrixBatch<S>& m) {
        Matrix<S> a = m.in(0);
        const Matrix<S> b = m.in(1);
        if (b.size() == 0) return;
        if (!(a.diagonal().cwiseAbs().minCoeff() > 0))
          throw invalid_argument("the input matrix is not invertible: its diagonal holds a zero");
        if (adjoint) a = a.adjoint().eval();
        if (lower != adjoint) {
          m.set(0, Matrix<S>(a.template triangularView<Eigen::Lower>().solve(b)));
        } else {
          m.set(0, Matrix<S>(a.template triangularView<Eigen::Upper>().solve(b)));
        }
      });
}

KernelPtr make_lu(Request request) {
  return make_matrix_kernel(request, {2, 1}, 1, []<class S>(KernelContext&, MatrixBatch<S>& m) {
    const Matrix<S> x = m.in(0);
    if (x.size() == 0) return;
    const Eigen::PartialPivLU<Matrix<S>> lu = invertible(x);
    m.set(0, lu.matrixLU());
    // Eigen's P takes row i of x to row indices[i].
    const auto& indices = lu.permutationP().indices();
    Matrix<int64_t> rows(x.rows(), 1);
    for (Eigen::Index i = 0; i < x.rows(); ++i) rows(indices(i), 0) = i;
    m.set(1, rows);
  });
}

constexpr KernelDef kKernels[] = {
    {"Cholesky", "reference", make_cholesky},
    {"CholeskyGrad", "reference", make_cholesky_grad},
    {"MatrixInverse", "reference", make_inverse},
    {"MatrixDeterminant", "reference", make_determinant},
    {"LogMatrixDeterminant", "reference", make_log_determinant},
    {"MatrixSolve", "reference", make_solve},
    {"MatrixTriangularSolve", "reference", make_triangular_solve},
    {"Lu", "reference", make_lu},
};

}  // namespace

std::span<const KernelDef> reference_decomposition_kernels() { return kKernels; }

}  // namespace thalweg
