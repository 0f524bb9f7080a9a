// Putting a partitioned tensor together from its parts.
#pragma once

#include <span>
#include <vector>

#include "formats/slice_key.h"
#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// Copies `part` to where `extents` say in `whole`; false when dtype, rank, shape or place do not
/// fit.
bool copy_slice(const Tensor& part, std::span<const Extent> extents, Tensor& whole);

/// Marks the elements of `whole` that `extents`, which fit into it, say; false when one was marked
/// before.
bool mark_slice(std::span<const Extent> extents, const Shape& whole, std::vector<bool>& marks);

}  // namespace thalweg
