#include "thalweg/ops/decomposition.h"

#include <algorithm>

#include "ops/add_op.h"
#include "ops/decomposition_gradient.h"
#include "ops/families.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"

namespace thalweg {
namespace {

// Input 0 as square matrices: `[..., n, n]` with what is known of n on both sides.
Shape square_matrices(const ShapeContext& c, int i) {
  Shape shape = c.with_rank_at_least(i, 2);
  if (!shape.has_rank()) return shape;
  const int64_t rows = shape.dim(-2), columns = shape.dim(-1);
  if (rows != kUnknownDim && columns != kUnknownDim && rows != columns) {
    throw c.error("`", c.input_name(i), "` must hold square matrices, got shape ", shape);
  }
  const int64_t size = std::max(rows, columns);
  shape.set_dim(shape.rank() - 2, size);
  shape.set_dim(shape.rank() - 1, size);
  return shape;
}

int64_t smaller(int64_t a, int64_t b) {
  return a == kUnknownDim || b == kUnknownDim ? kUnknownDim : std::min(a, b);
}

Shape matrix(const Shape& batch, int64_t rows, int64_t columns) {
  return batch.concat(Shape{rows, columns});
}

void square_shape(ShapeContext& c) { c.set_output(0, square_matrices(c, 0)); }

void cholesky_grad_shape(ShapeContext& c) {
  c.set_output(0, square_matrices(c, 0).merge(square_matrices(c, 1)));
}

void determinant_shape(ShapeContext& c) {
  const Shape x = square_matrices(c, 0);
  for (int i = 0; i < c.num_outputs(); ++i)
    c.set_output(i, x.has_rank() ? x.slice(0, -2) : Shape::unknown());
}

void check_rows(const ShapeContext& c, const Shape& matrix, const Shape& rhs) {
  const int64_t a = matrix.dim(-2), b = rhs.dim(-2);
  if (a != kUnknownDim && b != kUnknownDim && a != b) {
    throw c.error("`matrix` ", matrix, " has ", a, " rows, `rhs` ", rhs, " has ", b);
  }
}

// Batches are the same for both, or `broadcast`.
void solve_shape(ShapeContext& c, const Shape& a, bool broadcasts) {
  const Shape b = c.with_rank_at_least(1, 2);
  if (!a.has_rank() || !b.has_rank()) return c.set_output(0, Shape::unknown());
  check_rows(c, a, b);
  const Shape left = a.slice(0, -2), right = b.slice(0, -2);
  if (!broadcasts && !left.is_compatible_with(right)) {
    throw c.error("`matrix` ", a, " and `rhs` ", b, " have different batches");
  }
  c.set_output(
      0, matrix(broadcasts ? broadcast(left, right) : left.merge(right), a.dim(-1), b.dim(-1)));
}

void matrix_solve_shape(ShapeContext& c) { solve_shape(c, square_matrices(c, 0), false); }
void triangular_solve_shape(ShapeContext& c) { solve_shape(c, square_matrices(c, 0), true); }
void least_squares_shape(ShapeContext& c) {
  c.with_rank(2, 0);
  solve_shape(c, c.with_rank_at_least(0, 2), false);
}

void qr_shape(ShapeContext& c) {
  const Shape x = c.with_rank_at_least(0, 2);
  if (!x.has_rank()) return shape_functions::unknown(c);
  const Shape batch = x.slice(0, -2);
  const int64_t rows = x.dim(-2), columns = x.dim(-1);
  const int64_t rank = c.attr<bool>("full_matrices") ? rows : smaller(rows, columns);
  c.set_output(0, matrix(batch, rows, rank));
  c.set_output(1, matrix(batch, rank, columns));
}

void svd_shape(ShapeContext& c) {
  const Shape x = c.with_rank_at_least(0, 2);
  if (!x.has_rank()) return shape_functions::unknown(c);
  const Shape batch = x.slice(0, -2);
  const int64_t rows = x.dim(-2), columns = x.dim(-1), rank = smaller(rows, columns);
  const bool full = c.attr<bool>("full_matrices"), vectors = c.attr<bool>("compute_uv");
  c.set_output(0, batch.concat(Shape{rank}));
  c.set_output(1, vectors ? matrix(batch, rows, full ? rows : rank) : Shape{0});
  c.set_output(2, vectors ? matrix(batch, columns, full ? columns : rank) : Shape{0});
}

void eig_shape(ShapeContext& c) {
  const Shape x = square_matrices(c, 0);
  const bool vectors = c.attr<bool>("compute_v");
  c.set_output(0, x.has_rank() ? x.slice(0, -1) : Shape::unknown());
  c.set_output(1, vectors ? x : Shape{0});
}

void lu_shape(ShapeContext& c) {
  const Shape x = square_matrices(c, 0);
  c.set_output(0, x);
  c.set_output(1, x.has_rank() ? x.slice(0, -1) : Shape::unknown());
}

constexpr const char* kType = "T: {double, float, complex64, complex128} | Element type.";
constexpr const char* kSquare = "input: T | Square matrices, `[..., n, n]`.";
constexpr const char* kMatrix = "input: T | Matrices, `[..., m, n]`.";
constexpr const char* kRhs = "rhs: T | Right sides, `[..., n, k]`.";
constexpr const char* kFull =
    "full_matrices: bool = false | Whether factors are completed to square matrices.";
constexpr const char* kAdjoint =
    "adjoint: bool = false | Whether the adjoint of the matrix takes its place.";

constexpr OpDef kOps[] = {
    {.name = "Cholesky",
     .inputs =
         {"input: T | Positive definite matrices, `[..., n, n]`; the lower triangle is read."},
     .outputs = {"output: T | Lower triangular factors l, `[..., n, n]`: l l^H is the input."},
     .attrs = {kType},
     .doc = "Cholesky factors. An error when a matrix is not positive definite.",
     .shape = square_shape,
     .gradient = cholesky_gradient},
    {.name = "CholeskyGrad",
     .inputs = {"l: T | Result of Cholesky, `[..., n, n]`.",
                "grad: T | Gradient of `l`; the lower triangle counts."},
     .outputs = {"output: T | Symmetric gradient of the input of Cholesky."},
     .attrs = {"T: {float, double} | Element type."},
     .doc = "Gradient of Cholesky, as older graphs spell it.",
     .shape = cholesky_grad_shape,
     .no_gradient = "TensorFlow has none"},
    {.name = "MatrixInverse",
     .inputs = {kSquare},
     .outputs = {"output: T | Inverses, `[..., n, n]`."},
     .attrs = {kAdjoint, kType},
     .doc = "Inverses of matrices. An error when a matrix is singular.",
     .shape = square_shape,
     .gradient = matrix_inverse_gradient},
    {.name = "MatrixDeterminant",
     .inputs = {kSquare},
     .outputs = {"output: T | Determinants, `[...]`; 1 for empty matrices."},
     .attrs = {kType},
     .doc = "Determinants of matrices. The gradient exists where there is an inverse.",
     .shape = determinant_shape,
     .gradient = determinant_gradient},
    {.name = "LogMatrixDeterminant",
     .inputs = {kSquare},
     .outputs = {"sign: T | Determinant over its absolute value, `[...]`; 0 for singular matrices.",
                 "log_abs_determinant: T | Logarithm of the absolute value, `[...]`."},
     .attrs = {kType},
     .doc = "Determinants too large or too small for a number: sign * exp(log_abs_determinant).",
     .shape = determinant_shape,
     .gradient = log_determinant_gradient},
    {.name = "MatrixSolve",
     .inputs = {"matrix: T | Square matrices, `[..., n, n]`.", kRhs},
     .outputs = {"output: T | X with matrix X = rhs, `[..., n, k]`."},
     .attrs = {kAdjoint, kType},
     .doc = "Solves systems of linear equations. An error when a matrix is singular.",
     .shape = matrix_solve_shape,
     .gradient = matrix_solve_gradient},
    {.name = "MatrixTriangularSolve",
     .inputs = {"matrix: T | Triangular matrices, `[..., n, n]`; the other triangle is not read.",
                kRhs},
     .outputs = {"output: T | X with matrix X = rhs, `[..., n, k]`; batches are broadcast."},
     .attrs = {"lower: bool = true | Whether the lower triangle is read, or the upper one.",
               kAdjoint, kType},
     .doc = "Solves systems with triangular matrices. An error when a diagonal holds a zero.",
     .shape = triangular_solve_shape,
     .gradient = triangular_solve_gradient},
    {.name = "MatrixSolveLs",
     .inputs = {"matrix: T | Matrices, `[..., m, n]`.", "rhs: T | Right sides, `[..., m, k]`.",
                "l2_regularizer: double | Weight of |X|^2, a scalar."},
     .outputs = {"output: T | X that minimises |matrix X - rhs|^2 + l2_regularizer |X|^2, "
                 "`[..., n, k]`."},
     .attrs = {kType,
               "fast: bool = true | By the normal equations; otherwise by a complete "
               "orthogonal decomposition, which takes any rank and no regularizer."},
     .doc = "Least squares; of the solutions the shortest when m < n. The gradient exists for "
            "`fast` alone.",
     .shape = least_squares_shape,
     .gradient = least_squares_gradient},
    {.name = "Qr",
     .inputs = {kMatrix},
     .outputs = {"q: T | Orthonormal columns, `[..., m, p]` with p = min(m, n), or m.",
                 "r: T | Upper triangular, `[..., p, n]`."},
     .attrs = {kFull, kType},
     .doc = "QR factors by Householder reflections: q r is the input.",
     .shape = qr_shape,
     .gradient = qr_gradient},
    {.name = "Svd",
     .inputs = {kMatrix},
     .outputs =
         {"s: T | Singular values, falling, `[..., p]` with p = min(m, n).",
          "u: T | Left vectors in columns, `[..., m, p]`, or `[..., m, m]`; `[0]` without.",
          "v: T | Right vectors in columns, `[..., n, p]`, or `[..., n, n]`; `[0]` without."},
     .attrs = {"compute_uv: bool = true | Whether vectors are wanted too.", kFull, kType},
     .doc = "Singular value decomposition: u diag(s) v^H is the input.",
     .shape = svd_shape,
     .gradient = svd_gradient},
    {.name = "SelfAdjointEigV2",
     .inputs = {"input: T | Hermitian matrices, `[..., n, n]`; the lower triangle is read."},
     .outputs = {"e: T | Eigenvalues, rising, `[..., n]`.",
                 "v: T | Eigenvectors in columns, `[..., n, n]`; `[0]` without."},
     .attrs = {"compute_v: bool = true | Whether vectors are wanted too.", kType},
     .doc = "Eigenvalues and eigenvectors of Hermitian matrices. The gradient needs different "
            "eigenvalues.",
     .shape = eig_shape,
     .gradient = self_adjoint_eig_gradient},
    {.name = "Eig",
     .inputs = {kSquare},
     .outputs = {"e: Tout | Eigenvalues, `[..., n]`, in no order.",
                 "v: Tout | Eigenvectors in columns, `[..., n, n]`; `[0]` without."},
     .attrs = {"compute_v: bool = true | Whether vectors are wanted too.",
               "T: {float, double, complex64, complex128} | Type of the input.",
               "Tout: {complex64, complex128} | Type of the results."},
     .doc = "Eigenvalues and eigenvectors of any square matrices.",
     .shape = eig_shape,
     .no_gradient = "eigenvectors have no fixed length and phase to differentiate"},
    {.name = "Lu",
     .inputs = {kSquare},
     .outputs = {"lu: T | The unit lower triangle below the diagonal, the upper one on and above "
                 "it, `[..., n, n]`.",
                 "p: output_idx_type | Row i of the product is row p[i] of the input, `[..., n]`."},
     .attrs = {kType, "output_idx_type: {int32, int64} = int32 | Type of `p`."},
     .doc = "LU factors with partial pivoting. An error when a matrix is singular.",
     .shape = lu_shape,
     .no_gradient = "TensorFlow has none"},
};

Node& add(std::string_view op, Output x, AttrMap attrs, const std::string& name) {
  return x.graph().add(op, {x}, std::move(attrs), {.name = name});
}

}  // namespace

std::span<const OpDef> decomposition_ops() { return kOps; }

Output cholesky(Output x, const DecompositionOptions& options) {
  return add_op("Cholesky", {x}, {}, options.name);
}

Output matrix_inverse(Output x, const AdjointOptions& options) {
  return add_op("MatrixInverse", {x}, {{"adjoint", options.adjoint}}, options.name);
}

Output matrix_determinant(Output x, const DecompositionOptions& options) {
  return add_op("MatrixDeterminant", {x}, {}, options.name);
}

LogDeterminant log_matrix_determinant(Output x, const DecompositionOptions& options) {
  Node& node = add("LogMatrixDeterminant", x, {}, options.name);
  return {node.output(0), node.output(1)};
}

Output matrix_solve(Output matrix, Output rhs, const AdjointOptions& options) {
  return add_op("MatrixSolve", {matrix, rhs}, {{"adjoint", options.adjoint}}, options.name);
}

Output matrix_triangular_solve(Output matrix, Output rhs, const TriangularSolveOptions& options) {
  return add_op("MatrixTriangularSolve", {matrix, rhs},
                {{"lower", options.lower}, {"adjoint", options.adjoint}}, options.name);
}

Output matrix_solve_ls(Output matrix, Output rhs, const LeastSquaresOptions& options) {
  const Output regularizer = constant(matrix.graph(), Tensor(options.l2_regularizer));
  return add_op("MatrixSolveLs", {matrix, rhs, regularizer}, {{"fast", options.fast}},
                options.name);
}

QrFactors qr(Output x, const FullMatricesOptions& options) {
  Node& node = add("Qr", x, {{"full_matrices", options.full_matrices}}, options.name);
  return {node.output(0), node.output(1)};
}

SvdFactors svd(Output x, const FullMatricesOptions& options) {
  Node& node = add("Svd", x, {{"full_matrices", options.full_matrices}}, options.name);
  return {node.output(0), node.output(1), node.output(2)};
}

Output singular_values(Output x, const DecompositionOptions& options) {
  return add("Svd", x, {{"compute_uv", false}}, options.name).output(0);
}

EigenDecomposition self_adjoint_eig(Output x, const DecompositionOptions& options) {
  Node& node = add("SelfAdjointEigV2", x, {}, options.name);
  return {node.output(0), node.output(1)};
}

EigenDecomposition eig(Output x, const DecompositionOptions& options) {
  const bool wide = x.dtype() == kFloat64 || x.dtype() == kComplex128;
  Node& node = add("Eig", x, {{"Tout", wide ? kComplex128 : kComplex64}}, options.name);
  return {node.output(0), node.output(1)};
}

LuFactors lu(Output x, const DecompositionOptions& options) {
  Node& node = add("Lu", x, {}, options.name);
  return {node.output(0), node.output(1)};
}

}  // namespace thalweg
