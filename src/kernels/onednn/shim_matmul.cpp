// Reorder, matmul and inner product.

#include "kernels/onednn/shim_dnnl.h"

namespace thalweg::onednn {

using dnnl::prop_kind;

std::optional<Primitive> reorder(const Desc& from, const Desc& to) {
  const auto& src = md_of(from);
  const auto& dst = md_of(to);
  if (from.is_any() || to.is_any()) reject("reorder needs two fixed layouts");
  return try_build<dnnl::reorder>(
      "reorder",
      [&] { return dnnl::reorder::primitive_desc(engine(), src, engine(), dst, make_attr()); },
      {{Arg::src, src}, {Arg::dst, dst}});
}

std::optional<Primitive> matmul(const MatMul& op) {
  if (!can_multiply(op.src, op.weights)) return std::nullopt;
  return try_build<dnnl::matmul>("matmul",
                                 [&] {
                                   return make_pd<dnnl::matmul>(make_attr(op.epilogue),
                                                                md_of(op.src), md_of(op.weights),
                                                                md_of(op.bias), md_of(op.dst));
                                 },
                                 {{Arg::src}, {Arg::weights}, {Arg::bias}, {Arg::dst}});
}

namespace {

// What backward wants to know of its forward: shapes only, so every layout is left open. The
// element type is that of the low-precision side: gradients may be f32 where forward is bf16.
dnnl::inner_product_forward::primitive_desc forward_hint(const InnerProduct& op, Element element) {
  return make_pd<dnnl::inner_product_forward>(
      make_attr(), prop_kind::forward_training, md_of(Desc::any(op.src.dims(), element)),
      md_of(Desc::any(op.weights.dims(), element)), md_of(Desc::any(op.dst.dims(), element)));
}

}  // namespace

std::optional<Primitive> inner_product_forward(const InnerProduct& op) {
  using Op = dnnl::inner_product_forward;
  if (!can_multiply(op.src, op.weights)) return std::nullopt;
  return try_build<Op>("inner product",
                       [&] {
                         const auto kind = op.training ? prop_kind::forward_training
                                                       : prop_kind::forward_inference;
                         return make_pd<Op>(make_attr(op.epilogue), kind, md_of(op.src),
                                            md_of(op.weights), md_of(op.bias), md_of(op.dst));
                       },
                       {{Arg::src}, {Arg::weights}, {Arg::bias}, {Arg::dst}});
}

std::optional<Primitive> inner_product_backward_data(const InnerProduct& op) {
  using Op = dnnl::inner_product_backward_data;
  if (!can_multiply(op.dst, op.weights)) return std::nullopt;
  return try_build<Op>("inner product, backward data",
                       [&] {
                         return make_backward_pd<Op>(forward_hint(op, op.weights.element()),
                                                     md_of(op.src), md_of(op.weights),
                                                     md_of(op.dst));
                       },
                       {{Arg::diff_dst}, {Arg::weights}, {Arg::diff_src}});
}

std::optional<Primitive> inner_product_backward_weights(const InnerProduct& op) {
  using Op = dnnl::inner_product_backward_weights;
  if (!can_multiply(op.src, op.dst)) return std::nullopt;
  return try_build<Op>("inner product, backward weights",
                       [&] {
                         return make_backward_pd<Op>(forward_hint(op, op.src.element()),
                                                     md_of(op.src), md_of(op.weights),
                                                     md_of(op.bias), md_of(op.dst));
                       },
                       {{Arg::src}, {Arg::diff_dst}, {Arg::diff_weights}, {Arg::diff_bias}});
}

}  // namespace thalweg::onednn
