// Other integers for the same numbers: what sums of products gave in 32 bits, in a range that 8
// bits serve well, and the search for that range.
#include <algorithm>
#include <cmath>

#include "kernels/reference/quantized_elements.h"
#include "kernels/reference/quantized_kernels.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: ranges in its words
using Request = const KernelRequest&;

// From 32 bits to 8 in fixed point, as TensorFlow computes it: each product drops its lower 32
// bits.
void shrink(const QInt32* x, int64_t count, FloatRange from, FloatRange to, QUInt8* y) {
  constexpr int64_t kOne = int64_t{1} << 16;
  const float width = to.max - to.min;
  const float inverse = width == 0 ? 0.0f : static_cast<float>(255.0 / width);
  const auto center = static_cast<float>((from.min + from.max) / 2.0);
  const int64_t scale =
      width == 0 ? 0 : static_cast<int64_t>(255.0 * kOne * (from.max - from.min) / width);
  const auto offset = static_cast<int64_t>(center * inverse * static_cast<float>(kOne));
  const int64_t begin = width == 0 ? 0 : std::lround(kOne * (to.min * 255.0) / width);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t fixed = ((int64_t{x[i].value} * scale) >> 32) + offset - begin;
    const int64_t rounded = (fixed + kOne / 2) >> 16;
    y[i] = from_integer<QUInt8>(std::clamp<int64_t>(rounded, 0, 255));
  }
}

void shrink(const QInt32* x, int64_t count, FloatRange from, FloatRange to, QInt8* y) {
  for (int64_t i = 0; i < count; ++i) {
    const float value = dequantized<QInt32>(x[i].value, from.min, from.max);
    y[i] = from_integer<QInt8>(quantized<QInt8>(value, to.min, to.max));
  }
}

// The range that the integers fill, 0 in it.
FloatRange filled_range(const QInt32* x, int64_t count, FloatRange range) {
  int32_t least = std::numeric_limits<int32_t>::max();
  int32_t most = std::numeric_limits<int32_t>::lowest();
  for (int64_t i = 0; i < count; ++i) {
    least = std::min(least, x[i].value);
    most = std::max(most, x[i].value);
  }
  return {std::min(0.0f, dequantized<QInt32>(least, range.min, range.max)),
          dequantized<QInt32>(most, range.min, range.max)};
}

// The larger end of a channel's range, which lies about 0.
float extent(const KernelContext& c, int64_t channel) {
  return std::max(std::abs(c.input<float>(1)[channel]), std::abs(c.input<float>(2)[channel]));
}

}  // namespace

KernelPtr reference::make_requantize(Request request) {
  return visit_quantized(request.outputs[0].dtype, [&]<class Q>(TypeTag<Q>) -> KernelPtr {
    if constexpr (std::is_same_v<Q, QInt32>) {
      return nullptr;
    } else {
      return make_kernel([count = request.inputs[0].shape.num_elements()](KernelContext& c) {
        const FloatRange from = range_input(c, 1), to = range_input(c, 3);
        if (!(to.min <= 0) || !(to.max >= to.min)) {
          throw invalid_argument("the requested range [", to.min, ", ", to.max,
                                 "] must begin at 0 or below and not end before it begins");
        }
        shrink(c.input<QInt32>(0), count, from, to, c.output<Q>(0));
        give_range(c, 1, to);
      });
    }
  });
}

KernelPtr reference::make_quantize_down_and_shrink_range(Request request) {
  return make_kernel([count = request.inputs[0].shape.num_elements()](KernelContext& c) {
    const FloatRange from = range_input(c, 1);
    const FloatRange to = filled_range(c.input<QInt32>(0), count, from);
    shrink(c.input<QInt32>(0), count, from, to, c.output<QUInt8>(0));
    give_range(c, 1, to);
  });
}

KernelPtr reference::make_requantization_range(Request request) {
  return make_kernel([count = request.inputs[0].shape.num_elements()](KernelContext& c) {
    give_range(c, 0, filled_range(c.input<QInt32>(0), count, range_input(c, 1)));
  });
}

KernelPtr reference::make_requantize_per_channel(Request request) {
  return visit_quantized(request.outputs[0].dtype, [&]<class Q>(TypeTag<Q>) -> KernelPtr {
    const Shape& x = request.inputs[0].shape;
    return make_kernel([count = x.num_elements(), channels = x[3]](KernelContext& c) {
      const FloatRange to = range_input(c, 3);
      if (!(to.max > 0)) throw invalid_argument("requested_output_max is ", to.max);
      for (int64_t i = 0; i < count; ++i) {
        const float step = extent(c, i % channels) / static_cast<float>(int64_t{1} << 31);
        const float scale = static_cast<float>(kHighestOf<Q>) * step / to.max;
        const float scaled =
            std::nearbyint(static_cast<float>(c.input<QInt32>(0)[i].value) * scale);
        c.output<Q>(0)[i] = from_integer<Q>(static_cast<int64_t>(std::clamp(
            scaled, static_cast<float>(kLowestOf<Q>), static_cast<float>(kHighestOf<Q>))));
      }
      give_range(c, 1, to);
    });
  });
}

KernelPtr reference::make_requantization_range_per_channel(Request request) {
  const Shape& x = request.inputs[0].shape;
  return make_kernel([count = x.num_elements(), channels = x[3],
                      clip = request.node.attr<float>("clip_value_max")](KernelContext& c) {
    float largest = 0;
    bool negative = false;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t value = c.input<QInt32>(0)[i].value;
      negative = negative || value < 0;
      largest = std::max(largest, extent(c, i % channels) * static_cast<float>(std::abs(value)) /
                                      static_cast<float>(int64_t{1} << 31));
    }
    largest = std::min(largest, clip);
    give_range(c, 0, {negative ? -largest : 0.0f, largest});
  });
}

}  // namespace thalweg
