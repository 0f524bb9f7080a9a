// Bias on images in blocks of channels, so that graphs whose ops were not fused keep their layout
// between convolutions. Other layouts are left to the kernels for plain tensors.
#include "kernels/cpu/blocked_bias.h"
#include "kernels/families.h"
#include "kernels/onednn/images.h"
#include "kernels/onednn/prepared.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

using namespace onednn;  // NOLINT: this file is written in its terms

constexpr int64_t kElementsIn5Microseconds = 1 << 15;

struct Blocked {
  simd::BlockedImages images;
  LayoutPtr layout;

  int64_t plane_grain() const {
    return kElementsIn5Microseconds / (images.pixels * images.lanes) + 1;
  }
};

// Nothing unless `spec` arrives in blocks of channels.
std::optional<Blocked> blocked(const KernelRequest& request) {
  const TensorSpec& spec = request.inputs[0];
  if (spec.layout == nullptr || !is_suitable(request) || spec.shape.rank() != 4)
    return std::nullopt;
  const Desc view = image_view(spec.shape, request.node.attr<std::string>("data_format"));
  const ChannelOrder order = channel_order(spec, view);
  LayoutPtr layout = layout_in(order, view);
  if (order.block == 0 || !same_layout(layout, spec.layout)) return std::nullopt;
  const Dims& d = view.dims();
  return Blocked{.images = {d[0], d[1], d[2] * d[3], order.block}, .layout = std::move(layout)};
}

KernelPtr make_bias_add(const KernelRequest& request) {
  const auto b = blocked(request);
  if (!b) return nullptr;
  return make_kernel(
      [b = *b](KernelContext& c) {
        const int64_t planes = b.images.batch * b.images.blocks();
        parallel_for(planes, b.plane_grain(), [&](int64_t begin, int64_t end) {
          simd::add_bias_blocked(b.images, c.input<float>(0), c.input<float>(1), c.output<float>(),
                                 begin, end);
        });
      },
      {.input_layouts = {b->layout},
       .output_layouts = {b->layout},
       .in_place = {{0, 0}},
       .note = "simd"});
}

KernelPtr make_bias_add_grad(const KernelRequest& request) {
  const auto b = blocked(request);
  if (!b) return nullptr;
  return make_kernel(
      [b = *b](KernelContext& c) {
        const int64_t grain = b.plane_grain() / b.images.batch + 1;
        parallel_for(b.images.blocks(), grain, [&](int64_t begin, int64_t end) {
          simd::bias_grad_blocked(b.images, c.input<float>(0), c.output<float>(), begin, end);
        });
      },
      {.input_layouts = {b->layout}, .note = "simd"});
}

constexpr KernelDef kKernels[] = {
    {"BiasAdd", "onednn", make_bias_add},
    {"BiasAddGrad", "onednn", make_bias_add_grad},
};

}  // namespace

std::span<const KernelDef> onednn_bias_kernels() { return kKernels; }

}  // namespace thalweg
