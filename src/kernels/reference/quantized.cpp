#include <algorithm>
#include <array>
#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/quantized_range.h"
#include "thalweg/graph/window.h"
#include "thalweg/tensor/reshape.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: ranges in its words
using Request = const KernelRequest&;

FloatRange range_input(const KernelContext& c, int first) {
  return {*c.input<float>(first), *c.input<float>(first + 1)};
}

void give_range(KernelContext& c, int first, FloatRange range) {
  *c.output<float>(first) = range.min;
  *c.output<float>(first + 1) = range.max;
}

template <class Q>
Q from_integer(int64_t value) {
  return Q{static_cast<IntegerOf<Q>>(value)};
}

// Calls f with the tags of the two types, of those that the rows here allow.
template <class F>
KernelPtr visit_quantized(DType dtype, F&& f) {
  switch (dtype) {
    case kQInt8: return f(TypeTag<QInt8>{});
    case kQUInt8: return f(TypeTag<QUInt8>{});
    case kQInt32: return f(TypeTag<QInt32>{});
    default: return nullptr;
  }
}

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

KernelPtr make_requantize(Request request) {
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

KernelPtr make_shrink(Request request) {
  return make_kernel([count = request.inputs[0].shape.num_elements()](KernelContext& c) {
    const FloatRange from = range_input(c, 1);
    const FloatRange to = filled_range(c.input<QInt32>(0), count, from);
    shrink(c.input<QInt32>(0), count, from, to, c.output<QUInt8>(0));
    give_range(c, 1, to);
  });
}

KernelPtr make_filled_range(Request request) {
  return make_kernel([count = request.inputs[0].shape.num_elements()](KernelContext& c) {
    give_range(c, 0, filled_range(c.input<QInt32>(0), count, range_input(c, 1)));
  });
}

// The larger end of a channel's range, which lies about 0.
float extent(const KernelContext& c, int64_t channel) {
  return std::max(std::abs(c.input<float>(1)[channel]), std::abs(c.input<float>(2)[channel]));
}

KernelPtr make_requantize_per_channel(Request request) {
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

KernelPtr make_range_per_channel(Request request) {
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

KernelPtr make_matmul(Request request) {
  const bool ta = request.node.attr<bool>("transpose_a"),
             tb = request.node.attr<bool>("transpose_b");
  const Shape& a = request.inputs[0].shape;
  const Shape& b = request.inputs[1].shape;
  const int64_t rows = a[ta ? 1 : 0], inner = a[ta ? 0 : 1], columns = b[tb ? 0 : 1];
  return make_kernel([=](KernelContext& c) {
    const FloatRange of_a = range_input(c, 2), of_b = range_input(c, 4);
    if (!(of_a.max > of_a.min) || !(of_b.max > of_b.min))
      throw invalid_argument("the ranges of `a` and `b` must not be empty");
    const int64_t zero_a = quantized_unclamped<QUInt8>(0, of_a.min, of_a.max);
    const int64_t zero_b = quantized_unclamped<QUInt8>(0, of_b.min, of_b.max);
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < columns; ++j) {
        int64_t sum = 0;
        for (int64_t k = 0; k < inner; ++k) {
          const int64_t x = c.input<QUInt8>(0)[ta ? k * rows + i : i * inner + k].value;
          const int64_t y = c.input<QUInt8>(1)[tb ? j * inner + k : k * columns + j].value;
          sum += (x - zero_a) * (y - zero_b);
        }
        c.output<QInt32>(0)[i * columns + j] = from_integer<QInt32>(sum);
      }
    }
    give_range(c, 1, range_of_products<QUInt8, QUInt8>(of_a, of_b));
  });
}

// Calls f(cell of the input or -1 over padding, row and column in the window) for a window.
struct Windows {
  Window height;
  Window width;

  Windows(Request request, int64_t rows, int64_t columns) {
    const Shape& x = request.inputs[0].shape;
    const auto& strides = request.node.attr<std::vector<int64_t>>("strides");
    const auto& padding = request.node.attr<std::string>("padding");
    height = make_window(x[1], rows, strides[1], 1, padding);
    width = make_window(x[2], columns, strides[2], 1, padding);
  }

  template <class F>
  void for_each_cell(int64_t batch, int64_t row, int64_t column, F f) const {
    for (int64_t r = 0; r < height.size; ++r) {
      for (int64_t k = 0; k < width.size; ++k) {
        const int64_t y = height.cell(row, r), x = width.cell(column, k);
        if (y < 0 || y >= height.input || x < 0 || x >= width.input) continue;
        f((batch * height.input + y) * width.input + x, r * width.size + k);
      }
    }
  }
};

KernelPtr make_convolution(Request request) {
  const Shape& filter = request.inputs[1].shape;
  const int64_t in = filter[2], out = filter[3], batches = request.inputs[0].shape[0];
  return make_kernel([=, windows = Windows(request, filter[0], filter[1])](KernelContext& c) {
    const FloatRange of_x = range_input(c, 2), of_filter = range_input(c, 4);
    const int64_t zero = quantized_unclamped<QUInt8>(0, of_x.min, of_x.max);
    const int64_t filter_zero = quantized_unclamped<QUInt8>(0, of_filter.min, of_filter.max);
    QInt32* to = c.output<QInt32>(0);
    std::vector<int64_t> sums(static_cast<size_t>(out));
    for (int64_t batch = 0; batch < batches; ++batch) {
      for (int64_t row = 0; row < windows.height.output; ++row) {
        for (int64_t column = 0; column < windows.width.output; ++column) {
          std::fill(sums.begin(), sums.end(), 0);
          windows.for_each_cell(batch, row, column, [&](int64_t cell, int64_t tap) {
            for (int64_t i = 0; i < in; ++i) {
              const int64_t x = c.input<QUInt8>(0)[cell * in + i].value - zero;
              const QUInt8* weights = c.input<QUInt8>(1) + (tap * in + i) * out;
              for (size_t o = 0; o < sums.size(); ++o)
                sums[o] += x * (weights[o].value - filter_zero);
            }
          });
          for (int64_t sum : sums) *to++ = from_integer<QInt32>(sum);
        }
      }
    }
    give_range(c, 1, range_of_products<QUInt8, QUInt8>(of_x, of_filter));
  });
}

template <bool kMean>
KernelPtr make_pool(Request request) {
  const auto& size = request.node.attr<std::vector<int64_t>>("ksize");
  const Shape& x = request.inputs[0].shape;
  return visit_quantized(request.inputs[0].dtype, [&]<class Q>(TypeTag<Q>) -> KernelPtr {
    return make_kernel([batches = x[0], channels = x[3],
                        windows = Windows(request, size[1], size[2])](KernelContext& c) {
      Q* to = c.output<Q>(0);
      for (int64_t batch = 0; batch < batches; ++batch) {
        for (int64_t row = 0; row < windows.height.output; ++row) {
          for (int64_t column = 0; column < windows.width.output; ++column) {
            for (int64_t channel = 0; channel < channels; ++channel) {
              int64_t sum = 0, cells = 0, largest = kLowestOf<Q>;
              windows.for_each_cell(batch, row, column, [&](int64_t cell, int64_t) {
                const int64_t value = c.input<Q>(0)[cell * channels + channel].value;
                sum += value;
                largest = std::max(largest, value);
                ++cells;
              });
              const double mean = static_cast<double>(sum) / static_cast<double>(cells);
              *to++ = from_integer<Q>(kMean ? static_cast<int64_t>(std::nearbyint(mean)) : largest);
            }
          }
        }
      }
      give_range(c, 1, range_input(c, 1));
    });
  });
}

template <bool kAtMost6>
KernelPtr make_relu(Request request) {
  if (request.inputs[0].dtype != request.outputs[0].dtype) {
    throw invalid_argument("`out_type` ", request.outputs[0].dtype, " must be the input's, ",
                           request.inputs[0].dtype);
  }
  return visit_quantized(request.inputs[0].dtype, [&]<class Q>(TypeTag<Q>) -> KernelPtr {
    return make_kernel([count = request.inputs[0].shape.num_elements()](KernelContext& c) {
      const FloatRange range = range_input(c, 1);
      const int64_t zero = quantized<Q>(0, range.min, range.max);
      const int64_t six = kAtMost6 ? quantized<Q>(6, range.min, range.max) : kHighestOf<Q>;
      for (int64_t i = 0; i < count; ++i) {
        const int64_t value = c.input<Q>(0)[i].value;
        c.output<Q>(0)[i] = from_integer<Q>(std::min(std::max(value, zero), six));
      }
      give_range(c, 1, range);
    });
  });
}

// The flat place of each output element in an operand that is broadcast to `out`.
Ints places(const Shape& operand, const Shape& out) {
  const Ints strides = row_major_strides(operand);
  Offsets offsets;
  for (int d = 0; d < out.rank(); ++d) {
    const int own = d - (out.rank() - operand.rank());
    const bool moves = own >= 0 && operand[own] != 1;
    offsets.push_back(evenly(0, moves ? strides[static_cast<size_t>(own)] : 0, out[d]));
  }
  Ints result;
  for_each_offset(offsets, [&](int64_t, int64_t offset) { result.push_back(offset); });
  return result;
}

// A range in which sums of numbers of two others do not overflow, wide by 2^bits.
FloatRange range_of_sums(FloatRange a, FloatRange b, int bits) {
  const float widest = std::max(std::abs(std::min(a.min, b.min)), std::abs(std::max(a.max, b.max)));
  const float end = widest * static_cast<float>(1 << bits);
  return {-end, end};
}

// The integer of a number in the range of sums.
template <class Q>
int64_t moved(int64_t value, FloatRange range, FloatRange of_sum) {
  return quantized_unclamped<QInt32>(dequantized<Q>(value, range.min, range.max), of_sum.min,
                                     of_sum.max);
}

// Of a tensor, as TensorFlow does it, one step is moved, and then counted; a scalar is moved
// itself.
class Moved {
 public:
  Moved(bool is_scalar, FloatRange range, FloatRange of_sum)
      : is_scalar_(is_scalar),
        range_(range),
        of_sum_(of_sum),
        first_(moved<QUInt8>(0, range, of_sum)),
        step_(moved<QUInt8>(1, range, of_sum) - first_) {}

  int64_t operator()(int64_t value) const {
    return is_scalar_ ? moved<QUInt8>(value, range_, of_sum_) : first_ + value * step_;
  }

 private:
  bool is_scalar_;
  FloatRange range_;
  FloatRange of_sum_;
  int64_t first_;
  int64_t step_;
};

template <bool kProduct>
KernelPtr make_binary(Request request) {
  const bool x_scalar = request.inputs[0].shape.num_elements() == 1;
  const bool y_scalar = !x_scalar && request.inputs[1].shape.num_elements() == 1;
  return make_kernel(
      [x_scalar, y_scalar, x_places = places(request.inputs[0].shape, request.outputs[0].shape),
       y_places = places(request.inputs[1].shape, request.outputs[0].shape)](KernelContext& c) {
        const FloatRange of_x = range_input(c, 2), of_y = range_input(c, 4);
        const FloatRange of_sum = range_of_sums(of_x, of_y, 14);
        const int64_t zero_x = quantized_unclamped<QUInt8>(0, of_x.min, of_x.max);
        const int64_t zero_y = quantized_unclamped<QUInt8>(0, of_y.min, of_y.max);
        const Moved move_x(x_scalar, of_x, of_sum), move_y(y_scalar, of_y, of_sum);
        for (size_t i = 0; i < x_places.size(); ++i) {
          const int64_t x = c.input<QUInt8>(0)[x_places[i]].value;
          const int64_t y = c.input<QUInt8>(1)[y_places[i]].value;
          c.output<QInt32>(0)[i] =
              from_integer<QInt32>(kProduct ? (x - zero_x) * (y - zero_y) : move_x(x) + move_y(y));
        }
        give_range(c, 1, kProduct ? range_of_products<QUInt8, QUInt8>(of_x, of_y) : of_sum);
      });
}

// Ops that TensorFlow writes with Eigen's arrays do each step in float.
template <class Q>
float dequantized_in_float(int64_t value, FloatRange range) {
  const auto scale =
      static_cast<float>((range.max - range.min) / (static_cast<double>(kStepsOf<Q>) - 1.0));
  const float first = range.max == range.min ? range.min : std::round(range.min / scale) * scale;
  return (first - static_cast<float>(kLowestOf<Q>) * scale) + static_cast<float>(value) * scale;
}

template <class Q>
int64_t quantized_in_float(float x, FloatRange range) {
  const auto scale =
      range.max == range.min
          ? 0.0f
          : static_cast<float>((static_cast<double>(kStepsOf<Q>) - 1.0) / (range.max - range.min));
  const float first = std::round(range.min * scale);
  const float value = std::round(x * scale) - (first - static_cast<float>(kLowestOf<Q>));
  return std::clamp(static_cast<int64_t>(value), kLowestOf<Q>, kHighestOf<Q>);
}

KernelPtr make_bias(Request request) {
  if (request.inputs[0].dtype != request.inputs[1].dtype)
    throw invalid_argument("`input` and `bias` must be of one type");
  const Shape& x = request.inputs[0].shape;
  return visit_quantized(request.inputs[0].dtype, [&]<class Q>(TypeTag<Q>) -> KernelPtr {
    return make_kernel([count = x.num_elements(), channels = x.dim(-1)](KernelContext& c) {
      const FloatRange of_x = range_input(c, 2), of_bias = range_input(c, 4);
      const FloatRange of_sum = range_of_sums(of_x, of_bias, 17);
      for (int64_t i = 0; i < count; ++i) {
        c.output<QInt32>(0)[i] =
            from_integer<QInt32>(moved<Q>(c.input<Q>(0)[i].value, of_x, of_sum) +
                                 moved<Q>(c.input<Q>(1)[i % channels].value, of_bias, of_sum));
      }
      give_range(c, 1, of_sum);
    });
  });
}

KernelPtr make_reshape(Request request) {
  const TensorSpec& x = request.inputs[0];
  return make_kernel([dtype = x.dtype, shape = x.shape, target = IntsInput(request, 1),
                      place = OutputPlace(request, 0)](KernelContext& c) {
    const Ints dims = target.read(c);
    void* to = place.memory(c, resolve_reshape(shape, Shape(std::span<const int64_t>(dims))));
    copy_elements(dtype, c.input_pointer(0), to, shape.num_elements());
    give_range(c, 1, range_input(c, 2));
  });
}

KernelPtr make_concat(Request request) {
  const int count = static_cast<int>(request.inputs.size() - 1) / 3;
  std::vector<Shape> shapes;
  for (int i = 0; i < count; ++i)
    shapes.push_back(request.inputs[static_cast<size_t>(i) + 1].shape);
  return visit_quantized(request.outputs[0].dtype, [&]<class Q>(TypeTag<Q>) -> KernelPtr {
    return make_kernel([count, shapes, axis_input = IntsInput(request, 0),
                        place = OutputPlace(request, 0)](KernelContext& c) {
      const auto axis = static_cast<int>(
          place_axis(axis_input.read_one(c), static_cast<size_t>(shapes[0].rank())));
      std::vector<FloatRange> ranges;
      FloatRange all{*c.input<float>(1 + count), *c.input<float>(1 + 2 * count)};
      Shape joined = shapes[0];
      joined.set_dim(axis, 0);
      for (int i = 0; i < count; ++i) {
        ranges.push_back({*c.input<float>(1 + count + i), *c.input<float>(1 + 2 * count + i)});
        all = {std::min(all.min, ranges.back().min), std::max(all.max, ranges.back().max)};
        joined.set_dim(axis, joined[axis] + shapes[static_cast<size_t>(i)][axis]);
      }
      if (kLowestOf<Q> < 0) {
        const float end = std::max(std::abs(all.min), std::abs(all.max));
        all = {-end, end};
      }
      auto* to = static_cast<Q*>(place.memory(c, joined));
      const int64_t outer = joined.slice(0, axis).num_elements();
      for (int64_t o = 0; o < outer; ++o) {
        for (int i = 0; i < count; ++i) {
          const FloatRange& range = ranges[static_cast<size_t>(i)];
          const int64_t run = shapes[static_cast<size_t>(i)].slice(axis).num_elements();
          const Q* from = c.input<Q>(1 + i) + o * run;
          for (int64_t k = 0; k < run; ++k) {
            const bool same = range.min == all.min && range.max == all.max;
            *to++ = same ? from[k]
                         : from_integer<Q>(quantized_in_float<Q>(
                               dequantized_in_float<Q>(from[k].value, range), all));
          }
        }
      }
      give_range(c, 1, all);
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"Requantize", "reference", make_requantize},
    {"RequantizePerChannel", "reference", make_requantize_per_channel},
    {"RequantizationRange", "reference", make_filled_range},
    {"RequantizationRangePerChannel", "reference", make_range_per_channel},
    {"QuantizeDownAndShrinkRange", "reference", make_shrink},
    {"QuantizedMatMul", "reference", make_matmul},
    {"QuantizedConv2D", "reference", make_convolution},
    {"QuantizedBiasAdd", "reference", make_bias},
    {"QuantizedRelu", "reference", make_relu<false>},
    {"QuantizedRelu6", "reference", make_relu<true>},
    {"QuantizedMaxPool", "reference", make_pool<false>},
    {"QuantizedAvgPool", "reference", make_pool<true>},
    {"QuantizedAdd", "reference", make_binary<false>},
    {"QuantizedMul", "reference", make_binary<true>},
    {"QuantizedReshape", "reference", make_reshape},
    {"QuantizedConcat", "reference", make_concat},
};

}  // namespace

std::span<const KernelDef> reference_quantized_kernels() { return kKernels; }

}  // namespace thalweg
