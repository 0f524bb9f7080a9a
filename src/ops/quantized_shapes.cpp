#include "ops/quantized_shapes.h"

#include <string>
#include <vector>

#include "ops/known_values.h"
#include "thalweg/graph/window.h"
#include "thalweg/tensor/reshape.h"

namespace thalweg {
namespace {

// Outputs 1 and 2 are the range of output 0.
void set_range(ShapeContext& c) {
  c.set_output(1, Shape{});
  c.set_output(2, Shape{});
}

void check_scalars(const ShapeContext& c, int first) {
  for (int i = first; i < c.num_inputs(); ++i) c.with_rank(i, 0);
}

void check_channels(const ShapeContext& c) {
  const Shape x = c.with_rank(0, 4);
  for (int i : {1, 2}) {
    if (!c.with_rank(i, 1).is_compatible_with(Shape{x[3]}))
      throw c.error("`", c.input_name(i), "` must have an entry for each of the channels of ", x);
  }
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

}  // namespace

void quantized_unary_shape(ShapeContext& c) {
  check_scalars(c, 1);
  c.set_output(0, c.input(0));
  set_range(c);
}

void quantized_binary_shape(ShapeContext& c) {
  check_scalars(c, 2);
  shape_functions::broadcast_inputs(c);
  set_range(c);
}

void quantized_range_shape(ShapeContext& c) {
  check_scalars(c, 1);
  c.set_output(0, Shape{});
  c.set_output(1, Shape{});
}

void quantized_channels_shape(ShapeContext& c) {
  check_channels(c);
  check_scalars(c, 3);
  c.set_output(0, c.input(0));
  set_range(c);
}

void quantized_channel_range_shape(ShapeContext& c) {
  check_channels(c);
  c.set_output(0, Shape{});
  c.set_output(1, Shape{});
}

void quantized_bias_shape(ShapeContext& c) {
  const Shape x = c.with_rank_at_least(0, 1), bias = c.with_rank(1, 1);
  if (x.has_rank() && !bias.is_compatible_with(Shape{x.dim(-1)}))
    throw c.error("`bias` has shape ", bias, ", the last dimension of ", x, " is another");
  check_scalars(c, 2);
  c.set_output(0, c.input(0));
  set_range(c);
}

void quantized_matmul_shape(ShapeContext& c) {
  const Shape a = c.with_rank(0, 2), b = c.with_rank(1, 2);
  check_scalars(c, 2);
  const int ta = c.attr<bool>("transpose_a") ? 1 : 0, tb = c.attr<bool>("transpose_b") ? 1 : 0;
  if (a[1 - ta] != kUnknownDim && b[tb] != kUnknownDim && a[1 - ta] != b[tb])
    throw c.error("inner dimensions differ: a is ", a, ", b is ", b);
  c.set_output(0, Shape{a[ta], b[1 - tb]});
  set_range(c);
}

void quantized_conv2d_shape(ShapeContext& c) {
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

void quantized_pool_shape(ShapeContext& c) {
  const Shape x = c.with_rank(0, 4);
  check_scalars(c, 1);
  const auto& size = c.attr<std::vector<int64_t>>("ksize");
  if (size.size() != 4 || size[0] != 1 || size[3] != 1)
    throw c.error("attribute `ksize` must be [1, k, k, 1]");
  c.set_output(0, windowed(c, x, size[1], size[2]));
  set_range(c);
}

void quantized_reshape_shape(ShapeContext& c) {
  c.with_rank(1, 1);
  check_scalars(c, 2);
  c.set_output(0, c.constant(1) && c.input(0).is_fully_defined()
                      ? resolve_reshape(c.input(0), c.constant_shape(1))
                      : Shape::unknown());
  set_range(c);
}

void quantized_concat_shape(ShapeContext& c) {
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

}  // namespace thalweg
