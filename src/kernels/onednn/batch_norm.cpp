// Batch normalisation in the layouts of oneDNN's convolutions.
#include <algorithm>

#include "kernels/families.h"
#include "kernels/onednn/images.h"
#include "kernels/onednn/prepared.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

using namespace onednn;  // NOLINT: this file is written in its terms

// Brings oneDNN's thread count into line, too. (Running statistics may be empty in training.)
bool can_normalize(const TensorSpec& images, const TensorSpec& scale) {
  if (images.dtype != kFloat32 || scale.dtype != kFloat32) return false;
  if (!images.shape.is_fully_defined() || images.shape.num_elements() == 0) return false;
  num_threads();
  return true;
}

struct Statistics {
  int64_t channels;
  int64_t count;     // values a channel
  float factor;      // weight of the batch in the running statistics
  bool has_reserve;  // the scalar without meaning of the third version
};

// Runs a primitive, then what TensorFlow's op has beyond it.
class BatchNormKernel final : public Kernel {
 public:
  using After = void (*)(const Statistics& s, KernelContext& context);

  BatchNormKernel(KernelPtr primitive, After after, Statistics statistics)
      : Kernel(primitive->traits()),
        primitive_(std::move(primitive)),
        after_(after),
        statistics_(statistics) {}

  void compute(KernelContext& context) const override {
    primitive_->compute(context);
    after_(statistics_, context);
  }
  std::unique_ptr<KernelState> make_state() const override { return primitive_->make_state(); }

 private:
  KernelPtr primitive_;
  After after_;
  Statistics statistics_;
};

// The running statistics: new = (1 - factor) old + factor batch, of the unbiased variance.
void update_running(const Statistics& s, KernelContext& c) {
  const auto n = static_cast<float>(s.count);
  const float correction = n / std::max(n - 1, 1.0f);
  const float* mean = c.output<float>(3);
  const float* variance = c.output<float>(4);
  for (int64_t ch = 0; ch < s.channels; ++ch) {
    float new_mean = s.factor * mean[ch];
    float new_variance = s.factor * variance[ch] * correction;
    if (s.factor != 1) {  // otherwise the old ones may be empty
      new_mean += (1 - s.factor) * c.input<float>(3)[ch];
      new_variance += (1 - s.factor) * c.input<float>(4)[ch];
    }
    c.output<float>(1)[ch] = new_mean;
    c.output<float>(2)[ch] = new_variance;
  }
  if (s.has_reserve) *c.output<float>(5) = 0;
}

// Without training all statistics that come out are those that went in.
void pass_running(const Statistics& s, KernelContext& c) {
  for (const int output : {1, 3}) {
    std::copy_n(c.input<float>(3), s.channels, c.output<float>(output));
    std::copy_n(c.input<float>(4), s.channels, c.output<float>(output + 1));
  }
  if (s.has_reserve) *c.output<float>(5) = 0;
}

KernelPtr followed_by(BatchNormKernel::After after, KernelPtr primitive, const Desc& view,
                      float factor, bool has_reserve) {
  const Dims& d = view.dims();
  return std::make_unique<BatchNormKernel>(
      std::move(primitive), after, Statistics{d[1], d[0] * d[2] * d[3], factor, has_reserve});
}

// In the order in which `leader` arrives, if this CPU has an implementation for it; else in
// another.
std::optional<Primitive> build_for(const TensorSpec& leader, const Desc& view, BatchNorm op,
                                   std::optional<Primitive> (*build)(const BatchNorm&)) {
  const ChannelOrder orders[] = {channel_order(leader, view), {16}, {8}, {0}};
  for (const ChannelOrder& order : orders) {
    op.data = order.desc(view.dims());
    if (auto primitive = build(op)) return primitive;
  }
  return std::nullopt;
}

KernelPtr make_batch_norm(const KernelRequest& request) {
  const TensorSpec& x = request.inputs[0];
  if (!can_normalize(x, request.inputs[1])) return nullptr;
  const Node& node = request.node;
  const Desc view = image_view(x.shape, node.attr<std::string>("data_format"));
  const Desc channel = Desc::plain({view.dims()[1]});
  const BatchNorm op{.data = {}, .epsilon = node.attr<float>("epsilon")};
  const bool has_reserve = request.outputs.size() > 5;
  if (node.attr<bool>("is_training")) {
    const auto primitive = build_for(x, view, op, batch_norm_training);
    if (!primitive) return nullptr;
    return followed_by(
        update_running,
        bind(*primitive,
             {in(Arg::src, 0, view), in(Arg::scale, 1, channel), in(Arg::shift, 2, channel),
              out(Arg::dst, 0, view), out(Arg::mean, 3, channel), out(Arg::variance, 4, channel)}),
        view, node.attr<float>("exponential_avg_factor"), has_reserve);
  }
  const auto primitive = build_for(x, view, op, batch_norm_inference);
  if (!primitive) return nullptr;
  return followed_by(pass_running,
                     bind(*primitive, {in(Arg::src, 0, view), in(Arg::scale, 1, channel),
                                       in(Arg::shift, 2, channel), in(Arg::mean, 3, channel),
                                       in(Arg::variance, 4, channel), out(Arg::dst, 0, view)}),
                     view, 1, has_reserve);
}

KernelPtr make_batch_norm_grad(const KernelRequest& request) {
  const TensorSpec& dy = request.inputs[0];
  const TensorSpec& x = request.inputs[1];
  if (!can_normalize(x, request.inputs[2])) return nullptr;
  const Node& node = request.node;
  const Desc view = image_view(x.shape, node.attr<std::string>("data_format"));
  const Desc channel = Desc::plain({view.dims()[1]});
  // Convolutions hand over both in one order; else that of whichever is not plain.
  const TensorSpec& leader = x.layout == nullptr && dy.layout != nullptr ? dy : x;
  const BatchNorm op{.data = {},
                     .epsilon = node.attr<float>("epsilon"),
                     .fixed_statistics = !node.attr<bool>("is_training")};
  const auto primitive = build_for(leader, view, op, batch_norm_backward);
  if (!primitive) return nullptr;
  return bind(*primitive, {in(Arg::diff_dst, 0, view), in(Arg::src, 1, view),
                           in(Arg::scale, 2, channel), in(Arg::mean, 3, channel),
                           in(Arg::variance, 4, channel), out(Arg::diff_src, 0, view),
                           out(Arg::diff_scale, 1, channel), out(Arg::diff_shift, 2, channel)});
}

constexpr KernelDef kKernels[] = {
    {"FusedBatchNorm", "onednn", make_batch_norm},
    {"FusedBatchNormV2", "onednn", make_batch_norm},
    {"FusedBatchNormV3", "onednn", make_batch_norm},
    {"FusedBatchNormGrad", "onednn", make_batch_norm_grad},
    {"FusedBatchNormGradV2", "onednn", make_batch_norm_grad},
    {"FusedBatchNormGradV3", "onednn", make_batch_norm_grad},
};

}  // namespace

std::span<const KernelDef> onednn_batch_norm_kernels() { return kKernels; }

}  // namespace thalweg
