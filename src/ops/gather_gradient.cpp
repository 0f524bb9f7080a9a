#include "ops/gather_gradient.h"

#include <algorithm>
#include <limits>

#include "ops/int_constant.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

// A size that is known while building, or computed by the graph as an int64 scalar.
struct Size {
  int64_t value = kUnknownDim;
  Output computed = {};
  bool known() const { return value != kUnknownDim; }
};

// In int64, whether it is known or not.
Output scalar_of(Graph& graph, const Size& size) {
  return size.known() ? constant(graph, Tensor(size.value)) : size.computed;
}

bool fits_int32(const Size& size) {
  return size.known() && size.value <= std::numeric_limits<int32_t>::max();
}

// A dimension's number: known (negative counts from the end), or computed as an int32 scalar.
struct Position {
  int64_t value = 0;
  Output computed = {};
  bool known() const { return !computed; }
  IntVector vector() const {
    return known() ? IntVector{value} : IntVector(reshape(computed, {1}));
  }
  Position next() const {
    return known() ? Position{value + 1} : Position{.computed = add(computed, 1.0)};
  }
};

// Product of the dimensions [begin, end) of x.
Size dims_product(const Output& x, const Position& begin, const Position& end) {
  const Shape& shape = x.shape();
  if (begin.known() && end.known()) {
    if (begin.value == end.value) return {.value = 1};
    if (shape.has_rank()) {
      const auto place = [&](int64_t i) { return static_cast<int>(i < 0 ? i + shape.rank() : i); };
      const Shape part = shape.slice(place(begin.value), place(end.value));
      if (part.is_fully_defined()) return {.value = part.num_elements()};
    }
  }
  return {.computed =
              reduce_prod(strided_slice(shape_of(x, kInt64), begin.vector(), end.vector(), {1}))};
}

// Product of the dimensions of x from `begin` on.
Size dims_product(const Output& x, const Position& begin) {
  if (begin.known() && x.shape().has_rank()) {
    return dims_product(x, begin, {.value = x.shape().rank()});
  }
  return {.computed = reduce_prod(
              strided_slice(shape_of(x, kInt64), begin.vector(), {0}, {1}, {.end_mask = 1}))};
}

Size times(Graph& graph, const Size& a, const Size& b) {
  if (a.known() && b.known()) return {.value = checked_multiply(a.value, b.value)};
  if (a.known() && a.value == 1) return b;
  if (b.known() && b.value == 1) return a;
  return {.computed = scalar_of(graph, a) * scalar_of(graph, b)};
}

// One unknown size is left to Reshape where it can tell it, several are computed.
IntVector shape_from(Graph& graph, std::initializer_list<Size> sizes) {
  const auto unknown =
      std::count_if(sizes.begin(), sizes.end(), [](const Size& s) { return !s.known(); });
  const bool empty =
      std::any_of(sizes.begin(), sizes.end(), [](const Size& s) { return s.value == 0; });
  if (unknown == 0 || (unknown == 1 && !empty)) {
    std::vector<int64_t> values;
    for (const Size& size : sizes) values.push_back(size.value);
    return values;
  }
  std::vector<Output> scalars;
  for (const Size& size : sizes) scalars.push_back(scalar_of(graph, size));
  return pack(scalars);
}

// params is seen as [batch, outer, size, inner], indices as [batch, count], grad as [batch, outer,
// count, inner].
struct GatherSizes {
  Size batch, outer, size, inner, count;
};

// Sums the slices of grad by segment, where index i of batch b is segment b * size + i.
Output sum_by_index(const Output& params, const Output& indices, const Output& grad,
                    const GatherSizes& sizes) {
  Graph& graph = params.graph();
  const auto& [batch, outer, size, inner, count] = sizes;
  const bool one_batch = batch.known() && batch.value == 1;
  const bool one_outer = outer.known() && outer.value == 1;

  Output ids = indices.dtype() == kInt16 ? cast(indices, kInt32) : indices;
  const Size segments = times(graph, batch, size);
  if (one_batch) {
    ids = reshape(ids, {-1});
  } else {
    if (!fits_int32(segments)) ids = cast(ids, kInt64);
    const Output zero = constant(graph, Tensor(int64_t{0}));
    const Output one = constant(graph, Tensor(int64_t{1}));
    const Output starts = range(zero, scalar_of(graph, batch), one) * scalar_of(graph, size);
    ids = reshape(
        reshape(ids, shape_from(graph, {batch, count})) + expand_dims(cast(starts, ids.dtype()), 1),
        {-1});
  }
  // The summed dimension goes first: [batch, outer, count, inner] -> [batch * count, outer *
  // inner].
  Output rows = grad;
  if (!one_outer) {
    rows = transpose(reshape(rows, shape_from(graph, {batch, outer, count, inner})), {0, 2, 1, 3});
  }
  rows = reshape(rows, shape_from(graph, {times(graph, batch, count), times(graph, outer, inner)}));
  const Output number = segments.known() ? int_constant(graph, segments.value) : segments.computed;
  Output sums = unsorted_segment_sum(rows, ids, number);
  if (!one_outer) {
    sums = transpose(reshape(sums, shape_from(graph, {batch, size, outer, inner})), {0, 2, 1, 3});
  }
  const Shape& shape = params.shape();
  return reshape(sums, shape.is_fully_defined() ? IntVector(shape) : IntVector(shape_of(params)));
}

// Dimension `i` of x, negative from the end, counted from the start.
Position count_from_start(int64_t i, const Output& x) {
  if (i >= 0) return {.value = i};
  if (x.shape().has_rank()) return {.value = i + x.shape().rank()};
  return {.computed = add(rank_of(x), static_cast<double>(i))};
}

}  // namespace

void gather_gradient(GradientContext& context) {
  const Output params = context.input(0);
  const Output indices = context.input(1);
  Position axis;
  if (const auto known = known_scalar(context.node(), 2)) {
    axis = count_from_start(*known, params);
  } else {
    axis.computed = floor_mod(cast(context.input(2), kInt32), rank_of(params));
  }
  const Position batch_dims = count_from_start(context.attr<int64_t>("batch_dims"), indices);
  const GatherSizes sizes = {.batch = dims_product(params, {}, batch_dims),
                             .outer = dims_product(params, batch_dims, axis),
                             .size = dims_product(params, axis, axis.next()),
                             .inner = dims_product(params, axis.next()),
                             .count = dims_product(indices, batch_dims)};
  context.set(0, sum_by_index(params, indices, context.grad(), sizes));
}

void top_k_gradient(GradientContext& context) {
  if (!context.grad(0)) return;
  const Output x = context.input(0);
  const Output indices = context.output(1);
  const GatherSizes sizes = {.batch = dims_product(x, {}, {.value = -1}),
                             .outer = {.value = 1},
                             .size = dims_product(x, {.value = -1}),
                             .inner = {.value = 1},
                             .count = dims_product(indices, {.value = -1})};
  context.set(0, sum_by_index(x, indices, context.grad(0), sizes));
}

}  // namespace thalweg
