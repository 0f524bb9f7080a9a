// Where intermediates lie: offsets in one arena such that tensors alive at the same time never
// overlap.
#pragma once

#include <cstddef>
#include <vector>

namespace thalweg {

/// A piece of memory needed from step `first` to step `last`, both included.
struct Lifetime {
  size_t bytes = 0;
  int first = 0;
  int last = 0;
};

struct MemoryPlan {
  std::vector<size_t> offsets;  // one a lifetime, multiples of the alignment
  size_t arena_bytes = 0;
};

/// Greedy by size: the largest piece first, each into the lowest gap among those placed that live
/// at the same time (Pisarchyk and Lee, "Efficient memory management for deep neural net
/// inference", 2020, section 5.2). Throws resource_exhausted when the arena would be beyond what
/// memory can be addressed.
MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes);

}  // namespace thalweg
