// Ops that take a block out of a tensor. Their builder functions are declared in ops/indexing.h.
#include <algorithm>

#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/tensor/strided_slice.h"

namespace thalweg {
namespace {

using MaybeInt = std::optional<int64_t>;

void slice_shape(ShapeContext& context) {
  const Shape& x = context.input(0);
  int rank = x.rank();
  for (int i = 1; i <= 2; ++i) {
    const Shape vector = context.with_rank(i, 1);
    if (vector[0] == kUnknownDim) continue;
    if (rank >= 0 && vector[0] != rank) {
      throw context.error("input `", context.input_name(i), "` has ", vector[0],
                          " entries, expected ", rank,
                          ", one for each dimension of `input` with shape ", x);
    }
    rank = static_cast<int>(vector[0]);
  }
  if (rank < 0) return context.set_output(0, Shape::unknown());
  Shape result = Shape::unknown_of_rank(rank);
  const auto begins = known_entries(context, 1);
  const auto sizes = known_entries(context, 2);
  for (int i = 0; i < rank; ++i) {
    const MaybeInt begin = begins ? (*begins)[static_cast<size_t>(i)] : std::nullopt;
    const MaybeInt size = sizes ? (*sizes)[static_cast<size_t>(i)] : std::nullopt;
    const int64_t dim = x.has_rank() ? x[i] : kUnknownDim;
    const bool rest = size && *size == -1;
    const bool bad =
        (begin && (*begin < 0 || (dim != kUnknownDim && *begin > dim))) || (size && *size < -1) ||
        (size && dim != kUnknownDim && std::max<int64_t>(*size, 0) > dim - begin.value_or(0));
    if (bad) {
      throw context.error("begin ", begin ? str(*begin) : "?", " and size ",
                          size ? str(*size) : "?", " do not fit dimension ", i, " of shape ", x);
    }
    if (rest && begin && dim != kUnknownDim) result.set_dim(i, dim - *begin);
    if (size && !rest) result.set_dim(i, *size);
  }
  context.set_output(0, result);
}

void slice_gradient(GradientContext& context) {
  const Output x = context.input(0);
  const Output grad = context.grad();
  const auto begin = known_values(context.node(), 1);
  const Shape& taken = context.output().shape();
  if (begin && x.shape().is_fully_defined() && taken.is_fully_defined()) {
    Paddings paddings;
    for (int i = 0; i < taken.rank(); ++i) {
      const int64_t before = (*begin)[static_cast<size_t>(i)];
      paddings.emplace_back(before, x.shape()[i] - taken[i] - before);
    }
    return context.set(0, pad(grad, paddings));
  }
  const Output before = context.input(1);
  const Output after =
      shape_of(x, before.dtype()) - shape_of(context.output(), before.dtype()) - before;
  context.set(0, x.graph().add("Pad", {grad, pack({before, after}, 1)}).output());
}

StridedSliceMasks masks_of(const Node& node) {
  return {.begin = node.attr<int64_t>("begin_mask"),
          .end = node.attr<int64_t>("end_mask"),
          .ellipsis = node.attr<int64_t>("ellipsis_mask"),
          .new_axis = node.attr<int64_t>("new_axis_mask"),
          .shrink_axis = node.attr<int64_t>("shrink_axis_mask")};
}

AttrMap mask_attrs(const Node& node) {
  AttrMap attrs;
  for (std::string_view name :
       {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    attrs.emplace(name, node.attr<int64_t>(name));
  }
  return attrs;
}

// begin, end and strides (inputs first, first + 1, first + 2) as far as known; nothing when their
// length is not.
std::optional<ResolvedSlice> resolve(const ShapeContext& context, const Shape& x, int first) {
  std::vector<MaybeInt> vectors[3];
  int64_t length = kUnknownDim;
  for (int i = 0; i < 3; ++i) {
    const Shape vector = context.with_rank(first + i, 1);
    if (vector[0] != kUnknownDim) length = vector[0];
  }
  if (length == kUnknownDim || !x.has_rank()) return std::nullopt;
  for (int i = 0; i < 3; ++i) {
    const auto entries = known_entries(context, first + i);
    vectors[i] = entries ? *entries : std::vector<MaybeInt>(static_cast<size_t>(length));
  }
  return resolve_strided_slice(x, vectors[0], vectors[1], vectors[2], masks_of(context.node()));
}

void strided_slice_shape(ShapeContext& context) {
  const auto resolved = resolve(context, context.input(0), 1);
  context.set_output(0, resolved ? resolved->shape : Shape::unknown());
}

void strided_slice_grad_shape(ShapeContext& context) {
  const Shape x = requested_shape(context, 0);
  if (const auto resolved = resolve(context, x, 1);
      resolved && !resolved->shape.is_compatible_with(context.input(4))) {
    throw context.error("`dy` has shape ", context.input(4), ", but that slice of ", x,
                        " has shape ", resolved->shape);
  }
  context.set_output(0, x);
}

void strided_slice_gradient(GradientContext& context) {
  const Output x = context.input(0);
  const Output begin = context.input(1);
  const Output shape = x.shape().is_fully_defined() && begin.dtype() == kInt32
                           ? IntVector(x.shape()).in(x.graph())
                           : shape_of(x, begin.dtype());
  context.set(0, x.graph()
                     .add("StridedSliceGrad",
                          {shape, begin, context.input(2), context.input(3), context.grad()},
                          mask_attrs(context.node()))
                     .output());
}

void strided_slice_grad_gradient(GradientContext& context) {
  context.set(4, context.graph()
                     .add("StridedSlice",
                          {context.grad(), context.input(1), context.input(2), context.input(3)},
                          mask_attrs(context.node()))
                     .output());
}

constexpr OpDef kSlicingOps[] = {
    {.name = "Slice",
     .inputs = {"input: T | A tensor.",
                "begin: Index | First position in each dimension, `[rank]`.",
                "size: Index | How many from there on, `[rank]`; -1: all that are left."},
     .outputs = {"output: T | That block of `input`."},
     .attrs = {"T: type | Element type.", "Index: {int32, int64} | Type of `begin` and `size`."},
     .doc = "A block of a tensor.",
     .shape = slice_shape,
     .gradient = slice_gradient},
    {.name = "StridedSlice",
     .inputs = {"input: T | A tensor.",
                "begin: Index | First positions, `[n]`; negative ones count from the end.",
                "end: Index | Where to stop, itself left out, `[n]`.",
                "strides: Index | Steps, `[n]`; may be negative, not 0."},
     .outputs = {"output: T | The elements at these positions."},
     .attrs =
         {"T: type | Element type.", "Index: {int32, int64} | Type of the positions.",
          "begin_mask: int = 0 | Bit i: `begin[i]` is ignored, from the first element on.",
          "end_mask: int = 0 | Bit i: `end[i]` is ignored, through the last element.",
          "ellipsis_mask: int = 0 | Bit i: entry i stands for all dimensions that no other names.",
          "new_axis_mask: int = 0 | Bit i: entry i adds a dimension of size 1.",
          "shrink_axis_mask: int = 0 | Bit i: entry i takes the element `begin[i]` and drops the "
          "dimension."},
     .doc = "A slice as NumPy's `x[begin:end:stride, ...]`. Positions past either end are cut, but "
            "a single element "
            "(shrink_axis_mask) must be in range.",
     .shape = strided_slice_shape,
     .gradient = strided_slice_gradient},
    {.name = "StridedSliceGrad",
     .inputs = {"shape: Index | Shape of the tensor that was sliced, `[rank]`.",
                "begin: Index | As in StridedSlice.", "end: Index | As in StridedSlice.",
                "strides: Index | As in StridedSlice.",
                "dy: T | Gradient of the slice, of its shape."},
     .outputs = {"output: T | Zeros of `shape` with `dy` at the places of the slice."},
     .attrs = {"T: type | Element type.", "Index: {int32, int64} | Type of the positions.",
               "begin_mask: int = 0 | As in StridedSlice.",
               "end_mask: int = 0 | As in StridedSlice.",
               "ellipsis_mask: int = 0 | As in StridedSlice.",
               "new_axis_mask: int = 0 | As in StridedSlice.",
               "shrink_axis_mask: int = 0 | As in StridedSlice."},
     .doc = "The gradient of StridedSlice.",
     .shape = strided_slice_grad_shape,
     .gradient = strided_slice_grad_gradient},
};

}  // namespace

std::span<const OpDef> slicing_ops() { return kSlicingOps; }

Output slice(const Output& x, const IntVector& begin, const IntVector& size,
             const IndexingOptions& options) {
  Graph& graph = x.graph();
  const DType index = IntVector::common_dtype({&begin, &size});
  return graph
      .add("Slice", {x, begin.in(graph, index), size.in(graph, index)}, {}, {.name = options.name})
      .output();
}

Output strided_slice(const Output& x, const IntVector& begin, const IntVector& end,
                     const IntVector& strides, const StridedSliceOptions& options) {
  Graph& graph = x.graph();
  const DType index = IntVector::common_dtype({&begin, &end, &strides});
  const Output from = begin.in(graph, index);
  Output step;
  if (!strides.is_constant() || !strides.values().empty()) {
    step = strides.in(graph, index);
  } else if (from.shape().rank() == 1 && from.shape()[0] != kUnknownDim) {
    step = ones(graph, index, from.shape());
  } else {
    step = ones_like(from);
  }
  return graph
      .add("StridedSlice", {x, from, end.in(graph, index), step},
           {{"begin_mask", options.begin_mask},
            {"end_mask", options.end_mask},
            {"ellipsis_mask", options.ellipsis_mask},
            {"new_axis_mask", options.new_axis_mask},
            {"shrink_axis_mask", options.shrink_axis_mask}},
           {.name = options.name})
      .output();
}

}  // namespace thalweg
