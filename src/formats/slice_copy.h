// Putting a partitioned tensor together from its parts.
#pragma once

#include <span>

#include "formats/slice_key.h"
#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// Copies `part` to where `extents` say in `whole`; false when dtype, rank, shape or place do not
/// fit.
bool copy_slice(const Tensor& part, std::span<const Extent> extents, Tensor& whole);

}  // namespace thalweg
