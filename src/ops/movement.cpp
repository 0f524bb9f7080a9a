// Ops that move elements: reorder, join, split, pad, repeat. Their builder functions are declared
// in ops/array.h.
#include "ops/families.h"
#include "ops/joined_shape.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/unary.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

using MaybeInt = std::optional<int64_t>;

// ---- transpose, reverse ----

void transpose_shape(ShapeContext& context) {
  const auto entries = known_entries(context, 1);
  context.with_rank(1, 1);
  const Shape& x = context.input(0);
  const int rank = entries ? static_cast<int>(entries->size()) : x.rank();
  if (rank < 0) return context.set_output(0, Shape::unknown());
  if (entries && x.has_rank() && x.rank() != rank) {
    throw context.error("the permutation has ", rank, " entries, `x` has shape ", x, " of ",
                        x.rank(), " dimensions");
  }
  Shape result = Shape::unknown_of_rank(rank);
  std::vector<bool> seen(static_cast<size_t>(rank), false);
  for (int i = 0; entries && i < rank; ++i) {
    const MaybeInt& entry = (*entries)[static_cast<size_t>(i)];
    if (!entry) continue;
    const int from = normalize_axis(context, *entry, rank);
    if (seen[static_cast<size_t>(from)])
      throw context.error("the permutation names dimension ", from, " twice");
    seen[static_cast<size_t>(from)] = true;
    if (x.has_rank()) result.set_dim(i, x[from]);
  }
  context.set_output(0, result);
}

void transpose_gradient(GradientContext& context) {
  const auto perm = known_values(context.node(), 1);
  if (!perm) return context.set(0, transpose(context.grad(), invert_permutation(context.input(1))));
  const auto rank = static_cast<int64_t>(perm->size());
  std::vector<int64_t> inverse(perm->size());
  for (int64_t i = 0; i < rank; ++i) {
    const int64_t from = (*perm)[static_cast<size_t>(i)];
    inverse[static_cast<size_t>(from < 0 ? from + rank : from)] = i;
  }
  context.set(0, transpose(context.grad(), inverse));
}

void reverse_shape(ShapeContext& context) {
  context.with_rank(1, 1);
  const Shape& x = context.input(0);
  if (const auto entries = known_entries(context, 1); entries && x.has_rank()) {
    std::vector<bool> seen(static_cast<size_t>(x.rank()), false);
    for (const MaybeInt& entry : *entries) {
      if (!entry) continue;
      const auto axis = static_cast<size_t>(normalize_axis(context, *entry, x.rank()));
      if (seen[axis]) throw context.error("axis ", axis, " is given twice");
      seen[axis] = true;
    }
  }
  context.set_output(0, x);
}

// ---- concat, split ----

void concat_shape(ShapeContext& context) {
  const int count = context.num_inputs() - 1;
  context.with_rank(count, 0);
  for (int i = 0; i < count; ++i) {
    if (context.input(i).rank() == 0)
      throw context.error("input `", context.input_name(i), "` is a scalar; pack() joins scalars");
  }
  context.set_output(0, joined_shape(context, 0, count, count));
}

// Size of dimension `axis` of x: a number when it is known, else a scalar of the running graph.
Output dimension(const Output& x, const Output& axis) {
  const Output begin = reshape(axis, {1});
  return strided_slice(shape_of(x, axis.dtype()), begin, begin, {1}, {.shrink_axis_mask = 1});
}

std::vector<Output> split_by(const Output& x, const Output& sizes, const Output& axis,
                             int64_t count) {
  Node& node = x.graph().add("SplitV", {x, sizes, cast(axis, kInt32)}, {{"num_split", count}});
  std::vector<Output> pieces;
  for (int i = 0; i < node.num_outputs(); ++i) pieces.push_back(node.output(i));
  return pieces;
}

void concat_gradient(GradientContext& context) {
  const int count = context.num_inputs() - 1;
  const Output axis = context.input(count);
  const MaybeInt known_axis = known_scalar(context.node(), count);
  std::vector<int64_t> sizes;
  for (int i = 0; i < count && known_axis; ++i) {
    const Shape& shape = context.input(i).shape();
    if (shape.has_rank() && shape.dim(static_cast<int>(*known_axis)) != kUnknownDim) {
      sizes.push_back(shape.dim(static_cast<int>(*known_axis)));
    }
  }
  std::vector<Output> pieces;
  if (static_cast<int>(sizes.size()) == count) {
    pieces = split_v(context.grad(), sizes, *known_axis);
  } else {
    std::vector<Output> dims;
    for (int i = 0; i < count; ++i) dims.push_back(dimension(context.input(i), axis));
    pieces = split_by(context.grad(), pack(dims), axis, count);
  }
  for (int i = 0; i < count; ++i) context.set(i, pieces[static_cast<size_t>(i)]);
}

void split_shape(ShapeContext& context) {
  const Shape& x = context.input(1);
  const int count = context.num_outputs();
  const MaybeInt axis = known_scalar(context, 0);
  Shape piece = x.has_rank() ? Shape::unknown_of_rank(x.rank()) : Shape::unknown();
  if (x.has_rank() && axis) {
    piece = x;
    const int along = normalize_axis(context, *axis, x.rank());
    if (x[along] != kUnknownDim) {
      if (x[along] % count != 0) {
        throw context.error("cannot split dimension ", along, " of shape ", x, " into ", count,
                            " equal pieces; split_v takes a size for each");
      }
      piece.set_dim(along, x[along] / count);
    }
  }
  for (int i = 0; i < count; ++i) context.set_output(i, piece);
}

void split_v_shape(ShapeContext& context) {
  const Shape& x = context.input(0);
  const int count = context.num_outputs();
  const Shape sizes_shape = context.with_rank(1, 1);
  if (sizes_shape[0] != kUnknownDim && sizes_shape[0] != count) {
    throw context.error("`size_splits` has ", sizes_shape[0], " entries, `num_split` is ", count);
  }
  const MaybeInt axis = known_scalar(context, 2);
  const auto sizes = known_entries(context, 1);
  const bool constant = context.constant(1).has_value();
  int along = -1;
  int64_t total = kUnknownDim;
  if (x.has_rank() && axis) {
    along = normalize_axis(context, *axis, x.rank());
    total = x[along];
  }
  int64_t known = 0;
  int wildcards = 0;
  bool all_known = sizes.has_value();
  for (int i = 0; sizes && i < count; ++i) {
    const MaybeInt& size = (*sizes)[static_cast<size_t>(i)];
    if (size && *size < -1) throw context.error("`size_splits` holds the negative size ", *size);
    if (size && *size == -1) ++wildcards;
    if (!size) all_known = false;
    if (size && *size >= 0) known = checked_add(known, *size);
  }
  if (wildcards > 1) throw context.error("only one of `size_splits` may be -1, got ", wildcards);
  const bool fits = wildcards == 1 || !all_known ? known <= total : known == total;
  if (constant && total != kUnknownDim && !fits) {
    throw context.error("the pieces take ", known, " of dimension ", along, ", which has ", total);
  }
  for (int i = 0; i < count; ++i) {
    if (along < 0) {
      context.set_output(i, x.has_rank() ? Shape::unknown_of_rank(x.rank()) : Shape::unknown());
      continue;
    }
    Shape piece = x;
    MaybeInt size = sizes ? (*sizes)[static_cast<size_t>(i)] : std::nullopt;
    if (size && *size == -1) {
      size = all_known && total != kUnknownDim ? MaybeInt(total - known) : std::nullopt;
    }
    piece.set_dim(along, size.value_or(kUnknownDim));
    context.set_output(i, piece);
  }
}

// Gradient of an op that takes x apart: put the pieces together again; zeros for those that nothing
// flows into.
std::vector<Output> piece_gradients(GradientContext& context) {
  std::vector<Output> pieces;
  for (int i = 0; i < context.node().num_outputs(); ++i) {
    pieces.push_back(context.grad(i) ? context.grad(i) : zeros_like(context.output(i)));
  }
  return pieces;
}

Output join(const std::vector<Output>& pieces, const Output& axis) {
  if (pieces.size() == 1) return pieces[0];
  std::vector<Output> inputs = pieces;
  inputs.push_back(axis);
  return axis.graph().add("ConcatV2", std::move(inputs)).output();
}

// ---- pack, unpack ----

void pack_shape(ShapeContext& context) {
  Shape value = Shape::unknown();
  for (int i = 0; i < context.num_inputs(); ++i) {
    if (!value.is_compatible_with(context.input(i))) {
      throw context.error("all values must have one shape; input `", context.input_name(i),
                          "` has ", context.input(i), ", those before it ", value);
    }
    value = value.merge(context.input(i));
  }
  if (!value.has_rank()) return context.set_output(0, Shape::unknown());
  const int axis = normalize_axis(context, context.attr<int64_t>("axis"), value.rank() + 1);
  context.set_output(
      0, value.slice(0, axis).concat(Shape{context.num_inputs()}).concat(value.slice(axis)));
}

void unpack_shape(ShapeContext& context) {
  const Shape x = context.with_rank_at_least(0, 1);
  Shape piece = Shape::unknown();
  if (x.has_rank()) {
    const int axis = normalize_axis(context, context.attr<int64_t>("axis"), x.rank());
    if (x[axis] != kUnknownDim && x[axis] != context.num_outputs()) {
      throw context.error("`num` is ", context.num_outputs(), ", but dimension ", axis,
                          " of shape ", x, " has ", x[axis]);
    }
    piece = x.slice(0, axis).concat(x.slice(axis + 1));
  }
  for (int i = 0; i < context.num_outputs(); ++i) context.set_output(i, piece);
}

void pack_gradient(GradientContext& context) {
  const int64_t count = context.num_inputs();
  const Node& pieces = context.graph().add(
      "Unpack", {context.grad()}, {{"num", count}, {"axis", context.attr<int64_t>("axis")}});
  for (int i = 0; i < context.num_inputs(); ++i) context.set(i, pieces.output(i));
}

void unpack_gradient(GradientContext& context) {
  if (context.node().num_outputs() == 0) return context.set(0, zeros_like(context.input(0)));
  context.set(0, pack(piece_gradients(context), context.attr<int64_t>("axis")));
}

constexpr OpDef kMovementOps[] = {
    {.name = "Transpose",
     .inputs = {"x: T | A tensor.", "perm: Tperm | A permutation of its dimensions, `[rank]`."},
     .outputs = {"y: T | Its dimension i is dimension `perm[i]` of `x`."},
     .attrs = {"T: type | Element type.", "Tperm: {int32, int64} = int32 | Type of `perm`."},
     .doc = "Permutes dimensions.",
     .shape = transpose_shape,
     .gradient = transpose_gradient},
    {.name = "ReverseV2",
     .inputs = {"tensor: T | A tensor.",
                "axis: Tidx | The dimensions to reverse, each once, `[n]`."},
     .outputs = {"output: T | `tensor` with the order along them reversed."},
     .attrs = {"Tidx: {int32, int64} = int32 | Type of `axis`.", "T: type | Element type."},
     .doc = "Reverses the order along dimensions.",
     .shape = reverse_shape,
     .gradient = [](GradientContext& c) { c.set(0, reverse(c.grad(), c.input(1))); }},
    {.name = "ConcatV2",
     .inputs = {"values: N * T | Tensors of one shape but for dimension `axis`; no scalars.",
                "axis: Tidx | The dimension, in `[-rank, rank)`, a scalar."},
     .outputs = {"output: T | The values one after the other along `axis`."},
     .attrs = {"N: int >= 2 | How many.", "T: type | Element type.",
               "Tidx: {int32, int64} = int32 | Type of `axis`."},
     .doc = "Joins tensors along a dimension.",
     .shape = concat_shape,
     .gradient = concat_gradient},
    {.name = "Split",
     .inputs = {"split_dim: int32 | The dimension, in `[-rank, rank)`, a scalar.",
                "value: T | A tensor."},
     .outputs = {"output: num_split * T | Equal pieces of `value` along it."},
     .attrs = {"num_split: int >= 1 | How many; divides the dimension.", "T: type | Element type."},
     .doc = "Splits a tensor into equal pieces.",
     .shape = split_shape,
     .gradient = [](GradientContext& c) { c.set(1, join(piece_gradients(c), c.input(0))); }},
    {.name = "SplitV",
     .inputs = {"value: T | A tensor.",
                "size_splits: Tlen | The sizes of the pieces, `[num_split]`; one may be -1: what "
                "is left.",
                "split_dim: int32 | The dimension, in `[-rank, rank)`, a scalar."},
     .outputs = {"output: num_split * T | Pieces of `value` along it."},
     .attrs = {"num_split: int >= 1 | How many.", "T: type | Element type.",
               "Tlen: {int8, int32, int64} = int64 | Type of `size_splits`."},
     .doc = "Splits a tensor into pieces of given sizes.",
     .shape = split_v_shape,
     .gradient = [](GradientContext& c) { c.set(0, join(piece_gradients(c), c.input(2))); }},
    {.name = "Pack",
     .inputs = {"values: N * T | Tensors of one shape."},
     .outputs = {"output: T | The values along a new dimension `axis`."},
     .attrs = {"N: int >= 1 | How many.", "T: type | Element type.",
               "axis: int = 0 | Place of the new dimension, in `[-1 - rank, rank]`."},
     .doc = "Joins tensors along a new dimension.",
     .shape = pack_shape,
     .gradient = pack_gradient},
    {.name = "Unpack",
     .inputs = {"value: T | A tensor, not a scalar."},
     .outputs = {"output: num * T | Its slices along `axis`, without that dimension."},
     .attrs = {"num: int >= 0 | Size of that dimension.", "T: type | Element type.",
               "axis: int = 0 | The dimension, in `[-rank, rank)`."},
     .doc = "Takes a tensor apart along a dimension.",
     .shape = unpack_shape,
     .gradient = unpack_gradient},
};

}  // namespace

std::span<const OpDef> movement_ops() { return kMovementOps; }

}  // namespace thalweg
