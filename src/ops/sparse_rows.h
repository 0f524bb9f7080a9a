// What the tables of ops on sparse tensors share.
#pragma once

#include "thalweg/graph/op_def.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg::rows {

inline constexpr const char* kSparseAny = "T: type | Element type.";
inline constexpr const char* kSparseIndices =
    "indices: int64 | Where the entries lie, `[n, rank]`.";
inline constexpr const char* kSparseValues = "values: T | The entries, `[n]`.";
inline constexpr const char* kSparseShape = "shape: int64 | The dense shape, `[rank]`.";

/// Inputs i, v and s are the indices `[n, rank]`, values `[n]` and shape `[rank]` of one tensor.
inline void check_sparse(const ShapeContext& c, int i, int v, int s) {
  const Shape indices = c.with_rank(i, 2), values = c.with_rank(v, 1), shape = c.with_rank(s, 1);
  if (!indices.slice(0, 1).is_compatible_with(values)) {
    throw c.error("`", c.input_name(i), "` has shape ", indices, ", `", c.input_name(v), "` has ",
                  values, "; there must be as many entries");
  }
  if (!indices.slice(1).is_compatible_with(shape)) {
    throw c.error("`", c.input_name(i), "` has shape ", indices, ", `", c.input_name(s), "` has ",
                  shape, "; each index needs an entry for every dimension");
  }
}

}  // namespace thalweg::rows
