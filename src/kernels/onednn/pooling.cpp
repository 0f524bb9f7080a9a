// Pooling in the layouts of oneDNN's convolutions, by kernels of our own: oneDNN's max pooling
// loses NaN, and its gradient wants a workspace that TensorFlow's op does not have.
#include "kernels/cpu/pooling.h"

#include "kernels/families.h"
#include "kernels/onednn/images.h"
#include "kernels/onednn/prepared.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

using namespace onednn;  // NOLINT: this file is written in its terms

constexpr int64_t kCellsIn5Microseconds = 1 << 14;

struct Pooling {
  simd::PoolGeometry geometry;
  int64_t planes;
  LayoutPtr input_layout, output_layout;

  int64_t rows() const { return planes * geometry.height.output; }
  int64_t row_grain() const { return kCellsIn5Microseconds / cells_of_row() + 1; }
  int64_t plane_grain() const {
    return kCellsIn5Microseconds / (cells_of_row() * geometry.height.output) + 1;
  }

 private:
  int64_t cells_of_row() const {
    return std::max<int64_t>(
        geometry.width.output * geometry.lanes * geometry.width.size * geometry.height.size, 1);
  }
};

// `leader` is the input whose order of channels is kept. Nothing when some window may lie wholly in
// padding.
std::optional<Pooling> make_pooling(const KernelRequest& request, const Shape& input,
                                    const Shape& output, const TensorSpec& leader,
                                    const Shape& leader_shape) {
  const auto& format = request.node.attr<std::string>("data_format");
  const Windows2d windows = pooling_windows(request.node, input);
  for (const Window& w : {windows.height, windows.width}) {
    if (w.pad_before >= w.size || w.pad_after >= w.size) return std::nullopt;
  }
  const ChannelOrder order = channel_order(leader, image_view(leader_shape, format));
  const Desc in = image_view(input, format);
  return Pooling{.geometry = {windows.height, windows.width, order.lanes(in.dims())},
                 .planes = order.planes(in.dims()),
                 .input_layout = layout_in(order, in),
                 .output_layout = layout_in(order, image_view(output, format))};
}

template <auto kPool>
KernelPtr make_pool(const KernelRequest& request) {
  if (!is_suitable(request)) return nullptr;
  const TensorSpec& input = request.inputs[0];
  const auto p = make_pooling(request, input.shape, request.outputs[0].shape, input, input.shape);
  if (!p) return nullptr;
  return make_kernel(
      [p = *p](KernelContext& c) {
        parallel_for(p.rows(), p.row_grain(), [&](int64_t begin, int64_t end) {
          kPool(p.geometry, c.input<float>(0), c.output<float>(), begin, end);
        });
      },
      {.input_layouts = {p->input_layout}, .output_layouts = {p->output_layout}, .note = "simd"});
}

KernelPtr make_max_pool_grad(const KernelRequest& request) {
  if (!is_suitable(request)) return nullptr;
  const TensorSpec& input = request.inputs[0];
  const auto p = make_pooling(request, input.shape, request.inputs[2].shape, input, input.shape);
  if (!p) return nullptr;
  return make_kernel(
      [p = *p](KernelContext& c) {
        parallel_for(p.planes, p.plane_grain(), [&](int64_t begin, int64_t end) {
          simd::max_pool_grad(p.geometry, c.input<float>(0), c.input<float>(2), c.output<float>(),
                              begin, end);
        });
      },
      // The maxima are found again, so what the forward pass gave may lie as it likes.
      {.input_layouts = {p->input_layout, request.inputs[1].layout, p->output_layout},
       .output_layouts = {p->input_layout},
       .note = "simd"});
}

KernelPtr make_avg_pool_grad(const KernelRequest& request) {
  if (!is_suitable(request)) return nullptr;
  const TensorSpec& gradient = request.inputs[1];
  const auto p =
      make_pooling(request, request.outputs[0].shape, gradient.shape, gradient, gradient.shape);
  if (!p) return nullptr;
  return make_kernel(
      [p = *p](KernelContext& c) {
        parallel_for(p.planes, p.plane_grain(), [&](int64_t begin, int64_t end) {
          simd::avg_pool_grad(p.geometry, c.input<float>(1), c.output<float>(), begin, end);
        });
      },
      {.input_layouts = {nullptr, p->output_layout},
       .output_layouts = {p->input_layout},
       .note = "simd"});
}

constexpr KernelDef kKernels[] = {
    {"MaxPool", "onednn", make_pool<simd::max_pool>},
    {"MaxPoolGrad", "onednn", make_max_pool_grad},
    {"AvgPool", "onednn", make_pool<simd::avg_pool>},
    {"AvgPoolGrad", "onednn", make_avg_pool_grad},
};

}  // namespace

namespace onednn {

ChannelOrder channel_order(const TensorSpec& spec, const Desc& view) {
  if (const Desc desc = arriving(spec, view)) {
    for (const int block : {0, 16, 8}) {
      const ChannelOrder order{block};
      if (desc == order.desc(view.dims())) return order;
    }
  }
  return {16};
}

}  // namespace onednn

std::span<const KernelDef> onednn_pooling_kernels() { return kKernels; }

}  // namespace thalweg
