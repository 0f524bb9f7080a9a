#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/elementwise.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: types in its words
using Request = const KernelRequest&;

KernelPtr make_norm(Request request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([shape = request.inputs[0].shape, axes = IntsInput(request, 1),
                        keep = request.node.attr<bool>("keep_dims"),
                        place = OutputPlace(request, 0)](KernelContext& context) {
      const auto rank = static_cast<size_t>(shape.rank());
      std::vector<bool> reduced(rank, false);
      for (int64_t axis : axes.read(context)) reduced[place_axis(axis, rank)] = true;
      // Steps through the result: none along what is reduced.
      Ints dims;
      Offsets offsets(rank);
      int64_t stride = 1;
      for (size_t i = rank; i-- > 0;) {
        const int64_t dim = shape[static_cast<int>(i)];
        offsets[i] = evenly(0, reduced[i] ? 0 : stride, dim);
        if (!reduced[i]) stride *= dim;
      }
      for (size_t i = 0; i < rank; ++i) {
        if (!reduced[i] || keep) dims.push_back(reduced[i] ? 1 : shape[static_cast<int>(i)]);
      }
      std::vector<double> sums(static_cast<size_t>(stride), 0.0);
      for_each_offset(offsets, [&](int64_t n, int64_t offset) {
        const double x = widen(context.input<T>(0)[n]);
        sums[static_cast<size_t>(offset)] += x * x;
      });
      T* to = static_cast<T*>(place.memory(context, Shape(dims)));
      for (size_t i = 0; i < sums.size(); ++i) to[i] = narrow<T>(std::sqrt(sums[i]));
    });
  });
}

constexpr auto kClip = []<class T>(T x, T low, T high) {
  const T cut = high < x ? high : x;
  return cut < low ? low : cut;
};

template <class F, class... Ts>
KernelPtr ternary(Request request, Types<Ts...> types, F) {
  return make_function<F>(request, types, 0, std::make_index_sequence<3>{});
}

KernelPtr make_approximate_equal(Request request) {
  return binary(
      request, kNumbers,
      []<class T>(T a, T b, double tolerance) -> bool {
        const T distance = a > b ? wrapping_sub(a, b) : wrapping_sub(b, a);
        if constexpr (std::is_integral_v<T>) {
          return static_cast<double>(static_cast<std::make_unsigned_t<T>>(distance)) < tolerance;
        } else {
          return distance < static_cast<T>(tolerance);
        }
      },
      request.node.attr<float>("tolerance"));
}

KernelPtr make_cross(Request request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [count = request.inputs[0].shape.num_elements() / 3](KernelContext& context) {
          for (int64_t n = 0; n < count; ++n) {
            const T* a = context.input<T>(0) + 3 * n;
            const T* b = context.input<T>(1) + 3 * n;
            for (int i = 0; i < 3; ++i) {
              const int j = (i + 1) % 3, k = (i + 2) % 3;
              context.output<T>()[3 * n + i] =
                  narrow<T>(widen(a[j]) * widen(b[k]) - widen(a[k]) * widen(b[j]));
            }
          }
        });
  });
}

KernelPtr make_nth_element(Request request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([shape = request.inputs[0].shape, n = IntsInput(request, 1),
                        reverse = request.node.attr<bool>("reverse")](KernelContext& context) {
      const int64_t size = shape.dim(-1);
      const int64_t place = n.read_one(context);
      if (place < 0 || place >= size)
        throw invalid_argument("`n` is ", place, ", outside [0, ", size,
                               "), the last dimension of ", shape);
      const auto key = [](T x) {
        if constexpr (kIsFloating<T>) {
          return widen(x);
        } else {
          return x;
        }
      };
      const int64_t rows = shape.slice(0, shape.rank() - 1).num_elements();
      for (int64_t r = 0; r < rows; ++r) {
        std::vector<T> row(context.input<T>(0) + r * size, context.input<T>(0) + (r + 1) * size);
        std::stable_sort(row.begin(), row.end(),
                         [&](T a, T b) { return reverse ? key(b) < key(a) : key(a) < key(b); });
        context.output<T>()[r] = row[static_cast<size_t>(place)];
      }
    });
  });
}

double log_add_exp(double a, double b) {
  const double low = std::min(a, b), high = std::max(a, b);
  return std::isinf(high) ? high : high + std::log1p(std::exp(low - high));
}

KernelPtr make_logsumexp(Request request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([shape = request.inputs[0].shape, axis = IntsInput(request, 1),
                        exclusive = request.node.attr<bool>("exclusive"),
                        reverse = request.node.attr<bool>("reverse")](KernelContext& context) {
      const auto along =
          static_cast<int>(place_axis(axis.read_one(context), static_cast<size_t>(shape.rank())));
      const int64_t size = shape[along];
      const int64_t inner = shape.slice(along + 1).num_elements();
      const int64_t outer = shape.slice(0, along).num_elements();
      for (int64_t line = 0; line < outer * inner; ++line) {
        const int64_t first = line / inner * size * inner + line % inner;
        double sum = -std::numeric_limits<double>::infinity();
        for (int64_t i = 0; i < size; ++i) {
          const int64_t cell = first + (reverse ? size - 1 - i : i) * inner;
          const double before = sum;
          sum = log_add_exp(sum, widen(context.input<T>(0)[cell]));
          context.output<T>()[cell] = narrow<T>(exclusive ? before : sum);
        }
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"EuclideanNorm", "reference", make_norm},
    {"ClipByValue", "reference", [](Request r) { return ternary(r, kNumbers, kClip); }},
    {"ApproximateEqual", "reference", make_approximate_equal},
    {"Cross", "reference", make_cross},
    {"NthElement", "reference", make_nth_element},
    {"CumulativeLogsumexp", "reference", make_logsumexp},
};

}  // namespace

std::span<const KernelDef> reference_arithmetic_kernels() { return kKernels; }

}  // namespace thalweg
