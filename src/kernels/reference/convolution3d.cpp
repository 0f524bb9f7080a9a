// Each of the three convolutions gathers what its results are sums of, so that rows of results (or
// filter cells) are independent and run in parallel. All work on [batch, depth, height, width,
// channels]; the other format is turned round first.

#include <algorithm>
#include <vector>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/block_copy.h"
#include "kernels/reference/elements.h"
#include "thalweg/base/parallel.h"
#include "thalweg/graph/volume_window.h"

namespace thalweg {
namespace {

using reference::IntsInput;
using reference::OutputPlace;

struct Geometry {
  Windows3d windows;
  Shape output;
  int64_t batch, in, out;  // in and out: channels
  bool is_channels_first;

  int64_t filter_cells() const { return windows[0].size * windows[1].size * windows[2].size; }
  int64_t input_cells() const { return windows[0].input * windows[1].input * windows[2].input; }
  int64_t output_cells() const { return windows[0].output * windows[1].output * windows[2].output; }
};

Geometry make_geometry(const AttrMap& attrs, const Shape& input, const Shape& filter) {
  const auto& format = std::get<std::string>(attrs.at("data_format"));
  const VolumeAxes axes = volume_axes(format);
  if (input.rank() != 5 || filter.rank() != 5 || input[axes.channels] != filter[3]) {
    throw invalid_argument("a filter of shape ", filter, " does not fit volumes of shape ", input);
  }
  Geometry g{volume_convolution_windows(attrs, input, filter),
             input,
             input[0],
             filter[3],
             filter[4],
             format == "NCDHW"};
  for (int i = 0; i < 3; ++i) {
    g.output.set_dim(axes.spatial + i, g.windows[static_cast<size_t>(i)].output);
  }
  g.output.set_dim(axes.channels, g.out);
  return g;
}

// What sums are made in: products of float inputs are not worth more than float here, where they
// are many.
template <class T>
using Sum = std::conditional_t<std::is_same_v<T, double>, double, float>;

// [batch, rows, columns] to [batch, columns, rows].
template <class T>
void turn(const T* from, T* to, int64_t batch, int64_t rows, int64_t columns) {
  reference::copy_box(
      kDTypeOf<T>,
      {.dims = {{batch, rows * columns, rows * columns}, {columns, 1, rows}, {rows, columns, 1}}},
      from, to);
}

// Volumes with the channels last, in the type of the sums.
template <class T>
class Operand {
 public:
  Operand(const T* values, int64_t batch, int64_t cells, int64_t channels, bool is_first) {
    const auto count = static_cast<size_t>(batch * cells * channels);
    if (is_first) {
      turned_.resize(count);
      turn(values, turned_.data(), batch, channels, cells);
      values = turned_.data();
    }
    if constexpr (std::is_same_v<T, Sum<T>>) {
      data_ = values;
    } else {
      sums_.resize(count);
      for (size_t i = 0; i < count; ++i) sums_[i] = static_cast<Sum<T>>(widen(values[i]));
      data_ = sums_.data();
    }
  }
  const Sum<T>* data() const { return data_; }

 private:
  std::vector<T> turned_;
  std::vector<Sum<T>> sums_;
  const Sum<T>* data_;
};

template <class T>
void store(const std::vector<Sum<T>>& sums, int64_t batch, int64_t cells, int64_t channels,
           bool is_first, T* to) {
  std::vector<T> values(is_first ? sums.size() : 0);
  T* direct = is_first ? values.data() : to;
  for (size_t i = 0; i < sums.size(); ++i) direct[i] = narrow<T>(sums[i]);
  if (is_first) turn(direct, to, batch, cells, channels);
}

// Calls f(k, other) for each filter cell k (counted in row order) that joins `at` with a cell of
// the other side, which `find(window, at, k)` gives or -1.
template <class Find, class F>
void for_each_cell(const Windows3d& w, const int64_t (&at)[3], const int64_t (&sizes)[3], Find find,
                   F f) {
  for (int64_t kz = 0; kz < w[0].size; ++kz) {
    const int64_t z = find(w[0], at[0], kz);
    if (z < 0) continue;
    for (int64_t ky = 0; ky < w[1].size; ++ky) {
      const int64_t y = find(w[1], at[1], ky);
      if (y < 0) continue;
      for (int64_t kx = 0; kx < w[2].size; ++kx) {
        const int64_t x = find(w[2], at[2], kx);
        if (x < 0) continue;
        f((kz * w[1].size + ky) * w[2].size + kx, (z * sizes[1] + y) * sizes[2] + x);
      }
    }
  }
}

int64_t input_cell(const Window& w, int64_t o, int64_t k) {
  const int64_t cell = w.cell(o, k);
  return cell < w.input ? cell : -1;
}

// The output cell o with w.cell(o, k) == i.
int64_t output_cell(const Window& w, int64_t i, int64_t k) {
  const int64_t at = i + w.pad_before - k * w.dilation;
  if (at < 0 || at % w.stride != 0) return -1;
  return at / w.stride < w.output ? at / w.stride : -1;
}

// sum[o] += image[i] * filter[i][o].
template <class S>
void multiply_add(const S* image, const S* filter, int64_t in, int64_t out, S* __restrict sum) {
  for (int64_t i = 0; i < in; ++i, filter += out) {
    const S value = image[i];
    for (int64_t o = 0; o < out; ++o) sum[o] += value * filter[o];
  }
}

template <class S>
void forward(const Geometry& g, const S* image, const S* filter, S* result) {
  const auto& w = g.windows;
  parallel_for(g.batch * w[0].output * w[1].output, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t n = row / w[1].output / w[0].output;
      for (int64_t x = 0; x < w[2].output; ++x) {
        S* sum = result + (row * w[2].output + x) * g.out;
        for_each_cell(w, {row / w[1].output % w[0].output, row % w[1].output, x},
                      {w[0].input, w[1].input, w[2].input}, input_cell,
                      [&](int64_t k, int64_t cell) {
                        multiply_add(image + (n * g.input_cells() + cell) * g.in,
                                     filter + k * g.in * g.out, g.in, g.out, sum);
                      });
      }
    }
  });
}

// `filter` is turned round: [cells, out, in], so that the inner loop runs over neighbours.
template <class S>
void backward(const Geometry& g, const S* output, const S* filter, S* result) {
  const auto& w = g.windows;
  parallel_for(g.batch * w[0].input * w[1].input, 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t n = row / w[1].input / w[0].input;
      for (int64_t x = 0; x < w[2].input; ++x) {
        S* sum = result + (row * w[2].input + x) * g.in;
        for_each_cell(w, {row / w[1].input % w[0].input, row % w[1].input, x},
                      {w[0].output, w[1].output, w[2].output}, output_cell,
                      [&](int64_t k, int64_t cell) {
                        multiply_add(output + (n * g.output_cells() + cell) * g.out,
                                     filter + k * g.in * g.out, g.out, g.in, sum);
                      });
      }
    }
  });
}

template <class S>
void filter_sums(const Geometry& g, const S* image, const S* output, S* result) {
  const auto& w = g.windows;
  parallel_for(g.filter_cells(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      S* sums = result + k * g.in * g.out;
      const int64_t kx = k % w[2].size, ky = k / w[2].size % w[1].size;
      const int64_t kz = k / w[2].size / w[1].size;
      for (int64_t o = 0; o < g.batch * g.output_cells(); ++o) {
        const int64_t x = input_cell(w[2], o % w[2].output, kx);
        const int64_t y = input_cell(w[1], o / w[2].output % w[1].output, ky);
        const int64_t z = input_cell(w[0], o / w[2].output / w[1].output % w[0].output, kz);
        if (x < 0 || y < 0 || z < 0) continue;
        const int64_t cell = (z * w[1].input + y) * w[2].input + x;
        const S* values = image + (o / g.output_cells() * g.input_cells() + cell) * g.in;
        for (int64_t i = 0; i < g.in; ++i) {
          S* __restrict sum = sums + i * g.out;
          for (int64_t c = 0; c < g.out; ++c) sum[c] += values[i] * output[o * g.out + c];
        }
      }
    }
  });
}

template <class T>
Operand<T> images_of(const Geometry& g, const T* values) {
  return {values, g.batch, g.input_cells(), g.in, g.is_channels_first};
}
template <class T>
Operand<T> outputs_of(const Geometry& g, const T* values) {
  return {values, g.batch, g.output_cells(), g.out, g.is_channels_first};
}

KernelPtr make_forward(const KernelRequest& request) {
  const Geometry g =
      make_geometry(request.node.attrs(), request.inputs[0].shape, request.inputs[1].shape);
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([g](KernelContext& c) {
      const Operand<T> image = images_of(g, c.input<T>(0));
      const Operand<T> filter(c.input<T>(1), g.filter_cells(), g.in, g.out, false);
      std::vector<Sum<T>> sums(static_cast<size_t>(g.batch * g.output_cells() * g.out));
      forward(g, image.data(), filter.data(), sums.data());
      store<T>(sums, g.batch, g.output_cells(), g.out, g.is_channels_first, c.output<T>());
    });
  });
}

void check_backprop(const Geometry& g, const Shape& backprop) {
  if (g.output == backprop) return;
  throw invalid_argument("out_backprop is ", backprop, ", but this convolution gives ", g.output);
}

KernelPtr make_backprop_input(const KernelRequest& request) {
  return visit_floats(request.inputs[2].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([attrs = request.node.attrs(), filter_shape = request.inputs[1].shape,
                        backprop = request.inputs[2].shape, sizes = IntsInput(request, 0),
                        place = OutputPlace(request, 0)](KernelContext& c) {
      const Shape shape(sizes.read(c));
      const Geometry g = make_geometry(attrs, shape, filter_shape);
      check_backprop(g, backprop);
      const Operand<T> output = outputs_of(g, c.input<T>(2));
      const Operand<T> filter(c.input<T>(1), g.filter_cells(), g.out, g.in, true);
      std::vector<Sum<T>> sums(static_cast<size_t>(g.batch * g.input_cells() * g.in));
      backward(g, output.data(), filter.data(), sums.data());
      store<T>(sums, g.batch, g.input_cells(), g.in, g.is_channels_first,
               static_cast<T*>(place.memory(c, shape)));
    });
  });
}

KernelPtr make_backprop_filter(const KernelRequest& request) {
  return visit_floats(request.inputs[2].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([attrs = request.node.attrs(), images = request.inputs[0].shape,
                        backprop = request.inputs[2].shape, sizes = IntsInput(request, 1),
                        place = OutputPlace(request, 0)](KernelContext& c) {
      const Shape shape(sizes.read(c));
      const Geometry g = make_geometry(attrs, images, shape);
      check_backprop(g, backprop);
      const Operand<T> image = images_of(g, c.input<T>(0));
      const Operand<T> output = outputs_of(g, c.input<T>(2));
      std::vector<Sum<T>> sums(static_cast<size_t>(shape.num_elements()));
      filter_sums(g, image.data(), output.data(), sums.data());
      store<T>(sums, g.filter_cells(), g.in, g.out, false, static_cast<T*>(place.memory(c, shape)));
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"Conv3D", "reference", make_forward},
    {"Conv3DBackpropInputV2", "reference", make_backprop_input},
    {"Conv3DBackpropFilterV2", "reference", make_backprop_filter},
};

}  // namespace

std::span<const KernelDef> reference_convolution3d_kernels() { return kKernels; }

}  // namespace thalweg
