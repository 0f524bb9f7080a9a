#include "runtime/memory_planner.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "thalweg/base/error.h"
#include "thalweg/tensor/buffer.h"

namespace thalweg {
namespace {

// Larger plans are refused before their sizes can wrap around.
constexpr size_t kMostBytes = PTRDIFF_MAX;

size_t aligned(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

[[noreturn]] void refuse(size_t bytes) {
  throw resource_exhausted("the intermediate tensors that are alive at once, one of ", bytes,
                           " bytes among them, need more than ", kMostBytes,
                           " bytes; use smaller batches");
}

bool overlap(const Lifetime& a, const Lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

}  // namespace

MemoryPlan plan_memory(const std::vector<Lifetime>& lifetimes) {
  MemoryPlan plan;
  plan.offsets.assign(lifetimes.size(), 0);
  std::vector<size_t> order(lifetimes.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return lifetimes[a].bytes > lifetimes[b].bytes; });

  std::vector<size_t> placed;  // by rising offset
  for (size_t piece : order) {
    if (lifetimes[piece].bytes > kMostBytes - kAlignment) refuse(lifetimes[piece].bytes);
    const size_t bytes = aligned(lifetimes[piece].bytes);
    if (bytes == 0) continue;
    size_t best_offset = 0;
    size_t best_gap = SIZE_MAX;
    size_t end = 0;  // of the neighbours seen so far
    for (size_t other : placed) {
      if (!overlap(lifetimes[piece], lifetimes[other])) continue;
      const size_t begin = plan.offsets[other];
      if (begin > end && begin - end >= bytes && begin - end < best_gap) {
        best_gap = begin - end;
        best_offset = end;
      }
      end = std::max(end, begin + aligned(lifetimes[other].bytes));
    }
    plan.offsets[piece] = best_gap == SIZE_MAX ? end : best_offset;
    if (plan.offsets[piece] > kMostBytes - bytes) refuse(bytes);
    plan.arena_bytes = std::max(plan.arena_bytes, plan.offsets[piece] + bytes);
    const auto at = std::upper_bound(placed.begin(), placed.end(), piece, [&](size_t a, size_t b) {
      return plan.offsets[a] < plan.offsets[b];
    });
    placed.insert(at, piece);
  }
  return plan;
}

}  // namespace thalweg
