// Bias on plain tensors, in either data format.
#include <algorithm>
#include <vector>

#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/reduce.h"
#include "kernels/families.h"
#include "kernels/reference/channels.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

constexpr int64_t kGrain = 16384;     // floats that take about 5 microseconds
constexpr int64_t kShortest = 128;    // of a row that is worth a call
constexpr int64_t kColumnStrip = 64;  // whole cache lines of columns to each thread

Channels sizes(const KernelRequest& request) {
  return channels_of(request.inputs[0].shape, request.node.attr<std::string>("data_format"));
}

// Channels last: rows of `width` elements, a whole number of times the bias.
KernelPtr make_row_bias(const Channels& size) {
  const int64_t most = std::max<int64_t>(1, kShortest / std::max<int64_t>(1, size.channels));
  const int64_t repeats = std::clamp<int64_t>(size.outer, 1, most);
  const int64_t width = repeats * size.channels;
  const int64_t count = size.outer * size.channels;
  const auto compute = [=, add = simd::find_binary("AddV2")](KernelContext& c) {
    const float *x = c.input<float>(0), *bias = c.input<float>(1);
    float* y = c.output<float>();
    if (count == 0) return;
    if (repeats > 1) {
      auto* tile = static_cast<float*>(c.scratch());
      for (int64_t i = 0; i < repeats; ++i)
        std::copy_n(bias, size.channels, tile + i * size.channels);
      bias = tile;
    }
    const int64_t rows = (count + width - 1) / width;
    parallel_for(rows, 1 + kGrain / width, [=](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t at = row * width;
        add(x + at, bias, y + at, std::min(width, count - at));
      }
    });
  };
  const size_t scratch = repeats > 1 ? static_cast<size_t>(width) * sizeof(float) : 0;
  return make_kernel(compute, {.in_place = {{0, 0}}, .scratch_bytes = scratch});
}

// Channels first: planes of `inner` elements.
KernelPtr make_plane_bias(const Channels& size) {
  const auto add = simd::find_binary_scalar("AddV2", simd::ScalarSide::kSecond);
  return make_kernel(
      [=](KernelContext& c) {
        const float *x = c.input<float>(0), *bias = c.input<float>(1);
        float* y = c.output<float>();
        const int64_t grain = 1 + kGrain / std::max<int64_t>(1, size.inner);
        parallel_for(size.outer * size.channels, grain, [=](int64_t begin, int64_t end) {
          for (int64_t plane = begin; plane < end; ++plane) {
            const int64_t at = plane * size.inner;
            add(x + at, bias[plane % size.channels], y + at, size.inner);
          }
        });
      },
      {.in_place = {{0, 0}}});
}

KernelPtr make_bias_add(const KernelRequest& request) {
  if (request.inputs[0].dtype != kFloat32) return nullptr;
  const Channels size = sizes(request);
  return size.inner == 1 ? make_row_bias(size) : make_plane_bias(size);
}

KernelPtr make_bias_add_grad(const KernelRequest& request) {
  if (request.inputs[0].dtype != kFloat32) return nullptr;
  const Channels size = sizes(request);
  // Planes are first summed to one value each, [outer, channels].
  const int64_t planes = size.outer * size.channels;
  const bool has_planes = size.inner != 1;
  const size_t scratch = has_planes ? static_cast<size_t>(planes) * sizeof(float) : 0;
  const auto compute = [=](KernelContext& c) {
    const float* grad = c.input<float>(0);
    float* out = c.output<float>();
    if (has_planes) {
      auto* sums = static_cast<float*>(c.scratch());
      const int64_t grain = 1 + kGrain / std::max<int64_t>(1, size.inner);
      parallel_for(planes, grain, [=](int64_t begin, int64_t end) {
        simd::reduce_middle(simd::Reduction::kSum, grad + begin * size.inner, sums + begin,
                            end - begin, size.inner, 1);
      });
      grad = sums;
    }
    const int64_t strips = (size.channels + kColumnStrip - 1) / kColumnStrip;
    const int64_t grain = 1 + kGrain / std::max<int64_t>(1, kColumnStrip * size.outer);
    parallel_for(strips, grain, [=](int64_t begin, int64_t end) {
      simd::reduce_columns(simd::Reduction::kSum, grad, out, size.outer, size.channels,
                           begin * kColumnStrip, std::min(end * kColumnStrip, size.channels));
    });
  };
  return make_kernel(compute, {.scratch_bytes = scratch});
}

constexpr KernelDef kKernels[] = {
    {"BiasAdd", "cpu", make_bias_add},
    {"BiasAddGrad", "cpu", make_bias_add_grad},
};

}  // namespace

std::span<const KernelDef> cpu_bias_kernels() { return kKernels; }

}  // namespace thalweg
