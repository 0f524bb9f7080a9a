// What x[begin:end:stride, ..., new axis, i] takes of a shape: the one place that knows NumPy's
// slicing rules.
//
// Shape inference needs them while parts of the arguments are unknown, kernels when all is known;
// both call this.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "thalweg/tensor/shape.h"

namespace thalweg {

/// Bit i is about entry i of begin, end and strides; the meaning is TensorFlow's (op StridedSlice).
struct StridedSliceMasks {
  int64_t begin = 0;        // from the first element (the last, when the stride is negative)
  int64_t end = 0;          // through the last element
  int64_t ellipsis = 0;     // all dimensions that no other entry names
  int64_t new_axis = 0;     // a new dimension of size 1
  int64_t shrink_axis = 0;  // one element; its dimension is dropped
};

/// The positions taken along one dimension of the input: begin, begin + stride, ... (size of them).
struct SliceRange {
  int64_t begin = 0;
  int64_t stride = 1;
  int64_t size = kUnknownDim;  // begin and stride mean nothing when this is unknown
};

struct ResolvedSlice {
  std::vector<SliceRange> ranges;  // one for each dimension of the input
  Shape shape;                     // of the result
};

/// Entries of begin, end and strides may be unknown. `input` must have a rank. Throws
/// invalid_argument: more entries than dimensions, a stride of 0, two ellipses, an element out of
/// range.
ResolvedSlice resolve_strided_slice(const Shape& input,
                                    std::span<const std::optional<int64_t>> begin,
                                    std::span<const std::optional<int64_t>> end,
                                    std::span<const std::optional<int64_t>> strides,
                                    const StridedSliceMasks& masks);

}  // namespace thalweg
