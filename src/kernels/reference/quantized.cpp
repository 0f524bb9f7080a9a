// Products, sums and activations of quantized numbers, and the family of all kernels on them.
#include <algorithm>
#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/quantized_elements.h"
#include "kernels/reference/quantized_kernels.h"

namespace thalweg {
namespace {

using namespace reference;  // NOLINT: ranges in its words
using Request = const KernelRequest&;

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

constexpr KernelDef kKernels[] = {
    {"Requantize", "reference", make_requantize},
    {"RequantizePerChannel", "reference", make_requantize_per_channel},
    {"RequantizationRange", "reference", make_requantization_range},
    {"RequantizationRangePerChannel", "reference", make_requantization_range_per_channel},
    {"QuantizeDownAndShrinkRange", "reference", make_quantize_down_and_shrink_range},
    {"QuantizedMatMul", "reference", make_matmul},
    {"QuantizedConv2D", "reference", make_quantized_conv2d},
    {"QuantizedBiasAdd", "reference", make_bias},
    {"QuantizedRelu", "reference", make_relu<false>},
    {"QuantizedRelu6", "reference", make_relu<true>},
    {"QuantizedMaxPool", "reference", make_quantized_max_pool},
    {"QuantizedAvgPool", "reference", make_quantized_avg_pool},
    {"QuantizedAdd", "reference", make_binary<false>},
    {"QuantizedMul", "reference", make_binary<true>},
    {"QuantizedReshape", "reference", make_quantized_reshape},
    {"QuantizedConcat", "reference", make_quantized_concat},
};

}  // namespace

std::span<const KernelDef> reference_quantized_kernels() { return kKernels; }

}  // namespace thalweg
