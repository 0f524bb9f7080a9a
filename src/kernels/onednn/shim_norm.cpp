// Batch normalization.

#include "kernels/onednn/shim_dnnl.h"

namespace thalweg::onednn {
namespace {

using dnnl::prop_kind;
using Flags = dnnl::normalization_flags;

Flags flags_of(const BatchNorm& op, bool fixed_statistics) {
  auto bits = static_cast<unsigned>(Flags::use_scale) | static_cast<unsigned>(Flags::use_shift);
  if (op.relu) bits |= static_cast<unsigned>(Flags::fuse_norm_relu);
  if (fixed_statistics) bits |= static_cast<unsigned>(Flags::use_global_stats);
  return static_cast<Flags>(bits);
}

dnnl::batch_normalization_forward::primitive_desc forward_pd(const BatchNorm& op, prop_kind kind,
                                                             bool fixed_statistics) {
  using Op = dnnl::batch_normalization_forward;
  const auto& data = md_of(op.data);
  const Flags flags = flags_of(op, fixed_statistics);
#if DNNL_VERSION_MAJOR >= 3
  return make_pd<Op>(make_attr(), kind, data, data, op.epsilon, flags);
#else
  return make_pd<Op>(make_attr(), kind, data, op.epsilon, flags);
#endif
}

dnnl::batch_normalization_backward::primitive_desc backward_pd(const BatchNorm& op) {
  using Op = dnnl::batch_normalization_backward;
  const auto& data = md_of(op.data);
  const auto hint = forward_pd(op, prop_kind::forward_training, op.fixed_statistics);
  const Flags flags = flags_of(op, op.fixed_statistics);
#if DNNL_VERSION_MAJOR >= 3
  return make_backward_pd<Op>(hint, prop_kind::backward, data, data, data, op.epsilon, flags);
#else
  return make_backward_pd<Op>(hint, prop_kind::backward, data, data, op.epsilon, flags);
#endif
}

// Statistics, scale and shift: always one f32 per channel.
dnnl::memory::desc per_channel(const BatchNorm& op) {
  if (op.data.dims().size() < 2) reject("batch normalization needs [n, c, ...]");
  return md_of(Desc::plain({op.data.dims()[1]}));
}

}  // namespace

std::optional<Primitive> batch_norm_training(const BatchNorm& op) {
  const auto channel = per_channel(op);
  return try_build<dnnl::batch_normalization_forward>(
      "batch normalization", [&] { return forward_pd(op, prop_kind::forward_training, false); },
      {{Arg::src},
       {Arg::scale, channel},
       {Arg::shift, channel},
       {Arg::dst},
       {Arg::mean, channel},
       {Arg::variance, channel},
       {Arg::workspace}});
}

std::optional<Primitive> batch_norm_inference(const BatchNorm& op) {
  const auto channel = per_channel(op);
  return try_build<dnnl::batch_normalization_forward>(
      "batch normalization", [&] { return forward_pd(op, prop_kind::forward_inference, true); },
      {{Arg::src},
       {Arg::mean, channel},
       {Arg::variance, channel},
       {Arg::scale, channel},
       {Arg::shift, channel},
       {Arg::dst}});
}

std::optional<Primitive> batch_norm_backward(const BatchNorm& op) {
  const auto channel = per_channel(op);
  // 2.x counts the shift among the inputs, though no gradient depends on it; any vector will do.
  constexpr int kShift = DNNL_VERSION_MAJOR >= 3 ? 0 : DNNL_ARG_SHIFT;
  return try_build<dnnl::batch_normalization_backward>("batch normalization, backward",
                                                       [&] { return backward_pd(op); },
                                                       {{Arg::src},
                                                        {Arg::diff_dst},
                                                        {Arg::mean, channel},
                                                        {Arg::variance, channel},
                                                        {Arg::scale, channel, kShift},
                                                        {Arg::workspace},
                                                        {Arg::diff_src},
                                                        {Arg::diff_scale, channel},
                                                        {Arg::diff_shift, channel}});
}

}  // namespace thalweg::onednn
