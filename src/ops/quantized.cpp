// Arithmetic on quantized numbers, each tensor with the range that its integers stand for: what
// TensorFlow 1's tools for quantized inference write into graphs.
#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/graph/window.h"
#include "thalweg/tensor/reshape.h"

namespace thalweg {
namespace {

constexpr char kNoGradient[] = "it works on integers";

// Outputs 1 and 2 are the range of output 0.
void set_range(ShapeContext& c) {
  c.set_output(1, Shape{});
  c.set_output(2, Shape{});
}

void check_scalars(const ShapeContext& c, int first) {
  for (int i = first; i < c.num_inputs(); ++i) c.with_rank(i, 0);
}

void unary_shape(ShapeContext& c) {
  check_scalars(c, 1);
  c.set_output(0, c.input(0));
  set_range(c);
}

void binary_shape(ShapeContext& c) {
  check_scalars(c, 2);
  shape_functions::broadcast_inputs(c);
  set_range(c);
}

void range_shape(ShapeContext& c) {
  check_scalars(c, 1);
  c.set_output(0, Shape{});
  c.set_output(1, Shape{});
}

void check_channels(const ShapeContext& c) {
  const Shape x = c.with_rank(0, 4);
  for (int i : {1, 2}) {
    if (!c.with_rank(i, 1).is_compatible_with(Shape{x[3]}))
      throw c.error("`", c.input_name(i), "` must have an entry for each of the channels of ", x);
  }
}

void per_channel_shape(ShapeContext& c) {
  check_channels(c);
  check_scalars(c, 3);
  c.set_output(0, c.input(0));
  set_range(c);
}

void channel_range_shape(ShapeContext& c) {
  check_channels(c);
  c.set_output(0, Shape{});
  c.set_output(1, Shape{});
}

void bias_shape(ShapeContext& c) {
  const Shape x = c.with_rank_at_least(0, 1), bias = c.with_rank(1, 1);
  if (x.has_rank() && !bias.is_compatible_with(Shape{x.dim(-1)}))
    throw c.error("`bias` has shape ", bias, ", the last dimension of ", x, " is another");
  check_scalars(c, 2);
  c.set_output(0, c.input(0));
  set_range(c);
}

void matmul_shape(ShapeContext& c) {
  const Shape a = c.with_rank(0, 2), b = c.with_rank(1, 2);
  check_scalars(c, 2);
  const int ta = c.attr<bool>("transpose_a") ? 1 : 0, tb = c.attr<bool>("transpose_b") ? 1 : 0;
  if (a[1 - ta] != kUnknownDim && b[tb] != kUnknownDim && a[1 - ta] != b[tb])
    throw c.error("inner dimensions differ: a is ", a, ", b is ", b);
  c.set_output(0, Shape{a[ta], b[1 - tb]});
  set_range(c);
}

// Height and width of windows over `[batch, height, width, channels]`.
Shape windowed(const ShapeContext& c, Shape x, int64_t height, int64_t width) {
  const auto& strides = c.attr<std::vector<int64_t>>("strides");
  const auto& padding = c.attr<std::string>("padding");
  if (strides.size() != 4 || strides[0] != 1 || strides[3] != 1)
    throw c.error("attribute `strides` must be [1, s, s, 1]");
  x.set_dim(1, make_window(x[1], height, strides[1], 1, padding).output);
  x.set_dim(2, make_window(x[2], width, strides[2], 1, padding).output);
  return x;
}

void convolution_shape(ShapeContext& c) {
  const Shape x = c.with_rank(0, 4), filter = c.with_rank(1, 4);
  check_scalars(c, 2);
  for (int64_t dilation : c.attr<std::vector<int64_t>>("dilations")) {
    if (dilation != 1) throw c.error("attribute `dilations` must be all 1");
  }
  if (x[3] != kUnknownDim && filter[2] != kUnknownDim && x[3] != filter[2])
    throw c.error("`input` ", x, " and `filter` ", filter, " differ in input channels");
  Shape y = windowed(c, x, filter[0], filter[1]);
  y.set_dim(3, filter[3]);
  c.set_output(0, y);
  set_range(c);
}

void pool_shape(ShapeContext& c) {
  const Shape x = c.with_rank(0, 4);
  check_scalars(c, 1);
  const auto& size = c.attr<std::vector<int64_t>>("ksize");
  if (size.size() != 4 || size[0] != 1 || size[3] != 1)
    throw c.error("attribute `ksize` must be [1, k, k, 1]");
  c.set_output(0, windowed(c, x, size[1], size[2]));
  set_range(c);
}

void reshape_shape(ShapeContext& c) {
  c.with_rank(1, 1);
  check_scalars(c, 2);
  c.set_output(0, c.constant(1) && c.input(0).is_fully_defined()
                      ? resolve_reshape(c.input(0), c.constant_shape(1))
                      : Shape::unknown());
  set_range(c);
}

void concat_shape(ShapeContext& c) {
  const int count = (c.num_inputs() - 1) / 3;
  c.with_rank(0, 0);
  check_scalars(c, 1 + count);
  const auto axis = known_scalar(c, 0);
  Shape joined = c.input(1);
  for (int i = 2; i <= count && joined.has_rank(); ++i) {
    const Shape x = c.with_rank(i, joined.rank());
    for (int d = 0; d < joined.rank(); ++d) {
      const bool along = !axis || *axis == d || *axis == d - joined.rank();
      if (along) {
        const bool known = axis && joined[d] != kUnknownDim && x[d] != kUnknownDim;
        joined.set_dim(d, known ? joined[d] + x[d] : kUnknownDim);
      } else if (joined[d] == kUnknownDim) {
        joined.set_dim(d, x[d]);
      } else if (x[d] != kUnknownDim && x[d] != joined[d]) {
        throw c.error("`values` differ in dimension ", d, ": ", c.input(1), " and ", x);
      }
    }
  }
  c.set_output(0, joined);
  set_range(c);
}

constexpr char kIn32[] = "Tinput: {qint32} | Type of the input.";
constexpr char kMin[] = "input_min: float | What the lowest integer stands for.";
constexpr char kMax[] = "input_max: float | What the highest stands for.";
constexpr char kOutMin[] = "output_min: float | What the lowest integer of the output stands for.";
constexpr char kOutMax[] = "output_max: float | What the highest stands for.";
constexpr char kOut8[] = "out_type: {quint8, qint8} | Type of the output.";
constexpr char kStrides[] = "strides: list(int) | `[1, rows, columns, 1]`.";
constexpr char kPadding[] = "padding: {'SAME', 'VALID'} | What lies around the image.";

constexpr OpDef kOps[] = {
    {.name = "Requantize",
     .inputs = {"input: Tinput | Any shape.", kMin, kMax,
                "requested_output_min: float | What the lowest integer shall stand for; at most 0.",
                "requested_output_max: float | What the highest shall stand for."},
     .outputs = {"output: out_type | The shape of `input`.", kOutMin, kOutMax},
     .attrs = {kIn32, kOut8},
     .doc = "The same numbers as integers of fewer bits.",
     .shape = unary_shape,
     .no_gradient = kNoGradient},
    {.name = "RequantizePerChannel",
     .inputs = {"input: T | `[batch, height, width, channels]`.",
                "input_min: float | Lower ends of the channels' ranges, `[channels]`.",
                "input_max: float | Upper ends.", "requested_output_min: float | A scalar.",
                "requested_output_max: float | A scalar."},
     .outputs = {"output: out_type | The shape of `input`.", kOutMin, kOutMax},
     .attrs = {"T: {qint32} = qint32 | Type of the input.",
               "out_type: {quint8, qint8} = quint8 | Type of the output."},
     .doc = "Requantize with a range for each channel, symmetric about 0.",
     .shape = per_channel_shape,
     .no_gradient = kNoGradient},
    {.name = "RequantizationRange",
     .inputs = {"input: Tinput | Any shape.", kMin, kMax},
     .outputs = {"output_min: float | The smallest number there, at most 0.",
                 "output_max: float | The largest."},
     .attrs = {kIn32},
     .doc = "The range that the integers really fill.",
     .shape = range_shape,
     .no_gradient = kNoGradient},
    {.name = "RequantizationRangePerChannel",
     .inputs = {"input: T | `[batch, height, width, channels]`.",
                "input_min: float | Lower ends of the channels' ranges, `[channels]`.",
                "input_max: float | Upper ends."},
     .outputs = {"output_min: float | -output_max, or 0 when no integer is negative.",
                 "output_max: float | The largest absolute value."},
     .attrs = {"T: {qint32} = qint32 | Type of the input.",
               "clip_value_max: float | Upper bound of the range."},
     .doc = "The symmetric range that the integers really fill.",
     .shape = channel_range_shape,
     .no_gradient = kNoGradient},
    {.name = "QuantizeDownAndShrinkRange",
     .inputs = {"input: Tinput | Any shape.", kMin, kMax},
     .outputs = {"output: out_type | The shape of `input`.", kOutMin, kOutMax},
     .attrs = {kIn32, "out_type: {quint8} | Type of the output."},
     .doc = "Requantize to RequantizationRange.",
     .shape = unary_shape,
     .no_gradient = kNoGradient},
    {.name = "QuantizedMatMul",
     .inputs = {"a: T1 | A matrix.", "b: T2 | A matrix.", "min_a: float | Range of `a`.",
                "max_a: float | Its upper end.", "min_b: float | Range of `b`.",
                "max_b: float | Its upper end."},
     .outputs = {"out: Toutput | The product.", "min_out: float | Range of the product.",
                 "max_out: float | Its upper end."},
     .attrs = {"T1: {quint8} | Type of `a`.", "T2: {quint8} | Type of `b`.",
               "Toutput: {qint32} = qint32 | Type of the product.",
               "transpose_a: bool = false | Whether `a` is transposed first.",
               "transpose_b: bool = false | Whether `b` is.",
               "Tactivation: {quint8} = quint8 | Kept for graph files."},
     .doc = "Matrix product of quantized numbers.",
     .shape = matmul_shape,
     .no_gradient = kNoGradient},
    {.name = "QuantizedConv2D",
     .inputs = {"input: Tinput | `[batch, height, width, in]`.",
                "filter: Tfilter | `[rows, columns, in, out]`.",
                "min_input: float | Range of `input`.", "max_input: float | Its upper end.",
                "min_filter: float | Range of `filter`.", "max_filter: float | Its upper end."},
     .outputs = {"output: out_type | `[batch, height, width, out]`.",
                 "min_output: float | Range of the output.", "max_output: float | Its upper end."},
     .attrs = {"Tinput: {quint8} | Type of the input.", "Tfilter: {quint8} | Type of the filter.",
               "out_type: {qint32} = qint32 | Type of the output.", kStrides, kPadding,
               "dilations: list(int) = [1, 1, 1, 1] | All 1."},
     .doc = "Convolution of quantized numbers; padding stands for 0.",
     .shape = convolution_shape,
     .no_gradient = kNoGradient},
    {.name = "QuantizedBiasAdd",
     .inputs = {"input: T1 | `[..., n]`.", "bias: T2 | `[n]`.",
                "min_input: float | Range of `input`.", "max_input: float | Its upper end.",
                "min_bias: float | Range of `bias`.", "max_bias: float | Its upper end."},
     .outputs = {"output: out_type | The shape of `input`.",
                 "min_out: float | Range of the output.", "max_out: float | Its upper end."},
     .attrs = {"T1: {quint8, qint8} | Type of the input.",
               "T2: {quint8, qint8} | Type of the bias.",
               "out_type: {qint32} | Type of the output."},
     .doc = "Adds a bias to the last dimension.",
     .shape = bias_shape,
     .no_gradient = kNoGradient},
    {.name = "QuantizedRelu",
     .inputs = {"features: Tinput | Any shape.", "min_features: float | Range of the input.",
                "max_features: float | Its upper end."},
     .outputs = {"activations: out_type | The shape of the input.",
                 "min_activations: float | As of the input.", "max_activations: float | As there."},
     .attrs = {"Tinput: {quint8, qint32} | Type of the input.",
               "out_type: {quint8, qint32} = quint8 | The same."},
     .doc = "max(x, 0) of quantized numbers.",
     .shape = unary_shape,
     .no_gradient = kNoGradient},
    {.name = "QuantizedRelu6",
     .inputs = {"features: Tinput | Any shape.", "min_features: float | Range of the input.",
                "max_features: float | Its upper end."},
     .outputs = {"activations: out_type | The shape of the input.",
                 "min_activations: float | As of the input.", "max_activations: float | As there."},
     .attrs = {"Tinput: {quint8, qint32} | Type of the input.",
               "out_type: {quint8, qint32} = quint8 | The same."},
     .doc = "min(max(x, 0), 6) of quantized numbers.",
     .shape = unary_shape,
     .no_gradient = kNoGradient},
    {.name = "QuantizedMaxPool",
     .inputs = {"input: T | `[batch, height, width, channels]`.", "min_input: float | Its range.",
                "max_input: float | Its upper end."},
     .outputs = {"output: T | `[batch, height, width, channels]`.",
                 "min_output: float | As of the input.", "max_output: float | As there."},
     .attrs = {"T: {quint8, qint8} | Element type.", "ksize: list(int) | `[1, rows, columns, 1]`.",
               kStrides, kPadding},
     .doc = "The largest of each window.",
     .shape = pool_shape,
     .no_gradient = kNoGradient},
    {.name = "QuantizedAvgPool",
     .inputs = {"input: T | `[batch, height, width, channels]`.", "min_input: float | Its range.",
                "max_input: float | Its upper end."},
     .outputs = {"output: T | `[batch, height, width, channels]`.",
                 "min_output: float | As of the input.", "max_output: float | As there."},
     .attrs = {"T: {quint8, qint8} | Element type.", "ksize: list(int) | `[1, rows, columns, 1]`.",
               kStrides, kPadding},
     .doc = "The mean of each window without its padding, rounded, halves to even.",
     .shape = pool_shape,
     .no_gradient = kNoGradient},
    {.name = "QuantizedAdd",
     .inputs = {"x: T1 | Any shape.", "y: T2 | Broadcast with it.", "min_x: float | Range of `x`.",
                "max_x: float | Its upper end.", "min_y: float | Range of `y`.",
                "max_y: float | Its upper end."},
     .outputs = {"z: Toutput | The broadcast shape.", "min_z: float | Range of the sum.",
                 "max_z: float | Its upper end."},
     .attrs = {"T1: {quint8} | Type of `x`.", "T2: {quint8} | Type of `y`.",
               "Toutput: {qint32} = qint32 | Type of the sum."},
     .doc = "x + y of quantized numbers.",
     .shape = binary_shape,
     .no_gradient = kNoGradient},
    {.name = "QuantizedMul",
     .inputs = {"x: T1 | Any shape.", "y: T2 | Broadcast with it.", "min_x: float | Range of `x`.",
                "max_x: float | Its upper end.", "min_y: float | Range of `y`.",
                "max_y: float | Its upper end."},
     .outputs = {"z: Toutput | The broadcast shape.", "min_z: float | Range of the product.",
                 "max_z: float | Its upper end."},
     .attrs = {"T1: {quint8} | Type of `x`.", "T2: {quint8} | Type of `y`.",
               "Toutput: {qint32} = qint32 | Type of the product."},
     .doc = "x * y of quantized numbers.",
     .shape = binary_shape,
     .no_gradient = kNoGradient},
    {.name = "QuantizedReshape",
     .inputs = {"tensor: T | Any shape.", "shape: Tshape | The new shape; one entry may be -1.",
                kMin, kMax},
     .outputs = {"output: T | The same elements.", kOutMin, kOutMax},
     .attrs = {"T: {quint8, qint32} | Element type.",
               "Tshape: {int32, int64} = int32 | Of `shape`."},
     .doc = "Reshape with the range beside.",
     .shape = reshape_shape,
     .no_gradient = kNoGradient},
    {.name = "QuantizedConcat",
     .inputs = {"concat_dim: int32 | The dimension, a scalar.",
                "values: N * T | Tensors that differ in that dimension only.",
                "input_mins: N * float | Their ranges.", "input_maxes: N * float | Upper ends."},
     .outputs = {"output: T | The tensors behind each other.", kOutMin, kOutMax},
     .attrs = {"N: int >= 2 | How many.", "T: {quint8, qint32} | Element type."},
     .doc = "Joins tensors, in a range that holds all of theirs.",
     .shape = concat_shape,
     .no_gradient = kNoGradient},
};

}  // namespace

std::span<const OpDef> quantized_ops() { return kOps; }

}  // namespace thalweg
