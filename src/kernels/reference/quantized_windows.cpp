// Convolution and pooling of quantized numbers. What stands for 0 is an integer of its own, so a
// window leaves out its cells over padding.
#include <algorithm>
#include <cmath>

#include "kernels/reference/quantized_elements.h"
#include "kernels/reference/quantized_kernels.h"
#include "thalweg/graph/window.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: ranges in its words
using Request = const KernelRequest&;

struct Windows {
  Window height;
  Window width;

  Windows(Request request, int64_t rows, int64_t columns) {
    const Shape& x = request.inputs[0].shape;
    const auto& strides = request.node.attr<std::vector<int64_t>>("strides");
    const auto& padding = request.node.attr<std::string>("padding");
    height = make_window(x[1], rows, strides[1], 1, padding);
    width = make_window(x[2], columns, strides[2], 1, padding);
  }

  // Calls f(cell of the input, place in the window) for the cells of a window but for padding.
  template <class F>
  void for_each_cell(int64_t batch, int64_t row, int64_t column, F f) const {
    for (int64_t r = 0; r < height.size; ++r) {
      for (int64_t k = 0; k < width.size; ++k) {
        const int64_t y = height.cell(row, r), x = width.cell(column, k);
        if (y < 0 || y >= height.input || x < 0 || x >= width.input) continue;
        f((batch * height.input + y) * width.input + x, r * width.size + k);
      }
    }
  }
};

template <bool kMean>
KernelPtr make_pool(Request request) {
  const auto& size = request.node.attr<std::vector<int64_t>>("ksize");
  const Shape& x = request.inputs[0].shape;
  return visit_quantized(request.inputs[0].dtype, [&]<class Q>(TypeTag<Q>) -> KernelPtr {
    return make_kernel([batches = x[0], channels = x[3],
                        windows = Windows(request, size[1], size[2])](KernelContext& c) {
      Q* to = c.output<Q>(0);
      for (int64_t batch = 0; batch < batches; ++batch) {
        for (int64_t row = 0; row < windows.height.output; ++row) {
          for (int64_t column = 0; column < windows.width.output; ++column) {
            for (int64_t channel = 0; channel < channels; ++channel) {
              int64_t sum = 0, cells = 0, largest = kLowestOf<Q>;
              windows.for_each_cell(batch, row, column, [&](int64_t cell, int64_t) {
                const int64_t value = c.input<Q>(0)[cell * channels + channel].value;
                sum += value;
                largest = std::max(largest, value);
                ++cells;
              });
              const double mean = static_cast<double>(sum) / static_cast<double>(cells);
              *to++ = from_integer<Q>(kMean ? static_cast<int64_t>(std::nearbyint(mean)) : largest);
            }
          }
        }
      }
      give_range(c, 1, range_input(c, 1));
    });
  });
}

}  // namespace

KernelPtr reference::make_quantized_conv2d(Request request) {
  const Shape& filter = request.inputs[1].shape;
  const int64_t in = filter[2], out = filter[3], batches = request.inputs[0].shape[0];
  return make_kernel([=, windows = Windows(request, filter[0], filter[1])](KernelContext& c) {
    const FloatRange of_x = range_input(c, 2), of_filter = range_input(c, 4);
    const int64_t zero = quantized_unclamped<QUInt8>(0, of_x.min, of_x.max);
    const int64_t filter_zero = quantized_unclamped<QUInt8>(0, of_filter.min, of_filter.max);
    QInt32* to = c.output<QInt32>(0);
    std::vector<int64_t> sums(static_cast<size_t>(out));
    for (int64_t batch = 0; batch < batches; ++batch) {
      for (int64_t row = 0; row < windows.height.output; ++row) {
        for (int64_t column = 0; column < windows.width.output; ++column) {
          std::fill(sums.begin(), sums.end(), 0);
          windows.for_each_cell(batch, row, column, [&](int64_t cell, int64_t tap) {
            for (int64_t i = 0; i < in; ++i) {
              const int64_t x = c.input<QUInt8>(0)[cell * in + i].value - zero;
              const QUInt8* weights = c.input<QUInt8>(1) + (tap * in + i) * out;
              for (size_t o = 0; o < sums.size(); ++o)
                sums[o] += x * (weights[o].value - filter_zero);
            }
          });
          for (int64_t sum : sums) *to++ = from_integer<QInt32>(sum);
        }
      }
    }
    give_range(c, 1, range_of_products<QUInt8, QUInt8>(of_x, of_filter));
  });
}

KernelPtr reference::make_quantized_max_pool(Request request) { return make_pool<false>(request); }
KernelPtr reference::make_quantized_avg_pool(Request request) { return make_pool<true>(request); }

}  // namespace thalweg
