// Taking tensors apart by a key and together again: distinct elements, partitions, stitches.
#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/ops/segments.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

using Context = GradientContext;

// y of distinct elements, idx for each element, counts for each distinct one.
void unique_shape(ShapeContext& c) {
  c.set_output(0, Shape{kUnknownDim});
  c.set_output(1, c.with_rank(0, 1));
  if (c.num_outputs() > 2) c.set_output(2, Shape{kUnknownDim});
}

void unique_along_shape(ShapeContext& c) {
  const Shape axes = c.with_rank(1, 1);
  if (axes[0] != kUnknownDim && axes[0] > 1)
    throw c.error("`axis` must have one entry or none, got ", axes[0]);
  Shape x = c.input(0);
  Shape index{kUnknownDim};
  const auto axis = known_values(c.node(), 1);
  if (axis && axis->empty()) {
    index = c.with_rank(0, 1);
    x = Shape{kUnknownDim};
  } else if (axis && x.has_rank()) {
    const int along = normalize_axis(c, (*axis)[0], x.rank());
    index = Shape{x[along]};
    x.set_dim(along, kUnknownDim);
  } else if (x.has_rank()) {
    x = Shape::unknown_of_rank(x.rank());
  }
  c.set_output(0, x);
  c.set_output(1, index);
  if (c.num_outputs() > 2) c.set_output(2, Shape{kUnknownDim});
}

void difference_shape(ShapeContext& c) {
  c.with_rank(0, 1);
  c.with_rank(1, 1);
  c.set_output(0, Shape{kUnknownDim});
  c.set_output(1, Shape{kUnknownDim});
}

void partition_shape(ShapeContext& c) {
  const Shape& data = c.input(0);
  const Shape& keys = c.input(1);
  Shape piece = Shape::unknown();
  if (data.has_rank() && keys.has_rank()) {
    if (keys.rank() > data.rank() || !keys.is_compatible_with(data.slice(0, keys.rank()))) {
      throw c.error("`partitions` has shape ", keys, ", which does not start that of `data`, ",
                    data);
    }
    piece = Shape{kUnknownDim}.concat(data.slice(keys.rank()));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, piece);
}

// The slices' numbers, partitioned as the slices were, tell where each gradient goes.
void partition_gradient(Context& c) {
  const Output data = c.input(0), keys = c.input(1);
  Graph& graph = c.graph();
  const Output zero = constant(graph, Tensor(int32_t{0})),
               one = constant(graph, Tensor(int32_t{1}));
  const Output numbers = reshape(range(zero, size_of(keys), one), shape_of(keys));
  const int64_t count = c.attr<int64_t>("num_partitions");
  const std::vector<Output> places = dynamic_partition(numbers, keys, count);
  std::vector<Output> grads;
  for (int i = 0; i < static_cast<int>(count); ++i)
    grads.push_back(c.grad(i) ? c.grad(i) : zeros_like(c.output(i)));
  std::vector<Output> inputs = places;
  inputs.insert(inputs.end(), grads.begin(), grads.end());
  c.set(0, reshape(add_op("ParallelDynamicStitch", inputs), shape_of(data)));
}

void stitch_shape(ShapeContext& c) {
  const int count = c.num_inputs() / 2;
  Shape slice = Shape::unknown();
  int64_t rows = 0;
  for (int i = 0; i < count; ++i) {
    const Shape& indices = c.input(i);
    const Shape& data = c.input(count + i);
    const auto known = known_values(c.node(), i);
    if (!known) rows = kUnknownDim;
    for (size_t k = 0; rows != kUnknownDim && k < known->size(); ++k)
      rows = std::max(rows, checked_add((*known)[k], 1));
    if (!indices.has_rank() || !data.has_rank()) continue;
    if (indices.rank() > data.rank() || !indices.is_compatible_with(data.slice(0, indices.rank())))
      throw c.error("indices ", i, " have shape ", indices, ", which does not start that of data ",
                    i, ", ", data);
    const Shape rest = data.slice(indices.rank());
    if (!slice.is_compatible_with(rest))
      throw c.error("data ", i, " hold slices of shape ", rest, ", those before it ", slice);
    slice = slice.merge(rest);
  }
  c.set_output(0, slice.has_rank() ? Shape{rows}.concat(slice) : Shape::unknown());
}

void stitch_gradient(Context& c) {
  const int count = c.num_inputs() / 2;
  for (int i = 0; i < count; ++i) c.set(count + i, gather(c.grad(), c.input(i)));
}

constexpr std::string_view kUniqueNoGradient =
    "TensorFlow has none: which elements are equal jumps";
constexpr const char* kAny = "T: type | Element type.";
constexpr const char* kOutType = "out_idx: {int32, int64} = int32 | Type of places and counts.";
constexpr const char* kVector = "x: T | `[n]`.";
constexpr const char* kAxis =
    "axis: Taxis | The dimension whose slices are compared, `[1]`; `[0]` when `x` is a vector.";
constexpr const char* kAxisType = "Taxis: {int32, int64} = int64 | Type of `axis`.";
constexpr const char* kDistinct =
    "y: T | The distinct ones, in the order in which they first occur.";
constexpr const char* kPlaces = "idx: out_idx | For each its place in `y`.";
constexpr const char* kCounts = "count: out_idx | How often each of `y` occurs.";

constexpr OpDef stitch(std::string_view name, std::string_view doc) {
  return {.name = name,
          .inputs = {"indices: N * int32 | Where slices go, tensors of any shape.",
                     "data: N * T | The slices, `indices + slice` each."},
          .outputs = {"merged: T | `[largest index + 1] + slice`; zeros where nothing goes."},
          .attrs = {"N: int >= 1 | How many.", kAny},
          .doc = doc,
          .shape = stitch_shape,
          .gradient = stitch_gradient};
}

constexpr OpDef kOps[] = {
    {.name = "Unique",
     .inputs = {kVector},
     .outputs = {kDistinct, kPlaces},
     .attrs = {kAny, kOutType},
     .doc = "The distinct elements of a vector. A NaN equals nothing.",
     .shape = unique_shape,
     .no_gradient = kUniqueNoGradient},
    {.name = "UniqueWithCounts",
     .inputs = {kVector},
     .outputs = {kDistinct, kPlaces, kCounts},
     .attrs = {kAny, kOutType},
     .doc = "The distinct elements of a vector, and how often they occur.",
     .shape = unique_shape,
     .no_gradient = kUniqueNoGradient},
    {.name = "UniqueV2",
     .inputs = {"x: T | A tensor.", kAxis},
     .outputs = {kDistinct, kPlaces},
     .attrs = {kAny, kAxisType, kOutType},
     .doc = "The distinct slices along a dimension.",
     .shape = unique_along_shape,
     .no_gradient = kUniqueNoGradient},
    {.name = "UniqueWithCountsV2",
     .inputs = {"x: T | A tensor.", kAxis},
     .outputs = {kDistinct, kPlaces, kCounts},
     .attrs = {kAny, kAxisType, kOutType},
     .doc = "The distinct slices along a dimension, and how often they occur.",
     .shape = unique_along_shape,
     .no_gradient = kUniqueNoGradient},
    {.name = "ListDiff",
     .inputs = {kVector, "y: T | What is taken away, `[m]`."},
     .outputs = {"out: T | The elements of `x` that are not in `y`, in their order.",
                 "idx: out_idx | Where they stand in `x`."},
     .attrs = {kAny, kOutType},
     .doc = "The difference of two lists.",
     .shape = difference_shape,
     .no_gradient = kUniqueNoGradient},
    {.name = "DynamicPartition",
     .inputs = {"data: T | A tensor.",
                "partitions: int32 | The partition of each slice, in [0, num_partitions), of a "
                "shape that starts that of `data`."},
     .outputs = {"outputs: num_partitions * T | The slices of each, `[n] + slice`."},
     .attrs = {"num_partitions: int >= 1 | How many.", kAny},
     .doc = "Slices of a tensor by a key, in their order.",
     .shape = partition_shape,
     .gradient = partition_gradient},
    stitch("DynamicStitch",
           "Puts slices at places of a whole; of several at one place the last stays."),
    stitch("ParallelDynamicStitch", "DynamicStitch whose places must be distinct."),
};

}  // namespace

std::span<const OpDef> partition_ops() { return kOps; }

Unique unique(Output x, const SegmentOptions& options) {
  const Node& node = x.graph().add("UniqueWithCounts", {x}, {}, {.name = options.name});
  return {node.output(0), node.output(1), node.output(2)};
}

Difference set_difference(Output x, Output y, const SegmentOptions& options) {
  const Node& node = x.graph().add("ListDiff", {x, y}, {}, {.name = options.name});
  return {node.output(0), node.output(1)};
}

std::vector<Output> dynamic_partition(Output data, Output partitions, int64_t count,
                                      const SegmentOptions& options) {
  const Node& node = data.graph().add("DynamicPartition", {data, partitions},
                                      {{"num_partitions", count}}, {.name = options.name});
  std::vector<Output> pieces;
  for (int i = 0; i < node.num_outputs(); ++i) pieces.push_back(node.output(i));
  return pieces;
}

Output dynamic_stitch(const std::vector<Output>& indices, const std::vector<Output>& data,
                      const SegmentOptions& options) {
  std::vector<Output> inputs = indices;
  inputs.insert(inputs.end(), data.begin(), data.end());
  return add_op("DynamicStitch", inputs, {}, options.name);
}

}  // namespace thalweg
