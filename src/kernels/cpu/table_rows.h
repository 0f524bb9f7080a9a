// What kernels that name rows of a table by indices share: reading the indices, and dividing the
// work over threads so that no two of them meet in one row.
#pragma once

#include <algorithm>
#include <cstdint>

#include "thalweg/base/parallel.h"
#include "thalweg/kernels/kernel.h"

namespace thalweg::table_rows {

inline constexpr int64_t kGrain = 8192;  // floats of rows that take about 5 microseconds

/// Calls f(TypeTag<int32_t or int64_t>{}), which returns a kernel; null for other types.
template <class F>
KernelPtr visit_index(DType dtype, F&& f) {
  if (dtype == kInt64) return f(TypeTag<int64_t>{});
  if (dtype == kInt32) return f(TypeTag<int32_t>{});
  return nullptr;
}

/// Calls f(shard, shards) for each shard, at once where `floats` of work are worth it. Every shard
/// goes through all indices and takes those whose row is its own (`row % shards == shard`), so the
/// parts of one row are met in their order, whatever the number of threads.
template <class F>
void for_each_shard(int64_t floats, F&& f) {
  const int64_t shards = std::min<int64_t>(num_threads(), 1 + floats / kGrain);
  parallel_for(shards, 1, [&](int64_t begin, int64_t end) {
    for (int64_t shard = begin; shard < end; ++shard) f(shard, shards);
  });
}

}  // namespace thalweg::table_rows
