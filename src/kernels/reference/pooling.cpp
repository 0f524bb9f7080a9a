#include <cmath>
#include <limits>
#include <vector>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elements.h"
#include "thalweg/graph/window.h"

namespace thalweg {
namespace {

// An image batch as planes: batch and channels are outer, and both formats come down to strides.
struct Planes {
  Shape shape;
  int64_t row, column, channel, image;
};

Planes make_planes(const Shape& shape, const ImageAxes& axes) {
  const auto stride = [&shape](int axis) { return shape.slice(axis + 1).num_elements(); };
  return {shape, stride(axes.height), stride(axes.width), stride(axes.channels),
          stride(axes.batch)};
}

struct Pooling {
  Windows2d windows;
  Planes in, out;
  int64_t batch, channels;
};

Pooling make_pooling(const AttrMap& attrs, const Shape& input) {
  const ImageAxes axes = image_axes(std::get<std::string>(attrs.at("data_format")));
  Pooling p;
  p.windows = pooling_windows(attrs, input);
  Shape output = input;
  output.set_dim(axes.height, p.windows.height.output);
  output.set_dim(axes.width, p.windows.width.output);
  p.in = make_planes(input, axes);
  p.out = make_planes(output, axes);
  p.batch = input[axes.batch];
  p.channels = input[axes.channels];
  return p;
}

// Calls f(output, cells) for each window: the position of its result, and those of its cells inside
// the image, in row order.
template <class F>
void for_each_window(const Pooling& p, F f) {
  const Window& high = p.windows.height;
  const Window& wide = p.windows.width;
  std::vector<int64_t> cells;
  for (int64_t n = 0; n < p.batch; ++n) {
    for (int64_t c = 0; c < p.channels; ++c) {
      for (int64_t oy = 0; oy < high.output; ++oy) {
        for (int64_t ox = 0; ox < wide.output; ++ox) {
          cells.clear();
          for (int64_t ky = 0; ky < high.size; ++ky) {
            for (int64_t kx = 0; kx < wide.size; ++kx) {
              const int64_t iy = high.cell(oy, ky);
              const int64_t ix = wide.cell(ox, kx);
              if (iy < 0 || iy >= high.input || ix < 0 || ix >= wide.input) continue;
              cells.push_back(n * p.in.image + c * p.in.channel + iy * p.in.row + ix * p.in.column);
            }
          }
          f(n * p.out.image + c * p.out.channel + oy * p.out.row + ox * p.out.column, cells);
        }
      }
    }
  }
}

// Order of MaxPool: a NaN is larger than all, the first of equals stays.
template <class T>
bool is_larger(T a, T b) {
  if constexpr (kIsFloating<T>) {
    return widen(a) > widen(b) || (std::isnan(widen(a)) && !std::isnan(widen(b)));
  } else {
    return a > b;
  }
}

// The first largest cell; -1 for a window over nothing but padding.
template <class T>
int64_t largest(const T* input, const std::vector<int64_t>& cells) {
  int64_t best = cells.empty() ? -1 : cells[0];
  for (int64_t cell : cells) {
    if (is_larger(input[cell], input[best])) best = cell;
  }
  return best;
}

template <class T>
T lowest() {
  if constexpr (kIsFloating<T>) {
    return narrow<T>(-std::numeric_limits<double>::infinity());
  } else {
    return std::numeric_limits<T>::lowest();
  }
}

KernelPtr make_max_pool(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [p = make_pooling(request.node.attrs(), request.inputs[0].shape)](KernelContext& c) {
          const T* input = c.input<T>(0);
          T* output = c.output<T>();
          for_each_window(p, [=](int64_t out, const std::vector<int64_t>& cells) {
            const int64_t best = largest(input, cells);
            output[out] = best < 0 ? lowest<T>() : input[best];
          });
        });
  });
}

KernelPtr make_max_pool_grad(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [p = make_pooling(request.node.attrs(), request.inputs[0].shape)](KernelContext& c) {
          const T* input = c.input<T>(0);
          const T* gradient = c.input<T>(2);
          std::vector<Accumulator<T>> sums(static_cast<size_t>(p.in.shape.num_elements()), 0);
          for_each_window(p, [&](int64_t out, const std::vector<int64_t>& cells) {
            const int64_t best = largest(input, cells);
            if (best >= 0) sums[static_cast<size_t>(best)] += widen(gradient[out]);
          });
          for (size_t i = 0; i < sums.size(); ++i) c.output<T>()[i] = narrow<T>(sums[i]);
        });
  });
}

KernelPtr make_max_pool_grad_grad(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [p = make_pooling(request.node.attrs(), request.inputs[0].shape)](KernelContext& c) {
          const T* input = c.input<T>(0);
          const T* gradient = c.input<T>(2);
          T* output = c.output<T>();
          for_each_window(p, [=](int64_t out, const std::vector<int64_t>& cells) {
            const int64_t best = largest(input, cells);
            output[out] = best < 0 ? narrow<T>(0) : gradient[best];
          });
        });
  });
}

KernelPtr make_avg_pool(const KernelRequest& request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [p = make_pooling(request.node.attrs(), request.inputs[0].shape)](KernelContext& c) {
          const T* value = c.input<T>(0);
          T* output = c.output<T>();
          for_each_window(p, [=](int64_t out, const std::vector<int64_t>& cells) {
            double sum = 0;
            for (int64_t cell : cells) sum += widen(value[cell]);
            output[out] = narrow<T>(sum / static_cast<double>(cells.size()));
          });
        });
  });
}

// The shape of the result is input 0, and may be known only now.
KernelPtr make_avg_pool_grad(const KernelRequest& request) {
  const Shape expected = request.inputs[1].shape;
  return visit_floats(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([expected, attrs = request.node.attrs(),
                        sizes = reference::IntsInput(request, 0),
                        place = reference::OutputPlace(request, 0)](KernelContext& c) {
      const Shape shape(sizes.read(c));
      if (shape.rank() != 4 || !shape.is_fully_defined())
        throw invalid_argument("the sizes must be 4 numbers, none negative, got ", shape);
      const Pooling p = make_pooling(attrs, shape);
      if (p.out.shape != expected) {
        throw invalid_argument("grad is ", expected, ", but pooling ", p.in.shape, " gives ",
                               p.out.shape);
      }
      const T* gradient = c.input<T>(1);
      T* result = static_cast<T*>(place.memory(c, shape));
      std::vector<double> sums(static_cast<size_t>(shape.num_elements()), 0);
      for_each_window(p, [&](int64_t out, const std::vector<int64_t>& cells) {
        const double share = widen(gradient[out]) / static_cast<double>(cells.size());
        for (int64_t cell : cells) sums[static_cast<size_t>(cell)] += share;
      });
      for (size_t i = 0; i < sums.size(); ++i) result[i] = narrow<T>(sums[i]);
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"MaxPool", "reference", make_max_pool},
    {"MaxPoolGrad", "reference", make_max_pool_grad},
    {"MaxPoolGradGrad", "reference", make_max_pool_grad_grad},
    {"AvgPool", "reference", make_avg_pool},
    {"AvgPoolGrad", "reference", make_avg_pool_grad},
};

}  // namespace

std::span<const KernelDef> reference_pooling_kernels() { return kKernels; }

}  // namespace thalweg
