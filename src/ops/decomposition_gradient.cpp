#include "ops/decomposition_gradient.h"

#include "ops/matrix_masks.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/broadcast.h"
#include "thalweg/ops/complex.h"
#include "thalweg/ops/decomposition.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using Context = GradientContext;

Output product(Output a, Output b) { return batch_matmul(a, b); }
Output product_adj_a(Output a, Output b) { return batch_matmul(a, b, {.adj_x = true}); }
Output product_adj_b(Output a, Output b) { return batch_matmul(a, b, {.adj_y = true}); }

Output grad_or_zeros(Context& c, int i) { return c.grad(i) ? c.grad(i) : zeros_like(c.output(i)); }

// A number for each matrix, to multiply its elements with.
Output for_matrices(Output scalars) { return expand_dims(expand_dims(scalars, -1), -1); }

// x / (x^2 + epsilon): 1 / x, and 0 for equal values.
Output safe_reciprocal(Output x) { return x / (x * x + 1e-20); }

// 1 / (v_j - v_i) off the diagonal, 0 on it.
Output inverse_gaps(Output values) {
  return safe_reciprocal(expand_dims(values, -2) - expand_dims(values, -1));
}

// x r^-H for upper triangular r.
Output divide_by_adjoint(Output x, Output r) {
  return adjoint(matrix_triangular_solve(r, adjoint(x), {.lower = false}));
}

// Of at least as many rows as columns, without completed factors (Roberts 2020,
// arXiv:2009.10071).
Output deep_qr_gradient(Output q, Output r, Output dq, Output dr) {
  const Output qdq = product_adj_a(q, dq);
  const Output rdr = product_adj_b(r, dr);
  const Output skew = (qdq - adjoint(qdq)) + (rdr - adjoint(rdr));
  const Output lower = skew * lower_mask(skew);
  Output result =
      product(q, dr + divide_by_adjoint(lower, r)) + divide_by_adjoint(dq - product(q, qdq), r);
  if (is_complex(q.dtype())) {
    const Output m = (rdr - adjoint(qdq)) * identity_mask(rdr);
    const Output correction = m - cast(real(m), q.dtype());
    result = result + divide_by_adjoint(product(q, adjoint(correction)), r);
  }
  return result;
}

// Of a with at most as many rows as columns; its factors u diag(s) v^H.
Output wide_svd_gradient(Output s, Output u, Output v, Output ds, Output du, Output dv,
                         int64_t rows, int64_t columns, bool full) {
  const Output v1 = full ? matrix_columns(v, 0, rows) : v;
  const Output dv1 = full ? matrix_columns(dv, 0, rows) : dv;
  const Output square_like = product_adj_a(u, du);
  const Output s_matrix = diagonal_matrix(s, square_like);
  const Output s_inverse = diagonal_matrix(safe_reciprocal(s), square_like);
  const Output f = inverse_gaps(s * s);
  const Output v_dv = product_adj_a(v1, dv1);
  const Output f_u = f * square_like;
  const Output f_v = f * v_dv;
  const Output middle = diagonal_matrix(ds, square_like) + product(f_u + adjoint(f_u), s_matrix) +
                        product(s_matrix, f_v + adjoint(f_v));
  Output result = product(u, product_adj_b(middle, v1));
  if (rows != columns) {
    const Output dv1_adj = adjoint(dv1);
    Output rest = dv1_adj - product_adj_b(product(dv1_adj, v1), v1);
    if (full) {
      const Output v2 = matrix_columns(v, rows, columns);
      const Output dv2 = matrix_columns(dv, rows, columns);
      rest = rest - product_adj_b(product_adj_a(v1, dv2), v2);
    }
    result = result + product(product(u, s_inverse), rest);
  }
  if (is_complex(u.dtype())) {
    const Output l = v_dv * identity_mask(v_dv);
    const Output phase = product(s_inverse, adjoint(l) - l);
    result = result + 0.5 * product(u, product_adj_b(phase, v1));
  }
  return result;
}

}  // namespace

// l^-H (l^H g, its lower half) l^-1, made Hermitian.
void cholesky_gradient(Context& c) {
  const Output l = c.output(), g = c.grad();
  const Output eye = identity_mask(l);
  const Output inverse = matrix_triangular_solve(l, eye);
  const Output half = lower_mask(l) - 0.5 * eye;
  const Output middle = product_adj_a(l, g) * half;
  const Output gradient = product(product_adj_a(inverse, middle), inverse);
  c.set(0, 0.5 * (gradient + adjoint(gradient)));
}

void matrix_inverse_gradient(Context& c) {
  const Output inverse = c.output(), g = c.grad();
  const bool adj = c.attr<bool>("adjoint");
  const Output inner = batch_matmul(g, inverse, {.adj_x = adj, .adj_y = !adj});
  c.set(0, -batch_matmul(inverse, inner, {.adj_x = !adj}));
}

void determinant_gradient(Context& c) {
  const Output inverse = matrix_inverse(c.input(0), {.adjoint = true});
  c.set(0, for_matrices(c.grad() * conj(c.output())) * inverse);
}

void log_determinant_gradient(Context& c) {
  const Output inverse = matrix_inverse(c.input(0), {.adjoint = true});
  c.set(0, for_matrices(grad_or_zeros(c, 1)) * inverse);
}

void matrix_solve_gradient(Context& c) {
  const bool adj = c.attr<bool>("adjoint");
  const Output x = c.output();
  const Output db = matrix_solve(c.input(0), c.grad(), {.adjoint = !adj});
  c.set(0, -(adj ? product_adj_b(x, db) : product_adj_b(db, x)));
  c.set(1, db);
}

void triangular_solve_gradient(Context& c) {
  const bool adj = c.attr<bool>("adjoint"), lower = c.attr<bool>("lower");
  const Output a = c.input(0), x = c.output();
  const Output db = matrix_triangular_solve(a, c.grad(), {.lower = lower, .adjoint = !adj});
  const Output da = -(adj ? product_adj_b(x, db) : product_adj_b(db, x));
  const Output mask = lower_mask(a);
  const Output kept = lower ? mask : 1.0 - mask + identity_mask(a);
  c.set(0, sum_to_shape_of(da * kept, a));
  c.set(1, sum_to_shape_of(db, c.input(1)));
}

void least_squares_gradient(Context& c) {
  if (!c.attr<bool>("fast"))
    throw unimplemented("MatrixSolveLs has a gradient for `fast` = true only");
  const Output a = c.input(0), b = c.input(1), x = c.output(), g = c.grad();
  const Shape& shape = a.shape();
  if (!shape.has_rank() || !shape.slice(-2).is_fully_defined())
    throw unimplemented("the gradient of MatrixSolveLs needs to know the matrix's size");
  const bool tall = shape.dim(-2) >= shape.dim(-1);
  Output gramian = tall ? product_adj_a(a, a) : product_adj_b(a, a);
  gramian = gramian + cast(c.input(2), a.dtype()) * identity_mask(gramian);
  if (tall) {
    const Output z = matrix_solve(gramian, g);
    const Output xz = product_adj_b(x, z);
    c.set(0, product_adj_b(b, z) - product(a, xz + adjoint(xz)));
    c.set(1, product(a, z));
  } else {
    const Output db = matrix_solve(gramian, product(a, g));
    const Output y = matrix_solve(gramian, b);
    const Output rest = g - product_adj_a(a, db);
    c.set(0, product_adj_b(y, rest) - product(db, product_adj_a(y, a)));
    c.set(1, db);
  }
}

void qr_gradient(Context& c) {
  const Output q = c.output(0), r = c.output(1);
  const Shape &q_shape = q.shape(), &r_shape = r.shape();
  if (!r_shape.has_rank() || !r_shape.slice(-2).is_fully_defined() || !q_shape.has_rank() ||
      !q_shape.slice(-2).is_fully_defined()) {
    throw unimplemented("the gradient of Qr needs to know the matrix's size");
  }
  const int64_t rows = q_shape.dim(-2), columns = r_shape.dim(-1);
  if (r_shape.dim(-2) > columns)
    throw unimplemented("the gradient of Qr with `full_matrices` for more rows than columns");
  const Output dq = grad_or_zeros(c, 0), dr = grad_or_zeros(c, 1);
  if (rows >= columns) return c.set(0, deep_qr_gradient(q, r, dq, dr));
  // The columns behind the square part are q times theirs of r.
  const Output rest = matrix_columns(c.input(0), rows, columns);
  const Output d_rest = matrix_columns(dr, rows, columns);
  const Output d_square = deep_qr_gradient(
      q, matrix_columns(r, 0, rows), dq + product_adj_b(rest, d_rest), matrix_columns(dr, 0, rows));
  c.set(0, concat({d_square, product(q, d_rest)}, -1));
}

void svd_gradient(Context& c) {
  const Output a = c.input(0);
  const Output ds = cast(grad_or_zeros(c, 0), a.dtype());
  if (!c.attr<bool>("compute_uv")) {
    const SvdFactors f = svd(a);
    return c.set(0, product(f.u * expand_dims(ds, -2), adjoint(f.v)));
  }
  const Shape& shape = a.shape();
  if (!shape.has_rank() || !shape.slice(-2).is_fully_defined())
    throw unimplemented("the gradient of Svd needs to know the matrix's size");
  const int64_t rows = shape.dim(-2), columns = shape.dim(-1);
  const bool full = c.attr<bool>("full_matrices");
  if (full && std::abs(rows - columns) > 1) {
    throw unimplemented("the gradient of Svd with `full_matrices` for a matrix of ", shape,
                        ", whose sides differ by more than 1");
  }
  const Output s = cast(c.output(0), a.dtype()), u = c.output(1), v = c.output(2);
  const Output du = grad_or_zeros(c, 1), dv = grad_or_zeros(c, 2);
  if (rows <= columns) {
    c.set(0, wide_svd_gradient(s, u, v, ds, du, dv, rows, columns, full));
  } else {
    c.set(0, adjoint(wide_svd_gradient(s, v, u, ds, dv, du, columns, rows, full)));
  }
}

// Only the lower triangle is read: what flows to the upper one is added to it.
void self_adjoint_eig_gradient(Context& c) {
  const Output e = c.output(0);
  Output middle, v;
  if (c.attr<bool>("compute_v")) {
    v = c.output(1);
    const Output turned = product_adj_a(v, grad_or_zeros(c, 1));
    middle = diagonal_matrix(grad_or_zeros(c, 0), turned) + inverse_gaps(e) * turned;
  } else {
    v = self_adjoint_eig(c.input(0)).vectors;
    middle = diagonal_matrix(c.grad(0), v);
  }
  const Output gradient = product(v, product_adj_b(middle, v));
  const Output both = gradient + adjoint(gradient);
  c.set(0, both * (lower_mask(both) - 0.5 * identity_mask(both)));
}

}  // namespace thalweg
