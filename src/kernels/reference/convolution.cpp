// All six convolutions are one set of triples (image cell, filter cell, output cell): the forward
// pass adds image * filter to the output, the backprops add output * filter to the image, and image
// * output to the filter. A depthwise filter [h, w, c, m] lies in memory as a dense one [h, w, 1, c
// * m] in c groups, and is taken as that.

#include <algorithm>
#include <vector>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elements.h"
#include "thalweg/graph/window.h"

namespace thalweg {
namespace {

// Distances between neighbours of an image batch in memory.
struct ImageStrides {
  int64_t batch, height, width, channels;
};

ImageStrides image_strides(const Shape& shape, const ImageAxes& axes) {
  const auto stride = [&shape](int axis) { return shape.slice(axis + 1).num_elements(); };
  return {stride(axes.batch), stride(axes.height), stride(axes.width), stride(axes.channels)};
}

struct Geometry {
  Windows2d windows;
  Shape output;
  int64_t batch, groups, group_in, group_out;  // group_in and group_out: channels of one group
  ImageStrides in, out;
};

Geometry make_geometry(const AttrMap& attrs, const Shape& input, const Shape& filter,
                       bool depthwise) {
  const ImageAxes axes = image_axes(std::get<std::string>(attrs.at("data_format")));
  const int64_t channels = input[axes.channels];
  if (depthwise ? filter[2] != channels : filter[2] == 0 || channels % filter[2] != 0) {
    throw invalid_argument("input depth ", channels, ", filter expects ", filter[2],
                           ": the input is ", input, ", the filter ", filter);
  }
  Geometry g;
  g.windows = convolution_windows(attrs, input, filter[0], filter[1]);
  g.batch = input[axes.batch];
  g.group_in = depthwise ? 1 : filter[2];
  g.groups = channels / g.group_in;
  g.group_out = depthwise ? filter[3] : filter[3] / std::max<int64_t>(g.groups, 1);
  g.output = input;
  g.output.set_dim(axes.height, g.windows.height.output);
  g.output.set_dim(axes.width, g.windows.width.output);
  g.output.set_dim(axes.channels, g.groups * g.group_out);
  g.in = image_strides(input, axes);
  g.out = image_strides(g.output, axes);
  return g;
}

// Calls f(image, filter, output) with the positions of each product, padding left out.
template <class F>
void for_each_product(const Geometry& g, F f) {
  const Window& high = g.windows.height;
  const Window& wide = g.windows.width;
  const int64_t channels_out = g.groups * g.group_out;
  for (int64_t n = 0; n < g.batch; ++n) {
    for (int64_t oy = 0; oy < high.output; ++oy) {
      for (int64_t ox = 0; ox < wide.output; ++ox) {
        for (int64_t ky = 0; ky < high.size; ++ky) {
          for (int64_t kx = 0; kx < wide.size; ++kx) {
            const int64_t iy = high.cell(oy, ky);
            const int64_t ix = wide.cell(ox, kx);
            if (iy < 0 || iy >= high.input || ix < 0 || ix >= wide.input) continue;
            const int64_t image = n * g.in.batch + iy * g.in.height + ix * g.in.width;
            const int64_t output = n * g.out.batch + oy * g.out.height + ox * g.out.width;
            for (int64_t ci = 0; ci < g.groups * g.group_in; ++ci) {
              const int64_t filter =
                  ((ky * wide.size + kx) * g.group_in + ci % g.group_in) * channels_out;
              const int64_t first = ci / g.group_in * g.group_out;
              for (int64_t co = first; co < first + g.group_out; ++co) {
                f(image + ci * g.in.channels, filter + co, output + co * g.out.channels);
              }
            }
          }
        }
      }
    }
  }
}

enum class Wanted { kOutput, kImage, kFilter };

// What is wanted, into `result` of `count` elements, from the other two.
template <class T>
void convolve(const Geometry& g, Wanted wanted, const T* image, const T* filter, const T* output,
              T* result, int64_t count) {
  std::vector<Accumulator<T>> sums(static_cast<size_t>(count), 0);
  Accumulator<T>* sum = sums.data();
  switch (wanted) {
    case Wanted::kOutput:
      for_each_product(g, [=](int64_t i, int64_t f, int64_t o) {
        sum[o] += widen(image[i]) * widen(filter[f]);
      });
      break;
    case Wanted::kImage:
      for_each_product(g, [=](int64_t i, int64_t f, int64_t o) {
        sum[i] += widen(output[o]) * widen(filter[f]);
      });
      break;
    case Wanted::kFilter:
      for_each_product(g, [=](int64_t i, int64_t f, int64_t o) {
        sum[f] += widen(image[i]) * widen(output[o]);
      });
      break;
  }
  std::transform(sums.begin(), sums.end(), result, narrow<T>);
}

template <bool kDepthwise>
KernelPtr make_forward(const KernelRequest& request) {
  const Geometry g = make_geometry(request.node.attrs(), request.inputs[0].shape,
                                   request.inputs[1].shape, kDepthwise);
  const int64_t count = request.outputs[0].shape.num_elements();
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([=](KernelContext& c) {
      convolve<T>(g, Wanted::kOutput, c.input<T>(0), c.input<T>(1), nullptr, c.output<T>(), count);
    });
  });
}

// The backprops: the shape of the result is an input, and may be known only now.
template <bool kDepthwise, Wanted kWanted>
KernelPtr make_backprop(const KernelRequest& request) {
  constexpr int kSizes = kWanted == Wanted::kImage ? 0 : 1;
  constexpr int kOther = 1 - kSizes;
  const Shape other = request.inputs[kOther].shape;
  const Shape backprop = request.inputs[2].shape;
  return visit_numbers(request.inputs[2].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([=, attrs = request.node.attrs(),
                        sizes = reference::IntsInput(request, kSizes),
                        place = reference::OutputPlace(request, 0)](KernelContext& c) {
      const Shape shape(sizes.read(c));
      if (shape.rank() != 4 || !shape.is_fully_defined())
        throw invalid_argument("the sizes must be 4 numbers, none negative, got ", shape);
      const Geometry g = kWanted == Wanted::kImage ? make_geometry(attrs, shape, other, kDepthwise)
                                                   : make_geometry(attrs, other, shape, kDepthwise);
      if (g.output != backprop) {
        throw invalid_argument("out_backprop is ", backprop, ", but this convolution gives ",
                               g.output);
      }
      T* result = static_cast<T*>(place.memory(c, shape));
      const T* operand = c.input<T>(kOther);
      convolve<T>(g, kWanted, operand, operand, c.input<T>(2), result, shape.num_elements());
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"Conv2D", "reference", make_forward<false>},
    {"Conv2DBackpropInput", "reference", make_backprop<false, Wanted::kImage>},
    {"Conv2DBackpropFilter", "reference", make_backprop<false, Wanted::kFilter>},
    {"DepthwiseConv2dNative", "reference", make_forward<true>},
    {"DepthwiseConv2dNativeBackpropInput", "reference", make_backprop<true, Wanted::kImage>},
    {"DepthwiseConv2dNativeBackpropFilter", "reference", make_backprop<true, Wanted::kFilter>},
};

}  // namespace

std::span<const KernelDef> reference_convolution_kernels() { return kKernels; }

}  // namespace thalweg
