// Masks of matrices as large as another: the identity, the lower triangle. Gradients of
// decompositions pick parts of matrices by multiplying with them, whatever the batch.
#pragma once

#include "thalweg/graph/graph.h"

namespace thalweg {

/// `[m, n]` of x's dtype for x of `[..., m, n]`: 1 on the diagonal, 0 elsewhere.
Output identity_mask(Output x);
/// 1 on and below the diagonal, 0 above.
Output lower_mask(Output x);
/// The adjoint of each matrix.
Output adjoint(Output x);
/// `[..., n, n]` with the entries of x `[..., n]` on the diagonal; `like` is of that shape.
Output diagonal_matrix(Output x, Output like);
/// Columns [begin, end) of each matrix.
Output matrix_columns(Output x, int64_t begin, int64_t end);

}  // namespace thalweg
