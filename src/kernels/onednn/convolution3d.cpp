// Convolutions of volumes in oneDNN's layouts: as convolution.cpp does for images, less what only
// images have there (groups, Winograd, fusion).
#include "kernels/families.h"
#include "kernels/onednn/prepared.h"
#include "kernels/onednn/views.h"
#include "thalweg/graph/volume_window.h"

namespace thalweg {
namespace {

using namespace onednn;  // NOLINT: this file is written in its terms

// Volumes, as [n, c, d, h, w].
Desc volume_view(const Shape& shape, std::string_view data_format) {
  const VolumeAxes axes = volume_axes(data_format);
  Dims dims = {shape[0], shape[axes.channels]};
  Dims strides = {shape.slice(1).num_elements(), shape.slice(axes.channels + 1).num_elements()};
  for (int i = 0; i < 3; ++i) {
    dims.push_back(shape[axes.spatial + i]);
    strides.push_back(shape.slice(axes.spatial + i + 1).num_elements());
  }
  return Desc::strided(dims, strides);
}

// A filter [d, h, w, i, o], as [o, i, d, h, w].
Desc volume_filter_view(const Shape& s) {
  const int64_t cell = s[3] * s[4];
  return Desc::strided({s[4], s[3], s[0], s[1], s[2]},
                       {1, s[4], s[1] * s[2] * cell, s[2] * cell, cell});
}

struct Geometry {
  Desc image, filter, output;  // views
  Dims strides, dilations, before, after;
};

Geometry make_geometry(const Node& node, const Shape& image, const Shape& filter,
                       const Shape& output) {
  const auto& format = node.attr<std::string>("data_format");
  Geometry g{volume_view(image, format), volume_filter_view(filter), volume_view(output, format)};
  for (const Window& window : volume_convolution_windows(node.attrs(), image, filter)) {
    g.strides.push_back(window.stride);
    g.dilations.push_back(window.dilation);
    g.before.push_back(window.pad_before);
    g.after.push_back(window.pad_after);
  }
  return g;
}

Desc any(const Desc& view) { return Desc::any(view.dims()); }

// What to ask for an operand: the layout in which it arrives, unless that is plain.
Desc wish(const TensorSpec& spec, const Desc& view) {
  const Desc desc = arriving(spec, view);
  return spec.layout != nullptr && desc ? desc : any(view);
}

using Build = std::optional<Primitive> (*)(const Convolution&);

// With the operands as wished for if that is fast, else all left to oneDNN.
std::optional<Primitive> choose(Build build, const Geometry& g, Convolution op) {
  op.strides = g.strides;
  op.dilations = g.dilations;
  op.pads_before = g.before;
  op.pads_after = g.after;
  auto primitive = build(op);
  if (primitive && is_fast(*primitive)) return primitive;
  op.src = any(op.src), op.weights = any(op.weights), op.dst = any(op.dst);
  return build(op);
}

KernelPtr make_forward(const KernelRequest& request) {
  if (!is_suitable(request)) return nullptr;
  const TensorSpec& image = request.inputs[0];
  const TensorSpec& filter = request.inputs[1];
  const Geometry g =
      make_geometry(request.node, image.shape, filter.shape, request.outputs[0].shape);
  const auto primitive = choose(convolution_forward, g,
                                {.src = wish(image, g.image),
                                 .weights = wish(filter, g.filter),
                                 .bias = {},
                                 .dst = any(g.output)});
  if (!primitive) return nullptr;
  return bind(*primitive, {in(Arg::src, 0, g.image), in(Arg::weights, 1, g.filter),
                           out(Arg::dst, 0, g.output)});
}

KernelPtr make_backprop_input(const KernelRequest& request) {
  if (!is_suitable(request)) return nullptr;
  const TensorSpec& filter = request.inputs[1];
  const TensorSpec& gradient = request.inputs[2];
  const Geometry g =
      make_geometry(request.node, request.outputs[0].shape, filter.shape, gradient.shape);
  const auto primitive = choose(convolution_backward_data, g,
                                {.src = any(g.image),
                                 .weights = wish(filter, g.filter),
                                 .bias = {},
                                 .dst = wish(gradient, g.output)});
  if (!primitive) return nullptr;
  return bind(*primitive, {in(Arg::weights, 1, g.filter), in(Arg::diff_dst, 2, g.output),
                           out(Arg::diff_src, 0, g.image)});
}

KernelPtr make_backprop_filter(const KernelRequest& request) {
  if (!is_suitable(request)) return nullptr;
  const TensorSpec& image = request.inputs[0];
  const TensorSpec& gradient = request.inputs[2];
  const Geometry g =
      make_geometry(request.node, image.shape, request.outputs[0].shape, gradient.shape);
  const auto primitive = choose(convolution_backward_weights, g,
                                {.src = wish(image, g.image),
                                 .weights = any(g.filter),
                                 .bias = {},
                                 .dst = wish(gradient, g.output)});
  if (!primitive) return nullptr;
  return bind(*primitive, {in(Arg::src, 0, g.image), in(Arg::diff_dst, 2, g.output),
                           out(Arg::diff_weights, 0, g.filter)});
}

constexpr KernelDef kKernels[] = {
    {"Conv3D", "onednn", make_forward},
    {"Conv3DBackpropInputV2", "onednn", make_backprop_input},
    {"Conv3DBackpropFilterV2", "onednn", make_backprop_filter},
};

}  // namespace

std::span<const KernelDef> onednn_convolution3d_kernels() { return kKernels; }

}  // namespace thalweg
