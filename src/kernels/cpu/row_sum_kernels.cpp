// Sums of rows by index, float32: gradients of embedding tables.
#include "kernels/cpu/row_sum_kernels.h"

#include <bit>
#include <cstring>

#include "kernels/cpu/table_rows.h"
#include "kernels/reference/indices.h"

namespace thalweg {
namespace {

using reference::IndexInput;
using table_rows::for_each_shard;
using table_rows::visit_index;

void add_row(float* to, const float* row, int64_t inner) {
  for (int64_t k = 0; k < inner; ++k) to[k] += row[k];
}

// In float32, each row's parts in their order: the output is the only memory, where sums in double
// would take twice the table's.
KernelPtr make_segment_sum(const KernelRequest& request) {
  const Shape& data = request.inputs[0].shape;
  const Shape& sums = request.outputs[0].shape;
  const Shape& ids = request.inputs[1].shape;
  if (request.inputs[0].dtype != kFloat32 || !sums.is_fully_defined()) return nullptr;
  return visit_index(request.inputs[1].dtype, [&]<class I>(TypeTag<I>) {
    return make_kernel([index = IndexInput(request, 1), count = ids.num_elements(),
                        segments = sums[0],
                        inner = data.slice(ids.rank()).num_elements()](KernelContext& context) {
      const I* segment_of = context.input<I>(1);
      for (int64_t i = 0; i < count; ++i) {
        if (segment_of[i] >= segments)
          throw index.out_of_range(i, segment_of[i], segments, "`num_segments`");
      }
      const float* rows = context.input<float>(0);
      float* to = context.output<float>();
      // Segments lie side by side here, so that each shard fills one stretch of memory.
      for_each_shard((segments + count) * inner, [&](int64_t shard, int64_t shards) {
        const int64_t begin = segments * shard / shards, end = segments * (shard + 1) / shards;
        std::fill(to + begin * inner, to + end * inner, 0.0f);
        for (int64_t i = 0; i < count; ++i) {
          const auto segment = static_cast<int64_t>(segment_of[i]);
          if (segment >= begin && segment < end)
            add_row(to + segment * inner, rows + i * inner, inner);
        }
      });
    });
  });
}

// An open hash table from an index to the place where it first stands, in scratch memory.
class FirstPlaces {
 public:
  explicit FirstPlaces(int64_t count)
      : capacity_(std::bit_ceil(static_cast<uint64_t>(2 * count + 2))) {}
  size_t bytes() const { return capacity_ * sizeof(int32_t); }

  // Writes for each index the place where it first stands, -1 for negative ones.
  template <class I>
  void find(const I* indices, int64_t count, void* memory, int32_t* places) const {
    auto* table = static_cast<int32_t*>(memory);
    std::memset(table, -1, bytes());
    const int shift = 64 - std::countr_zero(capacity_);
    for (int64_t i = 0; i < count; ++i) {
      const I index = indices[i];
      places[i] = -1;
      if (index < 0) continue;
      // Multiplication by the golden ratio spreads neighbouring indices (Knuth, volume 3, 6.4).
      uint64_t cell = (static_cast<uint64_t>(index) * 0x9E3779B97F4A7C15u) >> shift;
      while (table[cell] >= 0 && indices[table[cell]] != index) cell = (cell + 1) & (capacity_ - 1);
      if (table[cell] < 0) table[cell] = static_cast<int32_t>(i);
      places[i] = table[cell];
    }
  }

 private:
  uint64_t capacity_;
};

KernelPtr make_sum_duplicates(const KernelRequest& request) {
  const Shape& values = request.inputs[1].shape;
  const int64_t count = values[0];
  if (request.inputs[1].dtype != kFloat32 || count > (int64_t{1} << 30)) return nullptr;
  return visit_index(request.inputs[0].dtype, [&]<class I>(TypeTag<I>) {
    const FirstPlaces first(count);
    const auto compute = [first, count,
                          inner = values.slice(1).num_elements()](KernelContext& context) {
      const I* indices = context.input<I>(0);
      auto* places =
          reinterpret_cast<int32_t*>(static_cast<char*>(context.scratch()) + first.bytes());
      first.find(indices, count, context.scratch(), places);
      I* rows = context.output<I>(0);
      for (int64_t i = 0; i < count; ++i) rows[i] = std::max(indices[i], I{0});
      const float* parts = context.input<float>(1);
      float* sums = context.output<float>(1);
      for_each_shard(count * inner, [&](int64_t shard, int64_t shards) {
        for (int64_t i = 0; i < count; ++i) {
          const int64_t place = places[i] < 0 ? i : places[i];
          if (place % shards != shard) continue;
          const float* part = parts + i * inner;
          float* here = sums + i * inner;
          if (places[i] == i) {
            if (here != part) std::copy_n(part, inner, here);
            continue;
          }
          if (places[i] >= 0) add_row(sums + place * inner, part, inner);
          std::fill_n(here, inner, 0.0f);
        }
      });
    };
    KernelTraits traits;
    traits.in_place = {{1, 1}};
    traits.scratch_bytes = first.bytes() + static_cast<size_t>(count) * sizeof(int32_t);
    return make_kernel(compute, std::move(traits));
  });
}

constexpr KernelDef kKernels[] = {
    {"UnsortedSegmentSum", "cpu", make_segment_sum},
    {"_SumDuplicates", "cpu", make_sum_duplicates},
};

}  // namespace

std::span<const KernelDef> cpu_row_sum_kernels() { return kKernels; }

}  // namespace thalweg
