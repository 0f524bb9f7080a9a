#include <vector>

#include "kernels/families.h"
#include "kernels/reference/volume_pooling.h"

namespace thalweg {
namespace {

struct Dilation {
  Window high, wide;
  int64_t batch, channels;
};

Dilation make_geometry(const KernelRequest& request) {
  using Ints = std::vector<int64_t>;
  const Shape& input = request.inputs[0].shape;
  const Shape& filter = request.inputs[1].shape;
  const auto window = [&](int axis) {
    const auto at = static_cast<size_t>(axis);
    return make_window(input[axis], filter[axis - 1], request.node.attr<Ints>("strides")[at],
                       request.node.attr<Ints>("rates")[at],
                       request.node.attr<std::string>("padding"));
  };
  return {window(1), window(2), input[0], input[3]};
}

// Calls f(output, input, filter, value) for each window with the places of its largest input +
// filter, the first of equals; input is -1 for a window over nothing but padding.
template <class T, class F>
void for_each_maximum(const Dilation& d, const T* input, const T* filter, F f) {
  for (int64_t out = 0; out < d.batch * d.high.output * d.wide.output * d.channels; ++out) {
    const int64_t c = out % d.channels;
    const int64_t ox = out / d.channels % d.wide.output;
    const int64_t oy = out / d.channels / d.wide.output % d.high.output;
    const int64_t n = out / d.channels / d.wide.output / d.high.output;
    int64_t best = -1, best_cell = -1;
    T largest = reference::lowest_value<T>();
    for (int64_t ky = 0; ky < d.high.size; ++ky) {
      const int64_t y = d.high.cell(oy, ky);
      if (y < 0 || y >= d.high.input) continue;
      for (int64_t kx = 0; kx < d.wide.size; ++kx) {
        const int64_t x = d.wide.cell(ox, kx);
        if (x < 0 || x >= d.wide.input) continue;
        const int64_t at = ((n * d.high.input + y) * d.wide.input + x) * d.channels + c;
        const int64_t cell = (ky * d.wide.size + kx) * d.channels + c;
        const T value = narrow<T>(widen(input[at]) + widen(filter[cell]));
        if (best < 0 || reference::pools_above(value, largest)) {
          best = at, best_cell = cell, largest = value;
        }
      }
    }
    f(out, best, best_cell, largest);
  }
}

KernelPtr make_dilation(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([d = make_geometry(request)](KernelContext& c) {
      for_each_maximum(d, c.input<T>(0), c.input<T>(1),
                       [&](int64_t out, int64_t, int64_t, T value) { c.output<T>()[out] = value; });
    });
  });
}

template <bool kFilter>
KernelPtr make_backprop(const KernelRequest& request) {
  const int64_t count = request.inputs[kFilter ? 1 : 0].shape.num_elements();
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([d = make_geometry(request), count](KernelContext& c) {
      std::vector<Accumulator<T>> sums(static_cast<size_t>(count), 0);
      for_each_maximum(
          d, c.input<T>(0), c.input<T>(1), [&](int64_t out, int64_t at, int64_t cell, T) {
            if (at < 0) return;
            sums[static_cast<size_t>(kFilter ? cell : at)] += widen(c.input<T>(2)[out]);
          });
      for (size_t i = 0; i < sums.size(); ++i) c.output<T>()[i] = narrow<T>(sums[i]);
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"Dilation2D", "reference", make_dilation},
    {"Dilation2DBackpropInput", "reference", make_backprop<false>},
    {"Dilation2DBackpropFilter", "reference", make_backprop<true>},
};

}  // namespace

std::span<const KernelDef> reference_dilation_kernels() { return kKernels; }

}  // namespace thalweg
