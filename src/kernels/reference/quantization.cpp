// Between floats and quantized integers.
#include "kernels/reference/quantization.h"

#include "kernels/families.h"
#include "thalweg/kernels/kernel.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: ranges in its words
using Request = const KernelRequest&;

enum class Mode { kMinCombined, kMinFirst, kScaled };

Mode mode_of(const Node& node) {
  const std::string& mode = node.attr<std::string>("mode");
  if (mode == "MIN_FIRST") return Mode::kMinFirst;
  return mode == "SCALED" ? Mode::kScaled : Mode::kMinCombined;
}

// Calls f(TypeTag<Q>{}) for quantized types; null for others.
template <class F>
KernelPtr visit_quantized(DType dtype, F&& f) {
  switch (dtype) {
    case kQInt8: return f(TypeTag<QInt8>{});
    case kQUInt8: return f(TypeTag<QUInt8>{});
    case kQInt16: return f(TypeTag<QInt16>{});
    case kQUInt16: return f(TypeTag<QUInt16>{});
    case kQInt32: return f(TypeTag<QInt32>{});
    default: return nullptr;
  }
}

template <class Q>
using Integer = decltype(Q::value);
template <class I>
constexpr double kLowest = static_cast<double>(std::numeric_limits<I>::lowest());
template <class I>
constexpr double kHighest = static_cast<double>(std::numeric_limits<I>::max());
template <class I>
constexpr float kHalfRange = std::is_signed_v<I>
                                 ? static_cast<float>((kHighest<I> - kLowest<I> + 1) / 2)
                                 : 0.0f;
// The steps of a range whose last step ends where the next integer would begin (MIN_FIRST).
template <class I>
constexpr double kSteps = kHighest<I> - kLowest<I> + 1;

// Of a float that may lie outside.
template <class I>
I saturate(double x) {
  return static_cast<I>(std::clamp(x, kLowest<I>, kHighest<I>));
}

struct Quantizer {
  explicit Quantizer(Request request)
      : slices(request.inputs[0].shape, request.node.attr<int64_t>("axis")),
        mode(mode_of(request.node)),
        half_to_even(request.node.attr<std::string>("round_mode") == "HALF_TO_EVEN"),
        narrow_range(request.node.attr<bool>("narrow_range")),
        minimum(request.node.attr<float>("ensure_minimum_range")) {
    if (half_to_even && mode != Mode::kScaled)
      throw invalid_argument("round mode HALF_TO_EVEN goes with mode SCALED only");
  }

  // Quantizes one slice, and tells the range that its integers stand for.
  template <class I>
  std::pair<float, float> run(int64_t slice, float low, float high, const float* x, I* out) const {
    if (low > high)
      throw invalid_argument("min_range ", low, " must not be above max_range ", high);
    float min = std::min(0.0f, low);
    const float gap = std::max(1.0f, std::max(std::fabs(low), std::fabs(high))) * minimum;
    float max = std::max(0.0f, std::max(high, min + gap));
    const auto clamped = [&](int64_t i) { return std::max(std::min(x[i], max), min); };
    if (mode == Mode::kMinCombined) {
      const auto scale = static_cast<float>((kHighest<I> - kLowest<I>) / (max - min));
      slices.for_each(slice, [&](int64_t i) {
        const float scaled = (clamped(i) - min) * scale;
        out[i] = saturate<I>(std::is_signed_v<I> ? std::round(scaled - kHalfRange<I>)
                                                 : std::floor(scaled + 0.5f));
      });
    } else if (mode == Mode::kMinFirst) {
      const double range = (static_cast<double>(max) - min) * (kSteps<I> / (kSteps<I> - 1));
      const double scale = kSteps<I> / range;
      const double first = min * scale - kLowest<I>;
      slices.for_each(slice,
                      [&](int64_t i) { out[i] = saturate<I>(std::round(x[i] * scale - first)); });
    } else {
      const ScaledRange<float> range(min, max,
                                     static_cast<float>(kLowest<I> + (narrow_range ? 1 : 0)),
                                     static_cast<float>(kHighest<I>));
      const float scale = range.scale;
      min = static_cast<float>(kLowest<I> + (narrow_range ? 1 : 0)) / scale;
      max = static_cast<float>(kHighest<I>) / scale;
      slices.for_each(slice, [&](int64_t i) {
        const float scaled = clamped(i) * scale;
        out[i] = saturate<I>(half_to_even ? std::nearbyint(scaled) : std::round(scaled));
      });
    }
    return {min, max};
  }

  Slices slices;
  Mode mode;
  bool half_to_even;
  bool narrow_range;
  float minimum;
};

KernelPtr make_quantize(Request request) {
  return visit_quantized(request.outputs[0].dtype, [&]<class Q>(TypeTag<Q>) {
    return make_kernel([quantizer = Quantizer(request)](KernelContext& c) {
      auto* out = reinterpret_cast<Integer<Q>*>(c.output<Q>(0));
      for (int64_t slice = 0; slice < quantizer.slices.count; ++slice) {
        const auto [min, max] = quantizer.run(slice, c.input<float>(1)[slice],
                                              c.input<float>(2)[slice], c.input<float>(0), out);
        c.output<float>(1)[slice] = min;
        c.output<float>(2)[slice] = max;
      }
    });
  });
}

// x = offset + (q - origin) * scale.
struct Line {
  double offset, origin, scale;
};

template <class I>
Line dequantizer(Mode mode, bool narrow_range, float min, float max) {
  if (mode == Mode::kMinCombined) {
    const auto scale = static_cast<float>((max - min) / (kHighest<I> - kLowest<I>));
    return {min, -kHalfRange<I>, scale};
  }
  if (mode == Mode::kMinFirst) {
    const double range = (static_cast<double>(max) - min) * (kSteps<I> / (kSteps<I> - 1));
    const double scale = range / kSteps<I>;
    const double first = min == max ? min : std::round(min / scale) * scale;
    return {first, kLowest<I>, scale};
  }
  const auto first = static_cast<float>(kLowest<I> + (narrow_range ? 1 : 0));
  const auto last = static_cast<float>(kHighest<I>);
  return {0, 0, std::is_signed_v<I> ? std::max(min / first, max / last) : max / last};
}

KernelPtr make_dequantize(Request request) {
  const Slices slices(request.inputs[0].shape, request.node.attr<int64_t>("axis"));
  const Mode mode = mode_of(request.node);
  const bool narrow = request.node.attr<bool>("narrow_range");
  const DType to = request.outputs[0].dtype;
  return visit_quantized(request.inputs[0].dtype, [&]<class Q>(TypeTag<Q>) {
    return make_kernel([=](KernelContext& c) {
      for (int64_t slice = 0; slice < slices.count; ++slice) {
        const Line line = dequantizer<Integer<Q>>(mode, narrow, c.input<float>(1)[slice],
                                                  c.input<float>(2)[slice]);
        slices.for_each(slice, [&](int64_t i) {
          const auto x = static_cast<float>(
              line.offset +
              (static_cast<double>(c.input<Q>(0)[i].value) - line.origin) * line.scale);
          if (to == kBFloat16) {
            c.output<BFloat16>()[i] = BFloat16(x);
          } else {
            c.output<float>()[i] = x;
          }
        });
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"QuantizeV2", "reference", make_quantize},
    {"Dequantize", "reference", make_dequantize},
};

}  // namespace

std::span<const KernelDef> reference_quantization_kernels() { return kKernels; }

}  // namespace thalweg
