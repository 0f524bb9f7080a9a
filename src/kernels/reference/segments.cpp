#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elementwise.h"
#include "kernels/reference/indices.h"

namespace thalweg {
namespace {

using reference::IndexInput;
using reference::Ints;
using reference::IntsInput;
using reference::OutputPlace;
using Request = const KernelRequest&;

enum class Reduce { kSum, kMean, kProd, kMin, kMax };

template <class T>
T extreme_number(bool highest) {
  if constexpr (std::is_same_v<T, Float16>) {
    return T(highest ? 65504.0f : -65504.0f);
  } else if constexpr (std::is_same_v<T, BFloat16>) {
    return T(highest ? 3.3895314e38f : -3.3895314e38f);
  } else {
    return highest ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
  }
}

// Reduces slice i of `data` into segment ids[i]; what has a negative id is dropped.
template <class T, Reduce kReduce>
void reduce_segments(const T* data, const Ints& ids, int64_t inner, int64_t segments, T empty,
                     T* out) {
  constexpr Accumulator<T> kStart = kReduce == Reduce::kProd ? 1 : 0;
  std::vector<Accumulator<T>> totals(static_cast<size_t>(segments * inner), kStart);
  Ints counts(static_cast<size_t>(segments), 0);
  std::fill_n(out, segments * inner, empty);
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0) continue;
    const bool first = counts[static_cast<size_t>(ids[i])]++ == 0;
    for (int64_t k = 0; k < inner; ++k) {
      const T value = data[static_cast<int64_t>(i) * inner + k];
      Accumulator<T>& total = totals[static_cast<size_t>(ids[i] * inner + k)];
      T& cell = out[ids[i] * inner + k];
      if constexpr (kReduce == Reduce::kProd) {
        total *= widen(value);
      } else if constexpr (kReduce == Reduce::kSum || kReduce == Reduce::kMean) {
        total += widen(value);
      } else {
        using A = reference::Arithmetic<T>;
        const bool better = kReduce == Reduce::kMin ? A(value) < A(cell) : A(value) > A(cell);
        if (first || better || reference::is_nan(A(value))) cell = value;
      }
    }
  }
  if constexpr (kReduce == Reduce::kMin || kReduce == Reduce::kMax) return;
  for (int64_t i = 0; i < segments * inner; ++i) {
    const int64_t count = counts[static_cast<size_t>(i / inner)];
    if (count == 0) continue;
    const Accumulator<T> total = totals[static_cast<size_t>(i)];
    if constexpr (kReduce != Reduce::kMean) {
      out[i] = narrow<T>(total);
    } else if constexpr (kIsFloating<T>) {
      out[i] = narrow<T>(total / static_cast<double>(count));
    } else {
      out[i] = static_cast<T>(narrow<T>(total) / static_cast<T>(count));
    }
  }
}

template <class T>
T empty_value(Reduce reduce, bool zero) {
  if (reduce == Reduce::kProd) return narrow<T>(1);
  if (zero || reduce == Reduce::kSum || reduce == Reduce::kMean) return narrow<T>(0);
  return extreme_number<T>(reduce == Reduce::kMin);
}

void check_sorted(const Ints& ids) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] < 0 || (i > 0 && ids[i] < ids[i - 1])) {
      throw invalid_argument("segment_ids[", i, "] is ", ids[i],
                             "; the ids must not be negative and must rise, got ", ids);
    }
  }
}

template <Reduce kReduce, bool kSorted>
KernelPtr make_segment(Request request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    const bool counted = request.inputs.size() > 2;
    return make_kernel([counted, data = request.inputs[0].shape, ids = IndexInput(request, 1),
                        number = IntsInput(request, counted ? 2 : 1),
                        place = OutputPlace(request, 0)](KernelContext& context) {
      const Ints segment_of = ids.read(context);
      if (kSorted) check_sorted(segment_of);
      const int64_t used = segment_of.empty() ? 0 : segment_of.back() + 1;
      const int64_t segments = counted ? number.read_one(context) : used;
      if (segments < 0)
        throw invalid_argument("`num_segments` is ", segments, ", it must not be negative");
      for (size_t i = 0; i < segment_of.size(); ++i) {
        if (segment_of[i] >= segments)
          throw ids.out_of_range(static_cast<int64_t>(i), segment_of[i], segments,
                                 "`num_segments`");
      }
      const Shape slice = data.slice(ids.shape().rank());
      T* out = static_cast<T*>(place.memory(context, Shape{segments}.concat(slice)));
      reduce_segments<T, kReduce>(context.input<T>(0), segment_of, slice.num_elements(), segments,
                                  empty_value<T>(kReduce, !counted), out);
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"SegmentSum", "reference", make_segment<Reduce::kSum, true>},
    {"SegmentMean", "reference", make_segment<Reduce::kMean, true>},
    {"SegmentProd", "reference", make_segment<Reduce::kProd, true>},
    {"SegmentMin", "reference", make_segment<Reduce::kMin, true>},
    {"SegmentMax", "reference", make_segment<Reduce::kMax, true>},
    {"SegmentSumV2", "reference", make_segment<Reduce::kSum, true>},
    {"SegmentProdV2", "reference", make_segment<Reduce::kProd, true>},
    {"SegmentMinV2", "reference", make_segment<Reduce::kMin, true>},
    {"SegmentMaxV2", "reference", make_segment<Reduce::kMax, true>},
    {"UnsortedSegmentProd", "reference", make_segment<Reduce::kProd, false>},
    {"UnsortedSegmentMin", "reference", make_segment<Reduce::kMin, false>},
    {"UnsortedSegmentMax", "reference", make_segment<Reduce::kMax, false>},
};

}  // namespace

std::span<const KernelDef> reference_segments_kernels() { return kKernels; }

}  // namespace thalweg
