// Ops that count, rank and locate: histograms, buckets, searches in sorted rows.
#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {
namespace {

constexpr std::string_view kInteger = "the result is made of integers";

Shape counted(const ShapeContext& c, int i) {
  c.with_rank(i, 0);
  const auto size = known_scalar(c, i);
  if (size && *size < 0)
    throw c.error("`", c.input_name(i), "` is ", *size, ", it must not be negative");
  return Shape{size.value_or(kUnknownDim)};
}

void unravel_shape(ShapeContext& c) {
  const Shape dims = c.with_rank(1, 1);
  const Shape& indices = c.input(0);
  if (!indices.has_rank()) return c.set_output(0, Shape::unknown());
  if (indices.rank() > 1) throw c.error("`indices` must be a scalar or a vector, got ", indices);
  c.set_output(0, dims.concat(indices));
}

void histogram_shape(ShapeContext& c) {
  if (!c.input(1).is_compatible_with(Shape{2}))
    throw c.error("`value_range` must be [low, high], got shape ", c.input(1));
  c.set_output(0, counted(c, 2));
}

void check_weights(const ShapeContext& c) {
  const Shape& x = c.input(0);
  const Shape& weights = c.input(2);
  if (weights.is_fully_defined() && weights.num_elements() == 0) return;
  if (!x.is_compatible_with(weights))
    throw c.error("`weights` has shape ", weights, ", expected that of the values, ", x,
                  ", or no elements");
}

void bincount_shape(ShapeContext& c) {
  check_weights(c);
  c.set_output(0, counted(c, 1));
}

void dense_bincount_shape(ShapeContext& c) {
  check_weights(c);
  const Shape& x = c.input(0);
  const Shape size = counted(c, 1);
  if (!x.has_rank()) return c.set_output(0, Shape::unknown());
  if (x.rank() > 2) throw c.error("`input` must be a vector or a matrix, got shape ", x);
  c.set_output(0, x.rank() == 2 ? x.slice(0, 1).concat(size) : size);
}

void bound_shape(ShapeContext& c) {
  const Shape sorted = c.with_rank(0, 2), values = c.with_rank(1, 2);
  if (!sorted.slice(0, 1).is_compatible_with(values.slice(0, 1))) {
    throw c.error("`sorted_inputs` has shape ", sorted, ", `values` has ", values,
                  "; they must have as many rows");
  }
  c.set_output(0, values);
}

void in_top_k_shape(ShapeContext& c) {
  const Shape predictions = c.with_rank(0, 2), targets = c.with_rank(1, 1);
  if (c.num_inputs() > 2) c.with_rank(2, 0);
  if (!predictions.slice(0, 1).is_compatible_with(targets)) {
    throw c.error("`predictions` has shape ", predictions, ", `targets` has ", targets,
                  "; the first dimensions must be the same");
  }
  c.set_output(0, targets.merge(predictions.slice(0, 1)));
}

constexpr OpDef bound(std::string_view name, std::string_view doc) {
  return {.name = name,
          .inputs = {"sorted_inputs: T | Rows in rising order, `[rows, n]`.",
                     "values: T | What is looked for in each, `[rows, m]`."},
          .outputs = {"output: out_type | Places in [0, n], `[rows, m]`."},
          .attrs = {"T: realnumbertype | Element type.",
                    "out_type: {int32, int64} = int32 | Type of the places."},
          .doc = doc,
          .shape = bound_shape,
          .no_gradient = kInteger};
}

constexpr OpDef kOps[] = {
    {.name = "Bucketize",
     .inputs = {"input: T | Any shape."},
     .outputs = {"output: int32 | The shape of `input`."},
     .attrs = {"T: {int32, int64, float, double} | Element type.",
               "boundaries: list(float) | Where buckets begin, in rising order."},
     .doc = "For each element the number of boundaries that are not above it.",
     .shape = shape_functions::same_as_input,
     .no_gradient = kInteger},
    {.name = "UnravelIndex",
     .inputs = {"indices: Tidx | Places in row-major order, a scalar or `[n]`.",
                "dims: Tidx | The shape they are places in, `[rank]`."},
     .outputs = {"output: Tidx | Their coordinates, `[rank]` or `[rank, n]`."},
     .attrs = {"Tidx: {int32, int64} = int32 | Type of the indices."},
     .doc = "Coordinates of places in a tensor.",
     .shape = unravel_shape,
     .no_gradient = kInteger},
    {.name = "HistogramFixedWidth",
     .inputs = {"values: T | Any shape.", "value_range: T | `[low, high]`.",
                "nbins: int32 | How many bins, positive, a scalar."},
     .outputs = {"out: dtype | How many values are in each, `[nbins]`."},
     .attrs = {"T: {int32, int64, float, double} | Type of the values.",
               "dtype: {int32, int64} = int32 | Type of the counts."},
     .doc = "Counts values in bins of one width; those outside the range count in the outer ones.",
     .shape = histogram_shape,
     .no_gradient = kInteger},
    {.name = "Bincount",
     .inputs = {"arr: int32 | Numbers, none negative, of any shape.",
                "size: int32 | How many to tell of, a scalar.",
                "weights: T | Of the shape of `arr`, or empty: 1 each."},
     .outputs = {"bins: T | `[size]`."},
     .attrs = {"T: {int32, int64, float, double} | Type of the weights."},
     .doc = "How often each number below `size` occurs, weighted. Larger ones are passed over.",
     .shape = bincount_shape,
     .no_gradient = "TensorFlow has none; unsorted_segment_sum has"},
    {.name = "DenseBincount",
     .inputs = {"input: Tidx | Numbers, none negative, `[n]` or `[rows, n]`.",
                "size: Tidx | How many to tell of, a scalar.",
                "weights: T | Of the shape of `input`, or empty: 1 each."},
     .outputs = {"output: T | `[size]` or `[rows, size]`."},
     .attrs = {"Tidx: {int32, int64} | Type of the numbers.",
               "T: {int32, int64, float, double} | Type of the weights.",
               "binary_output: bool = false | Whether a number occurs: 1 or 0."},
     .doc = "How often each number below `size` occurs (in each row), weighted. Larger ones are "
            "passed over.",
     .shape = dense_bincount_shape,
     .no_gradient = "TensorFlow has none; unsorted_segment_sum has"},
    bound("LowerBound", "First places at which values may be inserted into sorted rows."),
    bound("UpperBound", "Last places at which values may be inserted into sorted rows."),
    {.name = "InTopK",
     .inputs = {"predictions: float | A score for each class, `[batch, classes]`.",
                "targets: T | The true classes, `[batch]`."},
     .outputs = {"precision: bool | `[batch]`."},
     .attrs = {"k: int | How many of the best count.",
               "T: {int32, int64} = int32 | Type of the classes."},
     .doc = "Whether fewer than k classes score better than the true one. False beside NaN, "
            "infinities and classes out of range.",
     .shape = in_top_k_shape,
     .no_gradient = "the result is bool"},
    {.name = "InTopKV2",
     .inputs = {"predictions: float | A score for each class, `[batch, classes]`.",
                "targets: T | The true classes, `[batch]`.",
                "k: T | How many of the best count, a scalar."},
     .outputs = {"precision: bool | `[batch]`."},
     .attrs = {"T: {int32, int64} = int32 | Type of the classes."},
     .doc = "InTopK with k as an input.",
     .shape = in_top_k_shape,
     .no_gradient = "the result is bool"},
};

}  // namespace

std::span<const OpDef> counting_ops() { return kOps; }

}  // namespace thalweg
