// Factors, inverses and solutions of the matrices that the last two dimensions of a tensor hold.
//
// Each function adds one node of the TensorFlow op that its comment names, for float32, float64,
// complex64 and complex128. Leading dimensions are batches; matrices may be empty. A matrix that
// has no inverse (or no Cholesky factor) is an invalid_argument when the graph runs.
#pragma once

#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct DecompositionOptions {
  std::string name = {};
};

/// Lower triangular l with l l^H = x, for a positive definite x of which only the lower triangle is
/// read. Cholesky
Output cholesky(Output x, const DecompositionOptions& options = {});

struct AdjointOptions {
  bool adjoint = false;  ///< use the adjoint (conjugate transpose) of the matrix instead
  std::string name = {};
};
/// `[..., n, n]`. MatrixInverse
Output matrix_inverse(Output x, const AdjointOptions& options = {});
/// `[..., n, n]` to `[...]`. MatrixDeterminant
Output matrix_determinant(Output x, const DecompositionOptions& options = {});
struct LogDeterminant {
  Output sign;  // of absolute value 1, or 0 for a singular matrix
  Output log_abs_determinant;
};
/// The determinant is sign * exp(log_abs_determinant). LogMatrixDeterminant
LogDeterminant log_matrix_determinant(Output x, const DecompositionOptions& options = {});

/// X with matrix X = rhs; `[..., n, n]` and `[..., n, k]`. MatrixSolve
Output matrix_solve(Output matrix, Output rhs, const AdjointOptions& options = {});
struct TriangularSolveOptions {
  bool lower = true;     ///< which triangle of the matrix is read
  bool adjoint = false;  ///< solve with its adjoint instead
  std::string name = {};
};
/// The same for a triangular matrix; batches are broadcast. MatrixTriangularSolve
Output matrix_triangular_solve(Output matrix, Output rhs,
                               const TriangularSolveOptions& options = {});
struct LeastSquaresOptions {
  double l2_regularizer = 0;  ///< weight of |X|^2
  bool fast = true;  ///< by the normal equations; otherwise by a complete orthogonal decomposition,
                     ///< which ignores the regularizer and takes any rank
  std::string name = {};
};
/// X that minimises |matrix X - rhs|^2 + l2_regularizer |X|^2; `[..., m, n]` and `[..., m, k]` to
/// `[..., n, k]`. MatrixSolveLs
Output matrix_solve_ls(Output matrix, Output rhs, const LeastSquaresOptions& options = {});

struct FullMatricesOptions {
  bool full_matrices = false;  ///< complete q, u and v to square matrices
  std::string name = {};
};
struct QrFactors {
  Output q;  // orthonormal columns
  Output r;  // upper triangular
};
/// q r = x. Qr
QrFactors qr(Output x, const FullMatricesOptions& options = {});
struct SvdFactors {
  Output s;  // singular values, falling
  Output u;
  Output v;
};
/// u diag(s) v^H = x. Svd
SvdFactors svd(Output x, const FullMatricesOptions& options = {});
/// The singular values alone, `[..., min(m, n)]`. Svd
Output singular_values(Output x, const DecompositionOptions& options = {});
struct EigenDecomposition {
  Output values;   // of self_adjoint_eig: rising
  Output vectors;  // in columns
};
/// Of a Hermitian x of which only the lower triangle is read. SelfAdjointEigV2
EigenDecomposition self_adjoint_eig(Output x, const DecompositionOptions& options = {});
/// Of any square x; complex. Eig
EigenDecomposition eig(Output x, const DecompositionOptions& options = {});
struct LuFactors {
  Output lu;  // the unit lower triangle below the diagonal, the upper one on and above it
  Output p;   // row i of the product is row p[i] of x
};
/// Partial pivoting. Lu
LuFactors lu(Output x, const DecompositionOptions& options = {});

}  // namespace thalweg
