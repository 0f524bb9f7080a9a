// Sparse tensors: entries with their indices, and a dense shape. Each function adds the TensorFlow
// op of its name.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

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

/// Columns of features of one batch: sparse ones `[batch, ...]`, then dense ones `[batch,
/// features]`, of int64 or strings.
struct CrossColumns {
  std::vector<SparseTensor> sparse = {};
  std::vector<Output> dense = {};
};
struct SparseCrossOptions {
  int64_t num_buckets = 0;          // hashes are taken modulo this; 0: modulo 2^63 - 1
  int64_t hash_key = 0xDECAFCAFFE;  // as of TensorFlow's feature columns
  std::string name = {};
};
/// For each row all combinations of one feature of every column, the last one's changing fastest,
/// as int64 hashes: FarmHash's Fingerprint64 of strings, integers as they are, joined one after the
/// other to the key. With one value a row in every dense column the values are `[batch]`, in order.
/// SparseCross
SparseTensor sparse_cross(const CrossColumns& columns, const SparseCrossOptions& options = {});

struct SparseCrossHashedOptions {
  int64_t num_buckets = 0;
  bool strong_hash = false;  // by SipHash with `salt` as its key; dense columns then hold strings
  std::array<int64_t, 2> salt = {};
  std::string name = {};
};
/// The same with hashes that start from the first column's, not from a key; of integers in sparse
/// columns the lower 32 bits are hashed. SparseCrossHashed
SparseTensor sparse_cross_hashed(const CrossColumns& columns,
                                 const SparseCrossHashedOptions& options = {});

}  // namespace thalweg
