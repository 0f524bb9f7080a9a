// Ops that read or write a tensor at computed positions.
#include "thalweg/ops/indexing.h"

#include "ops/families.h"
#include "ops/gather_gradient.h"
#include "ops/index_vectors.h"
#include "ops/known_values.h"
#include "ops/segment_sum.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

void one_hot_shape(ShapeContext& context) {
  for (int i = 1; i <= 3; ++i) context.with_rank(i, 0);
  const auto depth = known_scalar(context, 1);
  if (depth && *depth < 0) throw context.error("`depth` is ", *depth, ", it must not be negative");
  const Shape& indices = context.input(0);
  if (!indices.has_rank()) return context.set_output(0, Shape::unknown());
  const int axis = normalize_axis(context, context.attr<int64_t>("axis"), indices.rank() + 1);
  context.set_output(0, indices.slice(0, axis)
                            .concat(Shape{depth.value_or(kUnknownDim)})
                            .concat(indices.slice(axis)));
}

// output = hot * on + (1 - hot) * off
void one_hot_gradient(GradientContext& context) {
  const Output grad = context.grad();
  const Output hot =
      context.graph()
          .add("OneHot",
               {context.input(0), context.input(1), scalar_like(grad, 1), scalar_like(grad, 0)},
               {{"axis", context.attr<int64_t>("axis")}})
          .output();
  const Output on = reduce_sum(grad * hot);
  context.set(2, on);
  context.set(3, reduce_sum(grad) - on);
}

void gather_shape(ShapeContext& context) {
  context.with_rank(2, 0);
  const Shape params = context.with_rank_at_least(0, 1);
  const Shape& indices = context.input(1);
  const auto axis = known_scalar(context, 2);
  if (!params.has_rank() || !indices.has_rank()) return context.set_output(0, Shape::unknown());
  int64_t batch_attr = context.attr<int64_t>("batch_dims");
  if (batch_attr < 0) batch_attr += indices.rank();
  if (batch_attr < 0 || batch_attr > indices.rank()) {
    throw context.error("`batch_dims` ", context.attr<int64_t>("batch_dims"),
                        " does not fit `indices` of shape ", indices);
  }
  const auto batch_dims = static_cast<int>(batch_attr);
  if (!axis)
    return context.set_output(
        0, Shape::unknown_of_rank(params.rank() - 1 + indices.rank() - batch_dims));
  const int along = normalize_axis(context, *axis, params.rank());
  if (batch_dims > along) {
    throw context.error("`batch_dims` is ", batch_dims, ", more than `axis` ", along);
  }
  const Shape batch = params.slice(0, batch_dims);
  if (!batch.is_compatible_with(indices.slice(0, batch_dims))) {
    throw context.error("the first ", batch_dims, " dimensions of `params` ", params,
                        " and `indices` ", indices, " must be the same (`batch_dims`)");
  }
  context.set_output(0, batch.merge(indices.slice(0, batch_dims))
                            .concat(params.slice(batch_dims, along))
                            .concat(indices.slice(batch_dims))
                            .concat(params.slice(along + 1)));
}

void gather_nd_shape(ShapeContext& context) {
  context.set_output(0, slices_shape(context, context.input(1), context.input(0)));
}

void scatter_nd_shape(ShapeContext& context) {
  const Shape tensor = requested_shape(context, 2);
  check_updates(context, context.input(0), context.input(1), tensor);
  context.set_output(0, tensor);
}

void tensor_scatter_shape(ShapeContext& context) {
  check_updates(context, context.input(1), context.input(2), context.input(0));
  context.set_output(0, context.input(0));
}

void tensor_scatter_update_gradient(GradientContext& context) {
  const Output grad = context.grad();
  context.set(0, tensor_scatter_update(grad, context.input(1), zeros_like(context.input(2))));
  context.set(2, gather_nd(grad, context.input(1)));
}

void tensor_scatter_add_gradient(GradientContext& context) {
  context.set(0, context.grad());
  context.set(2, gather_nd(context.grad(), context.input(1)));
}

void where_shape(ShapeContext& context) {
  const Shape& x = context.input(0);
  context.set_output(0, Shape{kUnknownDim, x.has_rank() ? x.rank() : kUnknownDim});
}

void top_k_shape(ShapeContext& context) {
  context.with_rank(1, 0);
  const Shape x = context.with_rank_at_least(0, 1);
  const auto k = known_scalar(context, 1);
  Shape result = x;
  if (k && *k < 0) throw context.error("`k` is ", *k, ", it must not be negative");
  if (x.has_rank()) {
    const int last = x.rank() - 1;
    if (k && x[last] != kUnknownDim && *k > x[last]) {
      throw context.error("`k` is ", *k, ", but the last dimension of shape ", x, " has only ",
                          x[last], " elements");
    }
    result.set_dim(last, k.value_or(kUnknownDim));
  }
  context.set_output(0, result);
  context.set_output(1, result);
}

void invert_permutation_shape(ShapeContext& context) {
  context.set_output(0, context.with_rank(0, 1));
}

constexpr const char* kPolicy =
    "bad_indices_policy: {'', 'DEFAULT', 'ERROR'} = '' | What is done about an index out of range: "
    "it is an error.";

constexpr OpDef kIndexingOps[] = {
    {.name = "OneHot",
     .inputs = {"indices: TI | Which cell is on.",
                "depth: int32 | Size of the new dimension, a scalar.",
                "on_value: T | What the cell at the index holds, a scalar.",
                "off_value: T | What the others hold, a scalar."},
     .outputs = {"output: T | `indices` with a new dimension `axis`; an index outside `[0, depth)` "
                 "gives none that is on."},
     .attrs = {"axis: int = -1 | Place of the new dimension, in `[-1 - rank, rank]`.",
               "T: type | Element type.",
               "TI: {uint8, int8, int32, int64} = int64 | Type of the indices."},
     .doc = "Indices as vectors with one cell on.",
     .shape = one_hot_shape,
     .gradient = one_hot_gradient},
    {.name = "GatherV2",
     .inputs = {"params: Tparams | The table, not a scalar.",
                "indices: Tindices | Positions along `axis`, each in `[0, size)`.",
                "axis: Taxis | The dimension, in `[-rank, rank)`, a scalar."},
     .outputs =
         {"output: Tparams | Shape `params[:axis] + indices[batch_dims:] + params[axis + 1:]`."},
     .attrs = {"batch_dims: int = 0 | Leading dimensions that `params` and `indices` share.",
               "Tparams: type | Element type.",
               "Tindices: {int16, int32, int64} | Type of the indices.",
               "Taxis: {int32, int64} | Type of `axis`."},
     .doc =
         "Slices of a tensor along a dimension. An index out of range is an error. The gradient is "
         "dense.",
     .shape = gather_shape,
     .gradient = gather_gradient},
    {.name = "GatherNd",
     .inputs = {"params: Tparams | A tensor.",
                "indices: Tindices | Index vectors `[..., k]`, k at most its rank."},
     .outputs = {"output: Tparams | The slices that they name, `indices[:-1] + params[k:]`."},
     .attrs = {"Tparams: type | Element type.", "Tindices: {int32, int64} | Type of the indices.",
               kPolicy},
     .doc = "Slices of a tensor at index vectors. An index out of range is an error.",
     .shape = gather_nd_shape,
     .gradient =
         [](GradientContext& c) {
           c.set(0, scatter_nd(c.input(1), c.grad(), shape_of(c.input(0), c.input(1).dtype())));
         }},
    {.name = "ScatterNd",
     .inputs = {"indices: Tindices | Index vectors `[..., k]`.",
                "updates: T | Slices, `indices[:-1] + shape[k:]`.",
                "shape: Tindices | Shape of the result, `[rank]`."},
     .outputs = {"output: T | Zeros, with each slice added at its place."},
     .attrs = {"T: numbertype | Element type.", "Tindices: {int32, int64} | Type of the indices.",
               kPolicy},
     .doc = "Puts slices into zeros; those at one place add up. An index out of range is an error.",
     .shape = scatter_nd_shape,
     .gradient = [](GradientContext& c) { c.set(1, gather_nd(c.grad(), c.input(0))); }},
    {.name = "TensorScatterUpdate",
     .inputs = {"tensor: T | A tensor.", "indices: Tindices | Index vectors `[..., k]`.",
                "updates: T | Slices, `indices[:-1] + tensor[k:]`."},
     .outputs = {"output: T | `tensor` with the slices at their places; of several at one place "
                 "the last stays."},
     .attrs = {"T: type | Element type.", "Tindices: {int32, int64} | Type of the indices.",
               kPolicy},
     .doc = "Replaces slices of a tensor. An index out of range is an error.",
     .shape = tensor_scatter_shape,
     .gradient = tensor_scatter_update_gradient},
    {.name = "TensorScatterAdd",
     .inputs = {"tensor: T | A tensor.", "indices: Tindices | Index vectors `[..., k]`.",
                "updates: T | Slices, `indices[:-1] + tensor[k:]`."},
     .outputs = {"output: T | `tensor` with the slices added at their places."},
     .attrs = {"T: numbertype | Element type.", "Tindices: {int32, int64} | Type of the indices.",
               kPolicy},
     .doc = "Adds to slices of a tensor. An index out of range is an error.",
     .shape = tensor_scatter_shape,
     .gradient = tensor_scatter_add_gradient},
    {.name = "UnsortedSegmentSum",
     .inputs = {"data: T | A tensor.",
                "segment_ids: Tindices | For each slice of `data` the segment it goes to; of a "
                "shape that starts that of "
                "`data`. Negative: nowhere.",
                "num_segments: Tnumsegments | How many segments, a scalar."},
     .outputs =
         {"output: T | The sums of the slices, `[num_segments] + data[rank of segment_ids:]`."},
     .attrs = {"T: numbertype | Element type.", "Tindices: {int32, int64} | Type of the ids.",
               "Tnumsegments: {int32, int64} = int32 | Type of `num_segments`."},
     .doc = "Sums slices that belong together. An id of `num_segments` or more is an error.",
     .shape = unsorted_segments_shape,
     .gradient = segment_sum_gradient},
    {.name = "Where",
     .inputs = {"input: T | A tensor."},
     .outputs = {"index: int64 | Coordinates of its elements that are not zero, `[n, rank]`, in "
                 "row-major order."},
     .attrs = {"T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, "
               "int64, uint64, bool} = "
               "bool | Element type."},
     .doc = "Where a tensor is true. How many there are is known only when it runs.",
     .shape = where_shape,
     .no_gradient = "coordinates are integers"},
    {.name = "TopKV2",
     .inputs = {"input: T | A tensor, not a scalar.",
                "k: Tk | How many, at most the last dimension; a scalar."},
     .outputs = {"values: T | The k largest along the last dimension.",
                 "indices: index_type | Where they were."},
     .attrs = {"sorted: bool = true | Whether the largest must come first (they always do).",
               "T: realnumbertype | Element type.",
               "Tk: {int16, int32, int64} = int32 | Type of `k`.",
               "index_type: {int16, int32, int64} = int32 | Type of `indices`."},
     .doc = "The largest elements. Of equal ones the lower index comes first; NaN counts as larger "
            "than any number.",
     .shape = top_k_shape,
     .gradient = top_k_gradient},
    {.name = "InvertPermutation",
     .inputs = {"x: T | A permutation of 0 to n - 1, `[n]`."},
     .outputs = {"y: T | `y[x[i]] = i`."},
     .attrs = {"T: {int32, int64} = int32 | Element type."},
     .doc = "The permutation that undoes another.",
     .shape = invert_permutation_shape,
     .no_gradient = "a permutation is made of integers"},
};

}  // namespace

std::span<const OpDef> indexing_ops() { return kIndexingOps; }

}  // namespace thalweg
