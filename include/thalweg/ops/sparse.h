// Sparse tensors: entries with their indices, and a dense shape. Each function adds the TensorFlow
// op of its name.
#pragma once

#include <string>

#include "thalweg/ops/int_vector.h"

namespace thalweg {

/// Entries `values` `[n]` at `indices` `[n, rank]` (int64) of a tensor of `shape` `[rank]` (int64).
struct SparseTensor {
  Output indices;
  Output values;
  Output shape;
};

struct SparseOptions {
  std::string name = {};
};

/// The entries in row-major order. SparseReorder
SparseTensor sparse_reorder(const SparseTensor& x, const SparseOptions& options = {});
/// The same entries under another dense shape. SparseReshape
SparseTensor sparse_reshape(const SparseTensor& x, const IntVector& shape,
                            const SparseOptions& options = {});
/// The dense tensor, with a scalar where there is no entry. SparseToDense
Output sparse_to_dense(const SparseTensor& x, Output default_value,
                       const SparseOptions& options = {});

struct SparseMatmulOptions {
  bool adjoint_a = false;
  bool adjoint_b = false;
  std::string name = {};
};
/// A sparse matrix times a dense one. SparseTensorDenseMatMul
Output sparse_matmul(const SparseTensor& a, Output b, const SparseMatmulOptions& options = {});

}  // namespace thalweg
