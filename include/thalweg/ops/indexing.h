// Building nodes that read or write parts of a tensor: slices, gathered rows, scattered updates,
// the largest elements.
//
// Each function adds the op of the same name (GatherV2, TopKV2, ... without the version suffix)
// with TensorFlow's meaning; src/ops/indexing.cpp documents them in full. An index out of range is
// an error when it is met, naming the index, its position, the size it should fit and the node.
#pragma once

#include <cstdint>
#include <string>

#include "thalweg/ops/int_vector.h"

namespace thalweg {

struct IndexingOptions {
  std::string name = {};
};

/// The block of `size` that starts at `begin`; a size of -1 takes all that is left.
Output slice(const Output& x, const IntVector& begin, const IntVector& size,
             const IndexingOptions& options = {});

/// Bit i of a mask is about entry i of begin, end and strides, as in TensorFlow and NumPy.
struct StridedSliceOptions {
  int64_t begin_mask = 0;  // begin[i] is ignored: from the first element
  int64_t end_mask = 0;    // end[i] is ignored: through the last element
  int64_t ellipsis_mask =
      0;  // entry i stands for all dimensions that no other entry names; at most one
  int64_t new_axis_mask = 0;     // entry i adds a dimension of size 1
  int64_t shrink_axis_mask = 0;  // entry i takes the one element begin[i] and drops the dimension
  std::string name = {};
};
/// NumPy's x[begin:end:stride, ...]; negative positions count from the end, strides may be
/// negative, not zero. Without `strides` all are 1.
Output strided_slice(const Output& x, const IntVector& begin, const IntVector& end,
                     const IntVector& strides = {}, const StridedSliceOptions& options = {});

struct OneHotOptions {
  double on = 1;
  double off = 0;
  int64_t axis = -1;  // where the new dimension goes
  DType dtype = kFloat32;
  std::string name = {};
};
/// `indices` with a new dimension of size `depth` that holds `on` at the index and `off` elsewhere
/// (everywhere, when the index is outside [0, depth)).
Output one_hot(const Output& indices, int64_t depth, const OneHotOptions& options = {});

struct GatherOptions {
  int64_t axis = 0;
  int64_t batch_dims = 0;  // leading dimensions that params and indices share
  std::string name = {};
};
/// Slices of `params` along an axis: shape params[:axis] + indices[batch_dims:] + params[axis +
/// 1:].
Output gather(const Output& params, const Output& indices, const GatherOptions& options = {});
/// Slices of `params` at the index vectors `[..., k]`: shape indices[:-1] + params[k:].
Output gather_nd(const Output& params, const Output& indices, const IndexingOptions& options = {});
/// Zeros of `shape` with `updates` added at the index vectors `[..., k]`; duplicates add up.
Output scatter_nd(const Output& indices, const Output& updates, const IntVector& shape,
                  const IndexingOptions& options = {});
/// `x` with the slices at the index vectors replaced by, or increased by, `updates`.
Output tensor_scatter_update(const Output& x, const Output& indices, const Output& updates,
                             const IndexingOptions& options = {});
Output tensor_scatter_add(const Output& x, const Output& indices, const Output& updates,
                          const IndexingOptions& options = {});
/// Row s of the result is the sum of the slices of `data` whose segment id is s; negative ids are
/// dropped.
Output unsorted_segment_sum(const Output& data, const Output& segment_ids,
                            const Output& num_segments, const IndexingOptions& options = {});
/// Coordinates `[n, rank]` (int64) of the elements that are not zero or false, in row-major order.
Output where(const Output& condition, const IndexingOptions& options = {});
/// The permutation that undoes `x`: y[x[i]] = i.
Output invert_permutation(const Output& x, const IndexingOptions& options = {});

struct TopKOptions {
  bool sorted = true;
  std::string name = {};
};
struct TopK {
  Output values;
  Output indices;  // int32
};
/// The k largest along the last dimension, largest first; of equal ones the lower index comes
/// first.
TopK top_k(const Output& x, int64_t k, const TopKOptions& options = {});

}  // namespace thalweg
