#include "ops/matrix_masks.h"

#include <numeric>

#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/complex.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/linalg.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

// 0, 1, ... along dimension `dim` (-2 or -1) of x, shaped to broadcast there.
Output positions(Output x, int dim) {
  const Shape& shape = x.shape();
  const Shape target = dim == -1 ? Shape{1, kUnknownDim} : Shape{kUnknownDim, 1};
  if (shape.has_rank() && shape.dim(dim) != kUnknownDim) {
    return reshape(range(x.graph(), 0, shape.dim(dim)), target);
  }
  const Output size = strided_slice(shape_of(x), {dim}, {dim + 1}, {1},
                                    {.end_mask = dim == -1, .shrink_axis_mask = 1});
  const Output zero = constant(x.graph(), Tensor(int32_t{0}));
  return reshape(range(zero, size, constant(x.graph(), Tensor(int32_t{1}))), target);
}

}  // namespace

Output identity_mask(Output x) {
  return cast(equal(positions(x, -2), positions(x, -1)), x.dtype());
}

Output lower_mask(Output x) {
  return cast(greater_equal(positions(x, -2), positions(x, -1)), x.dtype());
}

Output adjoint(Output x) {
  if (!x.shape().has_rank()) {
    // No permutation is known, but a product with the identity transposes any batch.
    Output square = batch_matmul(x, x, {.adj_y = true});
    return batch_matmul(x, identity_mask(square), {.adj_x = true});
  }
  const int rank = x.shape().rank();
  std::vector<int64_t> perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  std::swap(perm[static_cast<size_t>(rank - 1)], perm[static_cast<size_t>(rank - 2)]);
  return conj(transpose(x, perm));
}

Output diagonal_matrix(Output x, Output like) { return expand_dims(x, -1) * identity_mask(like); }

Output matrix_columns(Output x, int64_t begin, int64_t end) {
  return strided_slice(x, {0, begin}, {0, end}, {1, 1}, {.ellipsis_mask = 1});
}

}  // namespace thalweg
