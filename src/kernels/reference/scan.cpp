// Walks along one axis: positions of extremes, running sums and products.
#include <limits>
#include <span>

#include "kernels/families.h"
#include "kernels/reference/elementwise.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: types in its words
using Request = const KernelRequest&;

// The input as `[outer, size, inner]` around its axis.
struct Lines {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;
};

Lines lines_along(const Shape& shape, int64_t axis) {
  const int rank = shape.rank();
  if (axis < -rank || axis >= rank)
    throw invalid_argument("axis ", axis, " is outside [", -rank, ", ", rank, ")");
  const int dim = static_cast<int>(axis < 0 ? axis + rank : axis);
  return {.outer = shape.slice(0, dim).num_elements(),
          .size = shape[dim],
          .inner = shape.slice(dim + 1).num_elements()};
}

int64_t read_axis(const KernelContext& context, DType dtype) {
  return dtype == kInt32 ? *context.input<int32_t>(1) : *context.input<int64_t>(1);
}

// Calls f(first cell of the line, line) for every line.
template <class F>
void for_each_line(const Lines& lines, F f) {
  for (int64_t o = 0; o < lines.outer; ++o) {
    for (int64_t i = 0; i < lines.inner; ++i)
      f(o * lines.size * lines.inner + i, o * lines.inner + i);
  }
}

template <class T, bool kLargest>
int64_t best_position(const T* line, int64_t size, int64_t step) {
  using A = Arithmetic<T>;
  int64_t best = -1;
  for (int64_t k = 0; k < size; ++k) {
    const A value(line[k * step]);
    if (is_nan(value)) continue;
    if (best < 0 || (kLargest ? value > A(line[best * step]) : value < A(line[best * step])))
      best = k;
  }
  return best < 0 ? 0 : best;
}

template <bool kLargest>
KernelPtr make_position(Request request) {
  const DType dtype = request.inputs[0].dtype;
  if (!is_numeric(dtype) && dtype != kBool) return nullptr;
  const TensorSpec output = request.outputs[0];
  return make_kernel([=, axis_dtype = request.inputs[1].dtype,
                      shape = request.inputs[0].shape](KernelContext& context) {
    const int64_t axis = read_axis(context, axis_dtype);
    const Lines lines = lines_along(shape, axis);
    if (lines.size == 0)
      throw invalid_argument("axis ", axis, " of ", shape,
                             " is empty: there is no position to tell");
    Tensor handed;
    void* target = context.output_pointer(0);
    if (!output.shape.is_fully_defined()) {
      const int dim = static_cast<int>(axis < 0 ? axis + shape.rank() : axis);
      handed = Tensor(output.dtype, shape.slice(0, dim).concat(shape.slice(dim + 1)));
      target = handed.mutable_raw();
    }
    visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (!std::is_same_v<T, std::string>) {
        for_each_line(lines, [&](int64_t first, int64_t line) {
          const int64_t position =
              best_position<T, kLargest>(context.input<T>(0) + first, lines.size, lines.inner);
          if (output.dtype == kInt32)
            static_cast<int32_t*>(target)[line] = static_cast<int32_t>(position);
          else
            static_cast<int64_t*>(target)[line] = position;
        });
      }
    });
    if (handed.is_valid()) context.set_output(0, std::move(handed));
  });
}

// Running results of one line, which may be overwritten as it is read.
template <class T, class F>
void accumulate_line(const T* x, T* out, int64_t size, int64_t step, bool exclusive, bool reverse,
                     F f) {
  using A = std::conditional_t<std::is_integral_v<T>, T, double>;
  A so_far = F::template initial<A>();
  for (int64_t k = 0; k < size; ++k) {
    const int64_t cell = (reverse ? size - 1 - k : k) * step;
    const A next = f(so_far, A(Arithmetic<T>(x[cell])));
    out[cell] = T(Arithmetic<T>(exclusive ? so_far : next));
    so_far = next;
  }
}

struct Sum {
  template <class A>
  static A initial() {
    return A{0};
  }
  template <class A>
  A operator()(A a, A b) const {
    return wrapping_add(a, b);
  }
};
struct Product {
  template <class A>
  static A initial() {
    return A{1};
  }
  template <class A>
  A operator()(A a, A b) const {
    return wrapping_mul(a, b);
  }
};

template <class F>
KernelPtr make_accumulation(Request request) {
  const DType dtype = request.inputs[0].dtype;
  if (!is_numeric(dtype)) return nullptr;
  const bool exclusive = request.node.attr<bool>("exclusive");
  const bool reverse = request.node.attr<bool>("reverse");
  const auto compute = [=, axis_dtype = request.inputs[1].dtype,
                        shape = request.inputs[0].shape](KernelContext& context) {
    const Lines lines = lines_along(shape, read_axis(context, axis_dtype));
    visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      if constexpr (!std::is_same_v<T, std::string> && !std::is_same_v<T, bool>) {
        for_each_line(lines, [&](int64_t first, int64_t) {
          accumulate_line(context.input<T>(0) + first, context.output<T>() + first, lines.size,
                          lines.inner, exclusive, reverse, F{});
        });
      }
    });
  };
  return make_kernel(compute, {.in_place = {{0, 0}}});
}

constexpr KernelDef kKernels[] = {
    {"ArgMax", "reference", make_position<true>},
    {"ArgMin", "reference", make_position<false>},
    {"Cumsum", "reference", make_accumulation<Sum>},
    {"Cumprod", "reference", make_accumulation<Product>},
};

}  // namespace

std::span<const KernelDef> reference_scan_kernels() { return kKernels; }

}  // namespace thalweg
