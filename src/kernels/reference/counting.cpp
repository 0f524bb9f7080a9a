#include <algorithm>
#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/indices.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

using reference::IndexInput;
using reference::Ints;
using reference::IntsInput;
using reference::OutputPlace;
using Request = const KernelRequest&;

// Calls f(TypeTag) for the types that counts come in.
template <class F>
KernelPtr visit_counts(DType dtype, F&& f) {
  switch (dtype) {
    case kInt32: return f(TypeTag<int32_t>{});
    case kInt64: return f(TypeTag<int64_t>{});
    case kFloat32: return f(TypeTag<float>{});
    case kFloat64: return f(TypeTag<double>{});
    default: return nullptr;
  }
}

KernelPtr make_bucketize(Request request) {
  return visit_counts(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    const auto boundaries = request.node.attr<std::vector<float>>("boundaries");
    if (!std::is_sorted(boundaries.begin(), boundaries.end()))
      throw invalid_argument("`boundaries` must rise, got ", boundaries);
    return make_kernel(
        [boundaries, count = request.inputs[0].shape.num_elements()](KernelContext& context) {
          const T* x = context.input<T>(0);
          auto* y = context.output<int32_t>();
          parallel_for(count, 1024, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) {
              const auto at =
                  std::upper_bound(boundaries.begin(), boundaries.end(), static_cast<double>(x[i]));
              y[i] = static_cast<int32_t>(at - boundaries.begin());
            }
          });
        });
  });
}

void write_int(DType dtype, void* to, int64_t i, int64_t value) {
  if (dtype == kInt64) {
    static_cast<int64_t*>(to)[i] = value;
  } else {
    static_cast<int32_t*>(to)[i] = static_cast<int32_t>(value);
  }
}

KernelPtr make_unravel(Request request) {
  return make_kernel([indices = IndexInput(request, 0), dims = IntsInput(request, 1),
                      dtype = request.outputs[0].dtype](KernelContext& context) {
    const Ints sizes = dims.read(context), places = indices.read(context);
    int64_t total = 1;
    for (int64_t size : sizes) {
      if (size <= 0) throw invalid_argument("`dims` must be positive, got ", sizes);
      total *= size;
    }
    const auto count = static_cast<int64_t>(places.size());
    for (int64_t i = 0; i < count; ++i) {
      int64_t rest = places[static_cast<size_t>(i)];
      if (rest < 0 || rest >= total) {
        throw indices.out_of_range(i, rest, total, str("a tensor of dimensions ", sizes));
      }
      for (size_t d = sizes.size(); d-- > 0;) {
        write_int(dtype, context.output_pointer(0), static_cast<int64_t>(d) * count + i,
                  rest % sizes[d]);
        rest /= sizes[d];
      }
    }
  });
}

KernelPtr make_histogram(Request request) {
  return visit_counts(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([count = request.inputs[0].shape.num_elements(),
                        nbins = IntsInput(request, 2), dtype = request.outputs[0].dtype,
                        place = OutputPlace(request, 0)](KernelContext& context) {
      const int64_t bins = nbins.read_one(context);
      if (bins <= 0) throw invalid_argument("`nbins` is ", bins, ", it must be positive");
      const T low = context.input<T>(1)[0], high = context.input<T>(1)[1];
      if (!(low < high))
        throw invalid_argument("`value_range` must rise, got [", low, ", ", high, "]");
      const double width = static_cast<double>(high - low) / static_cast<double>(bins);
      // Memory first: it tells whether there is room for so many.
      void* to = place.memory(context, Shape{bins});
      Ints counts(static_cast<size_t>(bins), 0);
      for (int64_t i = 0; i < count; ++i) {
        const T value = context.input<T>(0)[i];
        if (value != value) throw invalid_argument("value ", i, " is NaN, which is in no bin");
        const double bin = static_cast<double>(std::max(value, low) - low) / width;
        ++counts[static_cast<size_t>(std::min(bin, static_cast<double>(bins - 1)))];
      }
      for (int64_t i = 0; i < bins; ++i) write_int(dtype, to, i, counts[static_cast<size_t>(i)]);
    });
  });
}

// `rows` rows of values, each counted into a row of the result.
KernelPtr make_count(Request request, bool by_row, bool binary) {
  const bool weighted = request.inputs[2].shape.num_elements() != 0;
  return visit_counts(request.inputs[2].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([=, values = IndexInput(request, 0), size = IntsInput(request, 1),
                        place = OutputPlace(request, 0)](KernelContext& context) {
      const int64_t bins = size.read_one(context);
      if (bins < 0) throw invalid_argument("`size` is ", bins, ", it must not be negative");
      const Shape& shape = values.shape();
      const int64_t rows = by_row && shape.rank() == 2 ? shape[0] : 1;
      const Shape result = by_row && shape.rank() == 2 ? Shape{rows, bins} : Shape{bins};
      T* to = static_cast<T*>(place.memory(context, result));
      std::fill_n(to, rows * bins, T(0));
      const Ints numbers = values.read(context);
      const int64_t columns = rows == 0 ? 0 : static_cast<int64_t>(numbers.size()) / rows;
      for (int64_t i = 0; i < rows * columns; ++i) {
        const int64_t number = numbers[static_cast<size_t>(i)];
        if (number < 0)
          throw invalid_argument("value ", i, " is ", number, "; none may be negative");
        if (number >= bins) continue;
        T& cell = to[i / columns * bins + number];
        cell = binary ? T(1) : static_cast<T>(cell + (weighted ? context.input<T>(2)[i] : T(1)));
      }
    });
  });
}

KernelPtr make_bincount(Request request) { return make_count(request, false, false); }

KernelPtr make_dense_bincount(Request request) {
  return make_count(request, true, request.node.attr<bool>("binary_output"));
}

template <bool kUpper>
KernelPtr make_bound(Request request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([sorted = request.inputs[0].shape, values = request.inputs[1].shape,
                        dtype = request.outputs[0].dtype](KernelContext& context) {
      const auto less = [](T a, T b) {
        if constexpr (kIsFloating<T>) {
          return widen(a) < widen(b);
        } else {
          return a < b;
        }
      };
      for (int64_t i = 0; i < values.num_elements(); ++i) {
        const T* row = context.input<T>(0) + i / values[1] * sorted[1];
        const T value = context.input<T>(1)[i];
        const T* at = kUpper ? std::upper_bound(row, row + sorted[1], value, less)
                             : std::lower_bound(row, row + sorted[1], value, less);
        write_int(dtype, context.output_pointer(0), i, at - row);
      }
    });
  });
}

bool is_among_best(const float* scores, int64_t classes, int64_t target, int64_t k) {
  if (target < 0 || target >= classes) return false;
  int64_t better = 0;
  for (int64_t i = 0; i < classes; ++i) {
    if (!std::isfinite(scores[i])) return false;
    better += scores[i] > scores[target] ? 1 : 0;
  }
  return better < k;
}

KernelPtr make_in_top_k(Request request) {
  const bool has_input = request.inputs.size() > 2;
  const int64_t fixed = has_input ? 0 : request.node.attr<int64_t>("k");
  const IntsInput k(request, has_input ? 2 : 1);
  return make_kernel([=, classes = request.inputs[0].shape[1],
                      targets = IntsInput(request, 1)](KernelContext& context) {
    const int64_t best = has_input ? k.read_one(context) : fixed;
    const Ints truth = targets.read(context);
    for (size_t i = 0; i < truth.size(); ++i) {
      const float* scores = context.input<float>(0) + static_cast<int64_t>(i) * classes;
      context.output<bool>()[i] = is_among_best(scores, classes, truth[i], best);
    }
  });
}

constexpr KernelDef kKernels[] = {
    {"Bucketize", "reference", make_bucketize},
    {"UnravelIndex", "reference", make_unravel},
    {"HistogramFixedWidth", "reference", make_histogram},
    {"Bincount", "reference", make_bincount},
    {"DenseBincount", "reference", make_dense_bincount},
    {"LowerBound", "reference", make_bound<false>},
    {"UpperBound", "reference", make_bound<true>},
    {"InTopK", "reference", make_in_top_k},
    {"InTopKV2", "reference", make_in_top_k},
};

}  // namespace

std::span<const KernelDef> reference_counting_kernels() { return kKernels; }

}  // namespace thalweg
