// Ops that put cells around a tensor or repeat it. Their builder functions are declared in
// ops/array.h.
#include <algorithm>

#include "ops/families.h"
#include "ops/int_constant.h"
#include "ops/known_values.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/broadcast.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/reduction.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

// Checks that `paddings` is [rank, 2] and, when it is constant, not negative; returns it, or
// nothing. `rank` is set to the rank of the padded tensor if either input tells it, else to -1.
std::optional<Paddings> read_paddings(const ShapeContext& context, int& rank) {
  const Shape paddings = context.with_rank(1, 2);
  if (paddings[1] != kUnknownDim && paddings[1] != 2) {
    throw context.error("`paddings` must have shape [rank, 2], got ", paddings);
  }
  const Shape& x = context.input(0);
  rank = x.rank();
  if (paddings[0] != kUnknownDim) {
    if (rank >= 0 && rank != paddings[0]) {
      throw context.error("`paddings` has ", paddings[0], " rows, the padded tensor has shape ", x);
    }
    rank = static_cast<int>(paddings[0]);
  }
  const auto cells = constant_values(context, 1);
  if (!cells) return std::nullopt;
  Paddings result;
  for (size_t i = 0; 2 * i < cells->size(); ++i) {
    const int64_t before = (*cells)[2 * i];
    const int64_t after = (*cells)[2 * i + 1];
    if (before < 0 || after < 0) {
      throw context.error("dimension ", i, " is padded by the negative {", before, ", ", after,
                          "}");
    }
    result.emplace_back(before, after);
  }
  return result;
}

void pad_shape(ShapeContext& context) {
  if (context.num_inputs() > 2) context.with_rank(2, 0);
  int rank = -1;
  const auto paddings = read_paddings(context, rank);
  const Shape& x = context.input(0);
  if (rank < 0) return context.set_output(0, Shape::unknown());
  Shape result = Shape::unknown_of_rank(rank);
  for (int i = 0; i < rank && paddings && x.has_rank(); ++i) {
    const auto [before, after] = (*paddings)[static_cast<size_t>(i)];
    if (x[i] != kUnknownDim) result.set_dim(i, checked_add(checked_add(before, x[i]), after));
  }
  context.set_output(0, result);
}

// Mirroring takes at most the whole dimension (SYMMETRIC), or all but the border element (REFLECT).
int64_t most_mirrored(const ShapeContext& context, int64_t size) {
  return context.attr<std::string>("mode") == "REFLECT" ? std::max<int64_t>(size - 1, 0) : size;
}

void mirror_pad_shape(ShapeContext& context) {
  pad_shape(context);
  int rank = -1;
  const auto paddings = read_paddings(context, rank);
  const Shape& x = context.input(0);
  for (int i = 0; i < rank && paddings && x.has_rank(); ++i) {
    const auto [before, after] = (*paddings)[static_cast<size_t>(i)];
    if (x[i] != kUnknownDim && std::max(before, after) > most_mirrored(context, x[i])) {
      throw context.error("dimension ", i, " of size ", x[i], " cannot be padded by {", before,
                          ", ", after, "} in mode ", context.attr<std::string>("mode"),
                          "; at most ", most_mirrored(context, x[i]), " cells can be mirrored");
    }
  }
}

void mirror_pad_grad_shape(ShapeContext& context) {
  int rank = -1;
  const auto paddings = read_paddings(context, rank);
  const Shape& x = context.input(0);
  if (rank < 0) return context.set_output(0, Shape::unknown());
  Shape result = Shape::unknown_of_rank(rank);
  for (int i = 0; i < rank && paddings && x.has_rank(); ++i) {
    if (x[i] == kUnknownDim) continue;
    const auto [before, after] = (*paddings)[static_cast<size_t>(i)];
    const int64_t inner = x[i] - checked_add(before, after);
    if (inner < 0 || std::max(before, after) > most_mirrored(context, inner)) {
      throw context.error("dimension ", i, " of shape ", x, " cannot be the result of mirroring {",
                          before, ", ", after, "} cells in mode ",
                          context.attr<std::string>("mode"));
    }
    result.set_dim(i, inner);
  }
  context.set_output(0, result);
}

// The part of `padded` that is the tensor x itself.
Output unpadded(const Output& padded, const Output& paddings, const Output& x) {
  const Output befores = slice(paddings, {0, 0}, {-1, 1});
  return slice(padded, reshape(befores, {-1}), shape_of(x, paddings.dtype()));
}

void pad_gradient(GradientContext& context) {
  const Output grad = context.grad();
  std::vector<Shape> no_outputs;
  const auto cells = constant_values(ShapeContext(context.node(), no_outputs), 1);
  Output inner;
  if (cells && context.input(0).shape().is_fully_defined()) {
    std::vector<int64_t> begin;
    for (size_t i = 0; i < cells->size(); i += 2) begin.push_back((*cells)[i]);
    inner = slice(grad, begin, context.input(0).shape());
  } else {
    inner = unpadded(grad, context.input(1), context.input(0));
  }
  context.set(0, inner);
  // Each cell around x is the padding value.
  if (context.num_inputs() > 2) {
    const Output of_x = context.graph().add("Pad", {inner, context.input(1)}).output();
    context.set(2, reduce_sum(grad - of_x));
  }
}

void mirror_gradient(GradientContext& context, std::string_view opposite) {
  context.set(0, context.graph()
                     .add(opposite, {context.grad(), context.input(1)},
                          {{"mode", context.attr<std::string>("mode")}})
                     .output());
}

// ---- tile, broadcast ----

void tile_shape(ShapeContext& context) {
  const Shape& x = context.input(0);
  const Shape multiples_shape = context.with_rank(1, 1);
  if (x.has_rank() && multiples_shape[0] != kUnknownDim && multiples_shape[0] != x.rank()) {
    throw context.error("`multiples` has ", multiples_shape[0], " entries, `input` has shape ", x,
                        " of ", x.rank(), " dimensions");
  }
  const int rank = x.has_rank() ? x.rank() : static_cast<int>(multiples_shape[0]);
  if (rank < 0) return context.set_output(0, Shape::unknown());
  Shape result = Shape::unknown_of_rank(rank);
  const auto multiples = known_entries(context, 1);
  for (int i = 0; multiples && i < rank; ++i) {
    const auto& multiple = (*multiples)[static_cast<size_t>(i)];
    if (multiple && *multiple < 0)
      throw context.error("`multiples` holds the negative count ", *multiple);
    if (multiple && x.has_rank()) result.set_dim(i, multiply_dims(x[i], *multiple));
  }
  context.set_output(0, result);
}

// The sum of the copies. A dimension of m copies of d elements becomes two, [m, d], and m is summed
// away; as many dimensions at a time as a shape has room for.
Output sum_copies(Output grad, const Shape& x, const std::vector<int64_t>& multiples) {
  const auto rank = static_cast<size_t>(x.rank());
  std::vector<size_t> repeated;
  for (size_t i = 0; i < rank; ++i) {
    if (multiples[i] != 1) repeated.push_back(i);
  }
  size_t done = 0;
  while (done < repeated.size()) {
    const size_t room = Shape::kMaxRank - rank;
    if (room == 0)
      throw unimplemented("a tensor of ", rank,
                          " dimensions has no room for the sum over its copies");
    const size_t stop = std::min(done + room, repeated.size());
    std::vector<int64_t> dims;
    std::vector<int64_t> sums;
    for (size_t i = 0, next = done; i < rank; ++i) {
      const int64_t dim = x[static_cast<int>(i)];
      if (next < stop && repeated[next] == i) {
        sums.push_back(static_cast<int64_t>(dims.size()));
        dims.push_back(multiples[i]);
        ++next;
      } else if (next < repeated.size() && i >= repeated[next]) {
        dims.push_back(dim * multiples[i]);  // its turn comes later
        continue;
      }
      dims.push_back(dim);
    }
    grad = reduce_sum(reshape(grad, dims), sums);
    done = stop;
  }
  return grad;
}

void tile_gradient(GradientContext& context) {
  const Output x = context.input(0);
  const auto multiples = known_values(context.node(), 1);
  if (multiples && x.shape().is_fully_defined()) {
    return context.set(0, sum_copies(context.grad(), x.shape(), *multiples));
  }
  // [m0, d0, m1, d1, ...] by stacking both vectors as columns; sum over the even dimensions.
  const Output counts = context.input(1);
  const Output dims = reshape(pack({counts, shape_of(x, counts.dtype())}, 1), {-1});
  const Output zero = scalar_like(counts, 0);
  const Output evens = range(zero, size_of(dims, counts.dtype()), scalar_like(counts, 2));
  context.set(0, reduce_sum(reshape(context.grad(), dims), evens));
}

void broadcast_to_shape(ShapeContext& context) {
  const Shape target = requested_shape(context, 1);
  const Shape& x = context.input(0);
  if (target.has_rank() && x.has_rank()) {
    bool fits = x.rank() <= target.rank();
    for (int i = 1; fits && i <= x.rank(); ++i) {
      const int64_t from = x[x.rank() - i];
      const int64_t to = target[target.rank() - i];
      fits = from == 1 || from == kUnknownDim || to == kUnknownDim || from == to;
    }
    if (!fits) throw context.error("shape ", x, " cannot be broadcast to ", target);
  }
  context.set_output(0, target);
}

constexpr OpDef kPaddingOps[] = {
    {.name = "Pad",
     .inputs = {"input: T | A tensor.",
                "paddings: Tpaddings | Cells before and after each dimension, `[rank, 2]`, not "
                "negative."},
     .outputs = {"output: T | `input` with zeros around it."},
     .attrs = {"T: type | Element type.",
               "Tpaddings: {int32, int64} = int32 | Type of `paddings`."},
     .doc = "Puts zeros around a tensor.",
     .shape = pad_shape,
     .gradient = pad_gradient},
    {.name = "PadV2",
     .inputs =
         {"input: T | A tensor.",
          "paddings: Tpaddings | Cells before and after each dimension, `[rank, 2]`, not negative.",
          "constant_values: T | What to put there, a scalar."},
     .outputs = {"output: T | `input` with that value around it."},
     .attrs = {"T: type | Element type.",
               "Tpaddings: {int32, int64} = int32 | Type of `paddings`."},
     .doc = "Puts a value around a tensor.",
     .shape = pad_shape,
     .gradient = pad_gradient},
    {.name = "MirrorPad",
     .inputs = {"input: T | A tensor.",
                "paddings: Tpaddings | Cells before and after each dimension, `[rank, 2]`; no more "
                "than can be mirrored."},
     .outputs = {"output: T | `input` with its mirror image around it."},
     .attrs = {"T: type | Element type.", "Tpaddings: {int32, int64} = int32 | Type of `paddings`.",
               "mode: {'REFLECT', 'SYMMETRIC'} | Whether the border element is left out of the "
               "image, or repeated."},
     .doc = "Puts mirrored elements around a tensor.",
     .shape = mirror_pad_shape,
     .gradient = [](GradientContext& c) { mirror_gradient(c, "MirrorPadGrad"); }},
    {.name = "MirrorPadGrad",
     .inputs = {"input: T | Gradient of the padded tensor.",
                "paddings: Tpaddings | Those of MirrorPad, `[rank, 2]`."},
     .outputs =
         {"output: T | Gradient of the tensor: each element's, with those of its images added."},
     .attrs = {"T: numbertype | Element type.",
               "Tpaddings: {int32, int64} = int32 | Type of `paddings`.",
               "mode: {'REFLECT', 'SYMMETRIC'} | That of MirrorPad."},
     .doc = "The gradient of MirrorPad: folds the padding back and adds.",
     .shape = mirror_pad_grad_shape,
     .gradient = [](GradientContext& c) { mirror_gradient(c, "MirrorPad"); }},
    {.name = "Tile",
     .inputs = {"input: T | A tensor.",
                "multiples: Tmultiples | How often along each dimension, `[rank]`."},
     .outputs = {"output: T | Dimension i holds `multiples[i]` copies one after the other."},
     .attrs = {"T: type | Element type.",
               "Tmultiples: {int32, int64} = int32 | Type of `multiples`."},
     .doc = "Repeats a tensor.",
     .shape = tile_shape,
     .gradient = tile_gradient},
    {.name = "BroadcastTo",
     .inputs = {"input: T | A tensor.", "shape: Tidx | The shape wanted, `[n]`."},
     .outputs = {"output: T | `input` repeated along its dimensions of size 1 and along new "
                 "leading ones."},
     .attrs = {"T: type | Element type.", "Tidx: {int32, int64} = int32 | Type of `shape`."},
     .doc = "Broadcasts a tensor to a shape, by NumPy's rules.",
     .shape = broadcast_to_shape,
     .gradient = [](GradientContext& c) { c.set(0, sum_to_shape_of(c.grad(), c.input(0))); }},
};

}  // namespace

std::span<const OpDef> padding_ops() { return kPaddingOps; }

Output pad(const Output& x, const Paddings& paddings, double value, const ArrayOptions& options) {
  const Output cells = int_constant(x.graph(), paddings);
  if (value == 0) return x.graph().add("Pad", {x, cells}, {}, {.name = options.name}).output();
  return x.graph()
      .add("PadV2", {x, cells, scalar_like(x, value)}, {}, {.name = options.name})
      .output();
}

Output mirror_pad(const Output& x, const Paddings& paddings, std::string mode,
                  const ArrayOptions& options) {
  return x.graph()
      .add("MirrorPad", {x, int_constant(x.graph(), paddings)}, {{"mode", std::move(mode)}},
           {.name = options.name})
      .output();
}

Output tile(const Output& x, const IntVector& multiples, const ArrayOptions& options) {
  return x.graph().add("Tile", {x, multiples.in(x.graph())}, {}, {.name = options.name}).output();
}

Output broadcast_to(const Output& x, const IntVector& shape, const ArrayOptions& options) {
  return x.graph()
      .add("BroadcastTo", {x, shape.in(x.graph())}, {}, {.name = options.name})
      .output();
}

}  // namespace thalweg
