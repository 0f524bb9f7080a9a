// Reducing slices that belong together, and taking tensors apart by a key and together again.
//
// Each function adds the TensorFlow op that its comment names. Segment ids of the sorted functions
// rise from 0; those of the unsorted ones are in any order, and negative ones are dropped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thalweg/ops/int_vector.h"

namespace thalweg {

struct SegmentOptions {
  std::string name = {};
};

/// Row s of the result reduces the rows of `data` whose id is s. SegmentSum and its like
Output segment_sum(Output data, Output ids, const SegmentOptions& options = {});
Output segment_mean(Output data, Output ids, const SegmentOptions& options = {});
Output segment_prod(Output data, Output ids, const SegmentOptions& options = {});
Output segment_min(Output data, Output ids, const SegmentOptions& options = {});
Output segment_max(Output data, Output ids, const SegmentOptions& options = {});

/// The same with ids in any order and a given number of segments. UnsortedSegmentProd and its like
Output unsorted_segment_prod(Output data, Output ids, Output num_segments,
                             const SegmentOptions& options = {});
Output unsorted_segment_min(Output data, Output ids, Output num_segments,
                            const SegmentOptions& options = {});
Output unsorted_segment_max(Output data, Output ids, Output num_segments,
                            const SegmentOptions& options = {});

/// As segment_sum(gather(data, indices), ids), without the gathered rows. SparseSegmentSum and its
/// like; sqrt_n divides by the root of the count
Output sparse_segment_sum(Output data, Output indices, Output ids,
                          const SegmentOptions& options = {});
Output sparse_segment_mean(Output data, Output indices, Output ids,
                           const SegmentOptions& options = {});
Output sparse_segment_sqrt_n(Output data, Output indices, Output ids,
                             const SegmentOptions& options = {});

struct Unique {
  Output values;   ///< in the order in which they first occur
  Output indices;  ///< for each element its place among them, int32
  Output counts;   ///< how often each occurs, int32
};
/// The distinct elements of a vector. UniqueWithCounts
Unique unique(Output x, const SegmentOptions& options = {});

struct Difference {
  Output values;
  Output indices;  ///< where they stand in x, int32
};
/// The elements of vector `x` that are not in `y`. ListDiff
Difference set_difference(Output x, Output y, const SegmentOptions& options = {});

/// Slices of `data` by the number of their partition, `count` tensors. DynamicPartition
std::vector<Output> dynamic_partition(Output data, Output partitions, int64_t count,
                                      const SegmentOptions& options = {});
/// merged[indices[m][i]] = data[m][i]; of several at one place the last stays. DynamicStitch
Output dynamic_stitch(const std::vector<Output>& indices, const std::vector<Output>& data,
                      const SegmentOptions& options = {});

}  // namespace thalweg
