#include <cmath>
#include <map>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/indices.h"

namespace thalweg {
namespace {

using reference::IndexInput;
using reference::Ints;
using reference::IntsInput;
using reference::OutputPlace;
using Request = const KernelRequest&;

enum class Scale { kSum, kMean, kSqrtN };

// The weight of each row of a segment of `count` rows.
double weight(Scale scale, int64_t count) {
  if (scale == Scale::kSum) return 1;
  const auto n = static_cast<double>(count);
  return 1 / (scale == Scale::kMean ? n : std::sqrt(n));
}

Ints count_segments(const Ints& ids, int64_t segments) {
  Ints counts(static_cast<size_t>(segments), 0);
  for (int64_t id : ids) ++counts[static_cast<size_t>(id)];
  return counts;
}

void check_sorted(const Ints& ids) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || (i > 0 && ids[i] < ids[i - 1])) {
      throw invalid_argument("segment_ids[", i, "] is ", ids[i],
                             "; the ids must not be negative and must rise, got ", ids);
    }
  }
}

void check_range(const IndexInput& input, const Ints& values, int64_t size, std::string_view of) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] < 0 || values[i] >= size)
      throw input.out_of_range(static_cast<int64_t>(i), values[i], size, of);
  }
}

template <Scale kScale>
KernelPtr make_bag(Request request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    const bool counted = request.inputs.size() > 3;
    return make_kernel([counted, data = request.inputs[0].shape, indices = IndexInput(request, 1),
                        ids = IndexInput(request, 2), number = IntsInput(request, counted ? 3 : 2),
                        place = OutputPlace(request, 0)](KernelContext& context) {
      const Ints rows = indices.read(context), segment_of = ids.read(context);
      check_sorted(segment_of);
      check_range(indices, rows, data[0], str("the rows of `data` with shape ", data));
      const int64_t used = segment_of.empty() ? 0 : segment_of.back() + 1;
      const int64_t segments = counted ? number.read_one(context) : used;
      if (segments < 0) throw invalid_argument("`num_segments` is negative: ", segments);
      check_range(ids, segment_of, segments, "`num_segments`");
      // Memory first: it tells whether there is room for so many.
      T* out = static_cast<T*>(place.memory(context, Shape{segments}.concat(data.slice(1))));
      const Ints counts = count_segments(segment_of, segments);
      const int64_t inner = data.slice(1).num_elements();
      std::vector<Accumulator<T>> sums(static_cast<size_t>(segments * inner));
      for (size_t i = 0; i < rows.size(); ++i) {
        for (int64_t k = 0; k < inner; ++k) {
          sums[static_cast<size_t>(segment_of[i] * inner + k)] +=
              widen(context.input<T>(0)[rows[i] * inner + k]);
        }
      }
      for (int64_t i = 0; i < segments * inner; ++i) {
        const auto at = static_cast<size_t>(i);
        if constexpr (kIsFloating<T>) {
          const int64_t count = counts[static_cast<size_t>(i / inner)];
          out[i] = narrow<T>(count == 0 ? 0 : sums[at] * weight(kScale, count));
        } else {
          out[i] = narrow<T>(sums[at]);
        }
      }
    });
  });
}

// `unique`: only the rows in use, which the second output names.
template <Scale kScale, bool kUnique>
KernelPtr make_backward(Request request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    std::vector<OutputPlace> places;
    for (size_t i = 0; i < request.outputs.size(); ++i)
      places.emplace_back(request, static_cast<int>(i));
    return make_kernel([places, grad = request.inputs[0].shape, indices = IndexInput(request, 1),
                        ids = IndexInput(request, 2), number = IntsInput(request, 3),
                        index_type = request.inputs[1].dtype](KernelContext& context) {
      const Ints rows = indices.read(context), segment_of = ids.read(context);
      const int64_t size = number.read_one(context);
      if (size < 0) throw invalid_argument("the number of rows is negative: ", size);
      check_range(indices, rows, size, "the rows of the table");
      check_range(ids, segment_of, grad[0], str("the segments of `grad` with shape ", grad));
      // Where each row of the table is written.
      std::map<int64_t, int64_t> place_of;
      if (kUnique) {
        for (int64_t row : rows) place_of.emplace(row, 0);
        int64_t next = 0;
        for (auto& [row, place] : place_of) place = next++;
      }
      const int64_t written = kUnique ? static_cast<int64_t>(place_of.size()) : size;
      // Memory first: it tells whether there is room for so many.
      T* out = static_cast<T*>(places[0].memory(context, Shape{written}.concat(grad.slice(1))));
      const Ints counts = count_segments(segment_of, grad[0]);
      const int64_t inner = grad.slice(1).num_elements();
      std::vector<double> sums(static_cast<size_t>(written * inner), 0.0);
      for (size_t i = 0; i < rows.size(); ++i) {
        const int64_t id = segment_of[i];
        const double share = weight(kScale, counts[static_cast<size_t>(id)]);
        const int64_t row = kUnique ? place_of.at(rows[i]) : rows[i];
        for (int64_t k = 0; k < inner; ++k) {
          sums[static_cast<size_t>(row * inner + k)] +=
              share * widen(context.input<T>(0)[id * inner + k]);
        }
      }
      for (size_t i = 0; i < sums.size(); ++i) out[i] = narrow<T>(sums[i]);
      if (!kUnique) return;
      void* names = places[1].memory(context, Shape{written});
      for (const auto& [row, place] : place_of) {
        if (index_type == kInt64) {
          static_cast<int64_t*>(names)[place] = row;
        } else {
          static_cast<int32_t*>(names)[place] = static_cast<int32_t>(row);
        }
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"SparseSegmentSum", "reference", make_bag<Scale::kSum>},
    {"SparseSegmentMean", "reference", make_bag<Scale::kMean>},
    {"SparseSegmentSqrtN", "reference", make_bag<Scale::kSqrtN>},
    {"SparseSegmentSumWithNumSegments", "reference", make_bag<Scale::kSum>},
    {"SparseSegmentMeanWithNumSegments", "reference", make_bag<Scale::kMean>},
    {"SparseSegmentSqrtNWithNumSegments", "reference", make_bag<Scale::kSqrtN>},
    {"SparseSegmentSumGrad", "reference", make_backward<Scale::kSum, false>},
    {"SparseSegmentMeanGrad", "reference", make_backward<Scale::kMean, false>},
    {"SparseSegmentSqrtNGrad", "reference", make_backward<Scale::kSqrtN, false>},
    {"SparseSegmentSumGradV2", "reference", make_backward<Scale::kSum, true>},
    {"SparseSegmentMeanGradV2", "reference", make_backward<Scale::kMean, true>},
    {"SparseSegmentSqrtNGradV2", "reference", make_backward<Scale::kSqrtN, true>},
};

}  // namespace

std::span<const KernelDef> reference_sparse_segments_kernels() { return kKernels; }

}  // namespace thalweg
