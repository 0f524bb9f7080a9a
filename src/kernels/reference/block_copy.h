// Copying a box of cells between two tensors in which it lies with different strides: what moving
// blocks between space, batch and channels comes down to.
#pragma once

#include <cstdint>
#include <vector>

#include "thalweg/tensor/dtype.h"

namespace thalweg::reference {

/// One dimension of the box; strides in elements.
struct BoxDim {
  int64_t size, from, to;
};

/// A box of runs of `run` neighbouring elements.
struct Box {
  std::vector<BoxDim> dims;  // outer ones first
  int64_t run = 1;
  int64_t from = 0, to = 0;  // where its first element lies
};

/// Copies the box; large ones in parallel.
void copy_box(DType dtype, const Box& box, const void* from, void* to);

}  // namespace thalweg::reference
