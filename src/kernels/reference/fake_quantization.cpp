// Floats rounded to what integers could hold: FakeQuant and QuantizeAndDequantize.
#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/quantization.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: ranges in its words
using Request = const KernelRequest&;

// Attributes and shapes of a FakeQuant op. `per_channel`: the last dimension are channels with a
// range each.
struct FakeQuant {
  explicit FakeQuant(Request request, int values)
      : slices(request.inputs[static_cast<size_t>(values)].shape, -1),
        num_bits(request.node.attr<int64_t>("num_bits")),
        narrow_range(request.node.attr<bool>("narrow_range")) {
    const Shape& shape = request.inputs[static_cast<size_t>(values)].shape;
    if (request.node.type().find("PerChannel") != std::string_view::npos)
      slices = Slices(shape, shape.rank() - 1);
    if (num_bits < 2 || num_bits > 16)
      throw invalid_argument("num_bits must be between 2 and 16, got ", num_bits);
  }
  NudgedRange range(float min, float max) const {
    if (min > max) throw invalid_argument("min ", min, " must not be above max ", max);
    return {min, max, num_bits, narrow_range};
  }

  Slices slices;
  int64_t num_bits;
  bool narrow_range;
};

KernelPtr make_args(Request request) {
  const FakeQuant quant(request, 0);
  const NudgedRange range =
      quant.range(request.node.attr<float>("min"), request.node.attr<float>("max"));
  return make_kernel([=](KernelContext& c) {
    quant.slices.for_each(
        0, [&](int64_t i) { c.output<float>()[i] = range.quantize(c.input<float>(0)[i]); });
  });
}

KernelPtr make_args_gradient(Request request) {
  const FakeQuant quant(request, 0);
  const NudgedRange range =
      quant.range(request.node.attr<float>("min"), request.node.attr<float>("max"));
  return make_kernel([=](KernelContext& c) {
    quant.slices.for_each(0, [&](int64_t i) {
      c.output<float>()[i] = range.holds(c.input<float>(1)[i]) ? c.input<float>(0)[i] : 0.0f;
    });
  });
}

KernelPtr make_vars(Request request) {
  return make_kernel([quant = FakeQuant(request, 0)](KernelContext& c) {
    for (int64_t channel = 0; channel < quant.slices.count; ++channel) {
      const float min = c.input<float>(1)[channel], max = c.input<float>(2)[channel];
      const bool empty = min == 0 && max == 0;  // nothing was seen yet: everything is 0
      const NudgedRange range = empty ? NudgedRange(0, 1, 8, false) : quant.range(min, max);
      quant.slices.for_each(channel, [&](int64_t i) {
        c.output<float>()[i] = empty ? 0.0f : range.quantize(c.input<float>(0)[i]);
      });
    }
  });
}

KernelPtr make_vars_gradient(Request request) {
  return make_kernel([quant = FakeQuant(request, 1)](KernelContext& c) {
    for (int64_t channel = 0; channel < quant.slices.count; ++channel) {
      const float min = c.input<float>(2)[channel], max = c.input<float>(3)[channel];
      const bool empty = min == 0 && max == 0;
      const NudgedRange range = empty ? NudgedRange(0, 1, 8, false) : quant.range(min, max);
      double below = 0, above = 0;
      quant.slices.for_each(channel, [&](int64_t i) {
        const float g = c.input<float>(0)[i], x = c.input<float>(1)[i];
        c.output<float>(0)[i] = empty || range.holds(x) ? g : 0.0f;
        if (!empty && x < range.min) below += g;
        if (!empty && x > range.max) above += g;
      });
      c.output<float>(1)[channel] = static_cast<float>(below);
      c.output<float>(2)[channel] = static_cast<float>(above);
    }
  });
}

// What a QuantizeAndDequantize op rounds to.
struct Rounding {
  explicit Rounding(Request request)
      : slices(request.inputs[0].shape, -1),
        is_signed(request.node.attr<bool>("signed_input")),
        range_given(request.node.attr<bool>("range_given")) {
    const auto* axis = request.node.find_attr("axis");
    if (axis != nullptr) slices = Slices(request.inputs[0].shape, std::get<int64_t>(*axis));
    const auto* narrow = request.node.find_attr("narrow_range");
    narrow_range = narrow != nullptr && std::get<bool>(*narrow);
    const auto* mode = request.node.find_attr("round_mode");
    half_up = mode != nullptr && std::get<std::string>(*mode) == "HALF_UP";
    const auto* bits = request.node.find_attr("num_bits");
    if (bits != nullptr) num_bits = std::get<int64_t>(*bits);
  }

  template <class T>
  ScaledRange<T> range(T min, T max, int64_t bits) const {
    if (bits < 1 || bits > (is_signed ? 62 : 63))
      throw invalid_argument("num_bits ", bits, " is out of range");
    if (range_given && min > max)
      throw invalid_argument("input_min ", min, " must not be above input_max ", max);
    const int64_t half = int64_t{1} << (bits - 1);
    const int64_t first = is_signed ? (narrow_range ? 1 - half : -half) : 0;
    const int64_t last = is_signed ? half - 1 : 2 * half - 1;
    return {min, max, static_cast<T>(first), static_cast<T>(last)};
  }

  template <class T>
  T round(const ScaledRange<T>& range, T x) const {
    if (range_given) x = std::max(std::min(x, range.max), range.min);
    const T scaled = x * range.scale;
    return (half_up ? std::floor(scaled + T(0.5)) : std::nearbyint(scaled)) * range.inverse;
  }

  Slices slices;
  bool is_signed;
  bool range_given;
  bool narrow_range = false;
  bool half_up = false;
  int64_t num_bits = 0;  // 0: an input tells
};

// What half-width floats are computed in.
template <class T>
using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class T>
void quantize_and_dequantize(KernelContext& c, const Rounding& rounding, const Wide<T>* limits) {
  using W = Wide<T>;
  const T* x = c.input<T>(0);
  const int64_t bits = rounding.num_bits != 0 ? rounding.num_bits : *c.input<int32_t>(3);
  for (int64_t slice = 0; slice < rounding.slices.count; ++slice) {
    W min = 0, max = 0;
    if (!rounding.range_given) {
      min = std::numeric_limits<W>::max();
      max = std::numeric_limits<W>::lowest();
      rounding.slices.for_each(slice, [&](int64_t i) {
        min = std::min(min, W(x[i]));
        max = std::max(max, W(x[i]));
      });
    } else if (limits != nullptr) {
      min = limits[0];
      max = limits[1];
    } else {
      min = W(c.input<T>(1)[slice]);
      max = W(c.input<T>(2)[slice]);
    }
    const ScaledRange<W> range = rounding.range(min, max, bits);
    rounding.slices.for_each(
        slice, [&](int64_t i) { c.output<T>()[i] = T(rounding.round(range, W(x[i]))); });
  }
}

KernelPtr make_quantize_and_dequantize(Request request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([rounding = Rounding(request)](KernelContext& c) {
      quantize_and_dequantize<T>(c, rounding, nullptr);
    });
  });
}

KernelPtr make_quantize_and_dequantize_v1(Request request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    const Wide<T> min = request.node.attr<float>("input_min");
    const Wide<T> max = request.node.attr<float>("input_max");
    return make_kernel([rounding = Rounding(request), min, max](KernelContext& c) {
      const Wide<T> limits[] = {min, max};
      quantize_and_dequantize<T>(c, rounding, limits);
    });
  });
}

KernelPtr make_v4_gradient(Request request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    const Slices slices(request.inputs[1].shape, request.node.attr<int64_t>("axis"));
    return make_kernel([slices](KernelContext& c) {
      for (int64_t slice = 0; slice < slices.count; ++slice) {
        const auto min = widen(c.input<T>(2)[slice]), max = widen(c.input<T>(3)[slice]);
        slices.for_each(slice, [&](int64_t i) {
          const double x = widen(c.input<T>(1)[i]);
          c.output<T>(0)[i] = x >= min && x <= max ? c.input<T>(0)[i] : narrow<T>(0);
        });
        c.output<T>(1)[slice] = narrow<T>(0);
        c.output<T>(2)[slice] = narrow<T>(0);
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"FakeQuantWithMinMaxArgs", "reference", make_args},
    {"FakeQuantWithMinMaxArgsGradient", "reference", make_args_gradient},
    {"FakeQuantWithMinMaxVars", "reference", make_vars},
    {"FakeQuantWithMinMaxVarsGradient", "reference", make_vars_gradient},
    {"FakeQuantWithMinMaxVarsPerChannel", "reference", make_vars},
    {"FakeQuantWithMinMaxVarsPerChannelGradient", "reference", make_vars_gradient},
    {"QuantizeAndDequantize", "reference", make_quantize_and_dequantize_v1},
    {"QuantizeAndDequantizeV2", "reference", make_quantize_and_dequantize},
    {"QuantizeAndDequantizeV3", "reference", make_quantize_and_dequantize},
    {"QuantizeAndDequantizeV4", "reference", make_quantize_and_dequantize},
    {"QuantizeAndDequantizeV4Grad", "reference", make_v4_gradient},
};

}  // namespace

std::span<const KernelDef> reference_fake_quantization_kernels() { return kKernels; }

}  // namespace thalweg
