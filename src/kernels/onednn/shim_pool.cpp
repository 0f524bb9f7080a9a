// Max and average pooling.

#include "kernels/onednn/shim_dnnl.h"

namespace thalweg::onednn {
namespace {

using dnnl::prop_kind;

struct Geometry {
  explicit Geometry(const Pooling& op) {
    switch (op.kind) {
      case PoolingKind::max: algorithm = dnnl::algorithm::pooling_max; break;
      case PoolingKind::average_with_padding:
        algorithm = dnnl::algorithm::pooling_avg_include_padding;
        break;
      case PoolingKind::average_without_padding:
        algorithm = dnnl::algorithm::pooling_avg_exclude_padding;
        break;
    }
    if (op.src.dims().size() < 3) reject("pooling needs [n, c, spatial...]");
    const std::size_t rank = op.src.dims().size() - 2;
    kernel = or_default(op.kernel, rank, 1);
    strides = or_default(op.strides, rank, 1);
    before = or_default(op.pads_before, rank, 0);
    after = or_default(op.pads_after, rank, 0);
  }

  dnnl::algorithm algorithm;
  Dims kernel, strides, before, after;
};

dnnl::pooling_forward::primitive_desc forward_pd(const Pooling& op, const Geometry& g,
                                                 prop_kind kind) {
#if DNNL_VERSION_MAJOR >= 3
  const Dims dense(g.kernel.size(), 0);
  return make_pd<dnnl::pooling_forward>(make_attr(), kind, g.algorithm, md_of(op.src),
                                        md_of(op.dst), g.strides, g.kernel, dense, g.before,
                                        g.after);
#else
  return make_pd<dnnl::pooling_forward>(make_attr(), kind, g.algorithm, md_of(op.src),
                                        md_of(op.dst), g.strides, g.kernel, g.before, g.after);
#endif
}

}  // namespace

std::optional<Primitive> pooling_forward(const Pooling& op, bool training) {
  const Geometry g(op);
  const auto kind = training ? prop_kind::forward_training : prop_kind::forward_inference;
  return try_build<dnnl::pooling_forward>("pooling", [&] { return forward_pd(op, g, kind); },
                                          {{Arg::src}, {Arg::dst}, {Arg::workspace}});
}

std::optional<Primitive> pooling_backward(const Pooling& op) {
  using Op = dnnl::pooling_backward;
  const Geometry g(op);
  return try_build<Op>("pooling, backward",
                       [&] {
                         const auto hint = forward_pd(op, g, prop_kind::forward_training);
#if DNNL_VERSION_MAJOR >= 3
                         const Dims dense(g.kernel.size(), 0);
                         return make_backward_pd<Op>(hint, g.algorithm, md_of(op.src),
                                                     md_of(op.dst), g.strides, g.kernel, dense,
                                                     g.before, g.after);
#else
        return make_backward_pd<Op>(hint, g.algorithm, md_of(op.src), md_of(op.dst), g.strides,
                                    g.kernel, g.before, g.after);
#endif
                       },
                       {{Arg::diff_dst}, {Arg::workspace}, {Arg::diff_src}});
}

}  // namespace thalweg::onednn
