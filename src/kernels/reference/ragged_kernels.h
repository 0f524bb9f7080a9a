// Kernels on ragged tensors, of which ragged.cpp makes one family, and what they share: rows of
// different lengths, told by splits.
#pragma once

#include "kernels/reference/elements.h"

namespace thalweg::reference {

/// Throws invalid_argument unless splits rise from 0 to the number of values.
inline void check_splits(const Ints& splits, int64_t values) {
  bool good = !splits.empty() && splits.front() == 0 && splits.back() == values;
  for (size_t i = 1; good && i < splits.size(); ++i) good = splits[i] >= splits[i - 1];
  if (!good)
    throw invalid_argument("splits must rise from 0 to the number of values, ", values, "; got ",
                           splits);
}

// ragged_to_tensor.cpp
KernelPtr make_ragged_to_tensor(const KernelRequest& request);

// ragged_count.cpp: of the rows of a matrix, of a sparse matrix, of a ragged one.
KernelPtr make_dense_count(const KernelRequest& request);
KernelPtr make_sparse_count(const KernelRequest& request);
KernelPtr make_ragged_count(const KernelRequest& request);

}  // namespace thalweg::reference
