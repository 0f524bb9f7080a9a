// Convolution.

#include "kernels/onednn/shim_dnnl.h"

namespace thalweg::onednn {
namespace {

using dnnl::prop_kind;

// The geometry in oneDNN's terms; its dilation counts the holes, TensorFlow's the distance.
struct Geometry {
  explicit Geometry(const Convolution& op)
      : algorithm(op.winograd ? dnnl::algorithm::convolution_winograd
                              : dnnl::algorithm::convolution_direct) {
    if (op.src.dims().size() < 3) reject("convolution needs [n, c, spatial...]");
    const std::size_t rank = op.src.dims().size() - 2;
    strides = or_default(op.strides, rank, 1);
    dilations = or_default(op.dilations, rank, 1);
    before = or_default(op.pads_before, rank, 0);
    after = or_default(op.pads_after, rank, 0);
    for (std::int64_t& d : dilations) {
      if (d < 1) reject("a dilation must be at least 1");
      --d;
    }
  }

  dnnl::algorithm algorithm;
  Dims strides, dilations, before, after;
};

// Backward needs the shapes of its forward, not the layouts: those stay open. The element type is
// that of the low-precision side, since gradients may be f32 where forward is bf16.
dnnl::convolution_forward::primitive_desc forward_hint(const Convolution& op, const Geometry& g,
                                                       Element element) {
  return make_pd<dnnl::convolution_forward>(
      make_attr(), prop_kind::forward_training, g.algorithm,
      md_of(Desc::any(op.src.dims(), element)), md_of(Desc::any(op.weights.dims(), element)),
      md_of(Desc::any(op.dst.dims(), element)), g.strides, g.dilations, g.before, g.after);
}

}  // namespace

std::optional<Primitive> convolution_forward(const Convolution& op) {
  using Op = dnnl::convolution_forward;
  if (!can_multiply(op.src, op.weights)) return std::nullopt;
  const Geometry g(op);
  return try_build<Op>(
      "convolution",
      [&] {
        const auto kind = op.training ? prop_kind::forward_training : prop_kind::forward_inference;
        return make_pd<Op>(make_attr(op.epilogue), kind, g.algorithm, md_of(op.src),
                           md_of(op.weights), md_of(op.bias), md_of(op.dst), g.strides, g.dilations,
                           g.before, g.after);
      },
      {{Arg::src}, {Arg::weights}, {Arg::bias}, {Arg::dst}});
}

std::optional<Primitive> convolution_backward_data(const Convolution& op) {
  using Op = dnnl::convolution_backward_data;
  if (!can_multiply(op.dst, op.weights)) return std::nullopt;
  const Geometry g(op);
  return try_build<Op>("convolution, backward data",
                       [&] {
                         return make_backward_pd<Op>(forward_hint(op, g, op.weights.element()),
                                                     g.algorithm, md_of(op.src), md_of(op.weights),
                                                     md_of(op.dst), g.strides, g.dilations,
                                                     g.before, g.after);
                       },
                       {{Arg::diff_dst}, {Arg::weights}, {Arg::diff_src}});
}

std::optional<Primitive> convolution_backward_weights(const Convolution& op) {
  using Op = dnnl::convolution_backward_weights;
  if (!can_multiply(op.src, op.dst)) return std::nullopt;
  const Geometry g(op);
  return try_build<Op>("convolution, backward weights",
                       [&] {
                         return make_backward_pd<Op>(forward_hint(op, g, op.src.element()),
                                                     g.algorithm, md_of(op.src), md_of(op.weights),
                                                     md_of(op.bias), md_of(op.dst), g.strides,
                                                     g.dilations, g.before, g.after);
                       },
                       {{Arg::src}, {Arg::diff_dst}, {Arg::diff_weights}, {Arg::diff_bias}});
}

}  // namespace thalweg::onednn
