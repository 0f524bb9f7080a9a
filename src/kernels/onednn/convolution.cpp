// Convolutions in oneDNN's blocked layouts.
//
// Images are taken as they arrive when a fast implementation accepts them, else in the layout that
// oneDNN prefers, and given out in the one it prefers, so that a layout flows through a whole
// region. The preference asked for is that of training, also when predicting: a variable has one
// layout, and blocked inference is as fast as nhwc.
#include <algorithm>

#include "kernels/families.h"
#include "kernels/onednn/prepared.h"
#include "kernels/onednn/views.h"
#include "thalweg/graph/window.h"

namespace thalweg {
namespace {

using namespace onednn;  // NOLINT: this file is written in its terms

struct Geometry {
  Desc image, filter, output;  // views
  int64_t channels_out;
  Dims strides, dilations, before, after;
  bool suits_winograd;
};

// Winograd's F(4x4, 3x3) needs a quarter of the multiplications; its error is twice the direct
// one's. It wins from as many channels and tiles as here, by 1.25 to 2.3 times, and with few tiles
// it loses as much (measured from 1x16x16x32 to 8x7x7x512).
constexpr int64_t kWinogradChannels = 32;
constexpr int64_t kWinogradTiles = 128;

Geometry make_geometry(const Node& node, const Shape& image, const Shape& filter,
                       const Shape& output, bool depthwise) {
  const auto& format = node.attr<std::string>("data_format");
  const ImageAxes axes = image_axes(format);
  const Windows2d windows = convolution_windows(node, image, filter[0], filter[1]);
  const Window& h = windows.height;
  const Window& w = windows.width;
  const int64_t channels = image[axes.channels];
  const int64_t groups = depthwise ? channels : channels / filter[2];
  Geometry g;
  g.image = image_view(image, format);
  g.filter = filter_view(filter, groups, depthwise);
  g.output = image_view(output, format);
  g.channels_out = output[axes.channels];
  g.strides = {h.stride, w.stride};
  g.dilations = {h.dilation, w.dilation};
  g.before = {h.pad_before, w.pad_before};
  g.after = {h.pad_after, w.pad_after};
  const bool is_3x3 = h.size == 3 && w.size == 3 && groups == 1 && !depthwise;
  const bool is_dense = g.strides == Dims{1, 1} && g.dilations == Dims{1, 1};
  const int64_t tiles = image[axes.batch] * ((h.output + 3) / 4) * ((w.output + 3) / 4);
  g.suits_winograd = is_3x3 && is_dense &&
                     std::min(channels, g.channels_out) >= kWinogradChannels &&
                     tiles >= kWinogradTiles;
  return g;
}

Desc any(const Desc& view) { return Desc::any(view.dims()); }

// What to ask for an operand: the layout in which it arrives, unless that is plain.
Desc wish(const TensorSpec& spec, const Desc& view) {
  const Desc desc = arriving(spec, view);
  return spec.layout != nullptr && desc ? desc : any(view);
}

using Build = std::optional<Primitive> (*)(const Convolution&);

// The first fast primitive: with the operands as wished for, then with ever more of them left to
// oneDNN; if there is none, what it has when it may choose everything.
std::optional<Primitive> choose(Build build, const Geometry& g, Convolution op) {
  op.strides = g.strides;
  op.dilations = g.dilations;
  op.pads_before = g.before;
  op.pads_after = g.after;
  std::vector<Convolution> wishes = {op};
  const auto loosen = [&wishes](Desc Convolution::*operand) {
    if ((wishes.back().*operand).is_any()) return;
    wishes.push_back(wishes.back());
    wishes.back().*operand = any(wishes.back().*operand);
  };
  loosen(&Convolution::weights);
  loosen(&Convolution::dst);
  loosen(&Convolution::src);
  std::optional<Primitive> slow;
  for (const bool winograd : {true, false}) {
    if (winograd && !g.suits_winograd) continue;
    for (Convolution& wanted : wishes) {
      wanted.winograd = winograd;
      auto primitive = build(wanted);
      if (primitive && is_fast(*primitive)) return primitive;
      if (primitive) slow = std::move(primitive);
    }
  }
  return slow;
}

std::optional<Primitive> choose_forward(const Geometry& g, const Desc& src, const Desc& weights,
                                        const Fusion& fusion) {
  return choose(convolution_forward, g,
                {.src = src,
                 .weights = weights,
                 .bias = fusion.bias ? Desc::plain({g.channels_out}) : Desc(),
                 .dst = any(g.output),
                 .epilogue = fusion.epilogue});
}

template <bool kDepthwise>
KernelPtr make_forward(const KernelRequest& request) {
  if (!is_suitable(request)) return nullptr;
  const auto fusion = fusion_of(request.node);
  if (!fusion) return nullptr;
  const TensorSpec& image = request.inputs[0];
  const TensorSpec& filter = request.inputs[1];
  const Geometry g =
      make_geometry(request.node, image.shape, filter.shape, request.outputs[0].shape, kDepthwise);
  const auto primitive = choose_forward(g, wish(image, g.image), wish(filter, g.filter), *fusion);
  if (!primitive) return nullptr;
  return bind(*primitive,
              {in(Arg::src, 0, g.image), in(Arg::weights, 1, g.filter),
               in(Arg::bias, 2, Desc::plain({g.channels_out})), out(Arg::dst, 0, g.output)},
              fusion->finish);
}

template <bool kDepthwise>
KernelPtr make_backprop_input(const KernelRequest& request) {
  if (!is_suitable(request)) return nullptr;
  const TensorSpec& filter = request.inputs[1];
  const TensorSpec& gradient = request.inputs[2];
  const Geometry g = make_geometry(request.node, request.outputs[0].shape, filter.shape,
                                   gradient.shape, kDepthwise);
  const auto primitive = choose(convolution_backward_data, g,
                                {.src = any(g.image),
                                 .weights = wish(filter, g.filter),
                                 .bias = {},
                                 .dst = wish(gradient, g.output)});
  if (!primitive) return nullptr;
  return bind(*primitive, {in(Arg::weights, 1, g.filter), in(Arg::diff_dst, 2, g.output),
                           out(Arg::diff_src, 0, g.image)});
}

template <bool kDepthwise, bool kBias = false>
KernelPtr make_backprop_filter(const KernelRequest& request) {
  if (!is_suitable(request)) return nullptr;
  const TensorSpec& image = request.inputs[0];
  const TensorSpec& gradient = request.inputs[2];
  const Geometry g = make_geometry(request.node, image.shape, request.outputs[0].shape,
                                   gradient.shape, kDepthwise);
  // The gradient comes in the layout that the forward pass chose for its filter, if it can.
  const Desc src = wish(image, g.image);
  const auto forward = choose_forward(g, src, any(g.filter), {});
  const Desc filter = forward && is_fast(*forward) ? forward->desc(Arg::weights) : any(g.filter);
  const auto primitive = choose(convolution_backward_weights, g,
                                {.src = src,
                                 .weights = filter,
                                 .bias = kBias ? Desc::plain({g.channels_out}) : Desc(),
                                 .dst = wish(gradient, g.output)});
  if (!primitive) return nullptr;
  return bind(*primitive, {in(Arg::src, 0, g.image), in(Arg::diff_dst, 2, g.output),
                           out(Arg::diff_weights, 0, g.filter),
                           out(Arg::diff_bias, 1, Desc::plain({g.channels_out}))});
}

constexpr KernelDef kKernels[] = {
    {"Conv2D", "onednn", make_forward<false>},
    {"_FusedConv2D", "onednn", make_forward<false>},
    {"Conv2DBackpropInput", "onednn", make_backprop_input<false>},
    {"Conv2DBackpropFilter", "onednn", make_backprop_filter<false>},
    {"_Conv2DBackpropFilterBias", "onednn", make_backprop_filter<false, true>},
    {"DepthwiseConv2dNative", "onednn", make_forward<true>},
    {"_FusedDepthwiseConv2dNative", "onednn", make_forward<true>},
    {"DepthwiseConv2dNativeBackpropInput", "onednn", make_backprop_input<true>},
    {"DepthwiseConv2dNativeBackpropFilter", "onednn", make_backprop_filter<true>},
};

}  // namespace

std::span<const KernelDef> onednn_convolution_kernels() { return kKernels; }

}  // namespace thalweg
