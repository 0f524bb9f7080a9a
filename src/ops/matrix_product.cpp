#include "ops/matrix_product.h"

#include "thalweg/ops/broadcast.h"
#include "thalweg/ops/linalg.h"

namespace thalweg {

void matmul_shape(ShapeContext& c) {
  const Shape a = c.with_rank(0, 2), b = c.with_rank(1, 2);
  const bool transpose_a = c.attr<bool>("transpose_a"), transpose_b = c.attr<bool>("transpose_b");
  if (!Shape{a[transpose_a ? 0 : 1]}.is_compatible_with(Shape{b[transpose_b ? 1 : 0]})) {
    throw c.error("inner dimensions differ: a is ", a, transpose_a ? " (transposed)" : "",
                  ", b is ", b, transpose_b ? " (transposed)" : "");
  }
  c.set_output(0, Shape{a[transpose_a ? 1 : 0], b[transpose_b ? 0 : 1]});
}

ProductGradients product_gradients(Output a, Output b, Output grad, bool transpose_a,
                                   bool transpose_b) {
  return {transpose_a ? matmul(b, grad, {.transpose_a = transpose_b, .transpose_b = true})
                      : matmul(grad, b, {.transpose_b = !transpose_b}),
          transpose_b ? matmul(grad, a, {.transpose_a = true, .transpose_b = transpose_a})
                      : matmul(a, grad, {.transpose_a = !transpose_a})};
}

void batch_matmul_shape(ShapeContext& c) {
  const Shape x = c.with_rank_at_least(0, 2);
  const Shape y = c.with_rank_at_least(1, 2);
  if (!x.has_rank() || !y.has_rank()) {
    c.set_output(0, Shape::unknown());
    return;
  }
  const bool adj_x = c.attr<bool>("adj_x"), adj_y = c.attr<bool>("adj_y");
  if (!Shape{x.dim(adj_x ? -2 : -1)}.is_compatible_with(Shape{y.dim(adj_y ? -1 : -2)})) {
    throw c.error("inner dimensions differ: x is ", x, adj_x ? " (adjoint)" : "", ", y is ", y,
                  adj_y ? " (adjoint)" : "");
  }
  c.set_output(0, broadcast(x.slice(0, -2), y.slice(0, -2))
                      .concat(Shape{x.dim(adj_x ? -1 : -2), y.dim(adj_y ? -2 : -1)}));
}

void batch_matmul_gradient(GradientContext& c) {
  const Output x = c.input(0), y = c.input(1), g = c.grad();
  const bool ax = c.attr<bool>("adj_x"), ay = c.attr<bool>("adj_y");
  if (x.dtype() != y.dtype() || x.dtype() != g.dtype()) {
    throw unimplemented(c.node(), ": the gradient of a product of different types; cast them");
  }
  const Output gx =
      ax ? batch_matmul(y, g, {.adj_x = ay, .adj_y = true}) : batch_matmul(g, y, {.adj_y = !ay});
  const Output gy =
      ay ? batch_matmul(g, x, {.adj_x = true, .adj_y = ax}) : batch_matmul(x, g, {.adj_x = !ax});
  c.set(0, sum_to_shape_of(gx, x));
  c.set(1, sum_to_shape_of(gy, y));
}

}  // namespace thalweg
