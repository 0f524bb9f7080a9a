// Reductions over axes.
//
// Their gradients lead a tensor back from the reduced shape to the input's: kept dimensions (of
// size 1) where they were dropped, then a broadcast.
#include "thalweg/ops/reduction.h"

#include <algorithm>

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/int_constant.h"
#include "ops/known_values.h"
#include "ops/reduction_shape.h"
#include "ops/unary_rows.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/indexing.h"
#include "thalweg/ops/segments.h"
#include "thalweg/ops/unary.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {
namespace {

using Context = GradientContext;

// Non-negative axes in order, when they are known.
std::optional<std::vector<int64_t>> sorted_axes(const Context& c) {
  auto axes = known_values(c.node(), 1);
  const int rank = c.input(0).shape().rank();
  if (!axes || rank < 0) return std::nullopt;
  for (int64_t& axis : *axes) axis = axis < 0 ? axis + rank : axis;
  std::sort(axes->begin(), axes->end());
  return axes;
}

// `reduced`, of the shape of the output, shaped so that it broadcasts with the input.
Output with_kept_dims(const Context& c, Output reduced) {
  if (c.attr<bool>("keep_dims")) return reduced;
  const auto axes = sorted_axes(c);
  if (!axes) {
    // The shape of this sum is all that is used of it.
    return reshape(reduced,
                   shape_of(reduce_sum(c.input(0), c.node().input(1), {.keep_dims = true})));
  }
  // Dimensions missing in front come by broadcasting.
  size_t leading = 0;
  while (leading < axes->size() && (*axes)[leading] == static_cast<int64_t>(leading)) ++leading;
  for (size_t i = leading; i < axes->size(); ++i) {
    reduced = expand_dims(reduced, (*axes)[i] - static_cast<int64_t>(leading));
  }
  return reduced;
}

// The same, repeated to the shape of the input.
Output spread(const Context& c, Output reduced) {
  const Output x = c.input(0);
  return broadcast_to(with_kept_dims(c, reduced),
                      x.shape().is_fully_defined() ? IntVector(x.shape()) : IntVector(shape_of(x)));
}

// How many elements went into each element of the output, as a scalar.
Output reduced_count(const Context& c) {
  const Output x = c.input(0), y = c.output();
  const auto axes = sorted_axes(c);
  int64_t count = axes ? 1 : kUnknownDim;
  for (size_t i = 0; axes && i < axes->size(); ++i) {
    const int64_t dim = x.shape()[static_cast<int>((*axes)[i])];
    count = multiply_dims(count, dim);
  }
  if (count != kUnknownDim) return scalar_like(c.grad(), static_cast<double>(count));
  const Output size = size_of(x, kInt64);
  const Output quotient =
      y.shape().rank() == 0 ? size : floor_div(size, maximum(size_of(y, kInt64), 1));
  return cast(quotient, c.grad().dtype());
}

// For each element the product of the others along an axis: of those before it times those after.
// Nothing is divided, so that zeros, and wholes that leave the range of the type, do no harm.
Output product_of_others(Output x, const Output& axis) {
  return cumprod(x, axis, {.exclusive = true}) *
         cumprod(x, axis, {.exclusive = true, .reverse = true});
}

// The same along axes that only the run knows: they come first, and become one.
Output product_of_others_unknown(const Output& x, const Output& axes) {
  const Output shape = shape_of(x);
  const Output rank = rank_of(x);
  const Output zero = int_constant(x.graph(), 0), one = int_constant(x.graph(), 1);
  const Output all = range(zero, rank, one);
  const Output reduced = floor_mod(cast(reshape(axes, {-1}), kInt32), rank);
  const Output kept = set_difference(all, reduced).values;
  const Output order = concat({reduced, kept}, 0);
  const Output moved = transpose(x, order);
  const Output matrix =
      reshape(moved, pack({reduce_prod(gather(shape, reduced)), reduce_prod(gather(shape, kept))}));
  const Output others = reshape(product_of_others(matrix, zero), shape_of(moved));
  return transpose(others, invert_permutation(order));
}

// The others of an element at [i, j] are those of its column, and whole columns beside it. As in
// TensorFlow, second derivatives take an x of 0 for a constant.
void prod_gradient(Context& c) {
  const Output x = c.input(0);
  Output slope = with_kept_dims(c, c.grad());
  const auto axes = known_values(c.node(), 1);
  if (!axes) return c.set(0, slope * product_of_others_unknown(x, c.input(1)));
  Output rest = x;
  for (int64_t axis : *axes) {
    slope = slope * product_of_others(rest, int_constant(x.graph(), axis));
    rest = reduce_prod(rest, {axis}, {.keep_dims = true});
  }
  c.set(0, slope);
}

// Equal extremes share in equal parts, so that what flows back sums to what came in.
void extreme_gradient(Context& c) {
  const Output x = c.input(0);
  const Output chosen = cast(equal(x, with_kept_dims(c, c.output())), x.dtype());
  const Output number = reduce_sum(chosen, c.input(1), {.keep_dims = true});
  c.set(0, with_kept_dims(c, c.grad()) / number * chosen);
}

constexpr std::string_view kBoolResult = "the result is bool";
constexpr const char* kAxes =
    "reduction_indices: Tidx | Axes, a vector or a scalar, each in [-rank, rank), none twice.";
constexpr const char* kReduced =
    "output: T | Without the reduced dimensions, or with size 1 there.";
constexpr const char* kKeepDims = "keep_dims: bool = false | Keep reduced dimensions, with size 1.";
constexpr const char* kTidx = "Tidx: {int32, int64} = int32 | Type of the axes.";

constexpr OpDef reduction(std::string_view name, std::string_view doc, GradientFunction gradient,
                          const char* types = rows::kNumbers) {
  return {.name = name,
          .inputs = {"input: T | Any shape.", kAxes},
          .outputs = {kReduced},
          .attrs = {kKeepDims, types, kTidx},
          .doc = doc,
          .shape = reduction_shape,
          .gradient = gradient};
}

constexpr OpDef truth(std::string_view name, std::string_view doc) {
  return {.name = name,
          .inputs = {"input: bool | Any shape.", kAxes},
          .outputs = {"output: bool | Without the reduced dimensions, or with size 1 there."},
          .attrs = {kKeepDims, kTidx},
          .doc = doc,
          .shape = reduction_shape,
          .no_gradient = kBoolResult};
}

constexpr OpDef kOps[] = {
    reduction(
        "Sum",
        "Sum over axes, 0 over nothing. Floats of less than 64 bits are summed in more "
        "precision, integers wrap "
        "around.",
        [](Context& c) { c.set(0, spread(c, c.grad())); }, rows::kNumbersAndComplex),
    reduction(
        "Mean",
        "Mean over axes, NaN over nothing. Integers are summed in 64 bits, and their mean is "
        "cut towards zero (0 over "
        "nothing).",
        [](Context& c) { c.set(0, spread(c, c.grad() / reduced_count(c))); },
        rows::kNumbersAndComplex),
    reduction("Prod",
              "Product over axes, 1 over nothing; integers wrap around. The gradient is right at "
              "zeros too.",
              prod_gradient),
    reduction("Max",
              "Largest element over axes; NaN when there is one; over nothing the lowest value of "
              "T, -inf for floats. "
              "Elements equal to the largest share the gradient in equal parts, as in TensorFlow.",
              extreme_gradient),
    reduction("Min",
              "Smallest element over axes; NaN when there is one; over nothing the highest value "
              "of T, inf for floats. "
              "Elements equal to the smallest share the gradient in equal parts, as in TensorFlow.",
              extreme_gradient),
    truth("Any", "Whether any element is true; false over nothing."),
    truth("All", "Whether all elements are true; true over nothing."),
};

}  // namespace

std::span<const OpDef> reduction_ops() { return kOps; }

}  // namespace thalweg
