// Ops that walk along one axis: positions of extremes, running sums and products.
#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/known_values.h"
#include "ops/reduction_shape.h"
#include "ops/unary_rows.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/reduction.h"

namespace thalweg {
namespace {

using Context = GradientContext;

// The axis made non-negative, when it and the rank are known.
std::optional<int> known_axis(ShapeContext& context) {
  context.with_rank(1, 0);
  const Shape x = context.with_rank_at_least(0, 1);
  const auto axis = known_scalar(context, 1);
  if (!axis || !x.has_rank()) return std::nullopt;
  return normalize_axis(context, *axis, x.rank());
}

void position_shape(ShapeContext& context) {
  const Shape& x = context.input(0);
  const auto axis = known_axis(context);
  if (!axis)
    return context.set_output(
        0, x.has_rank() ? Shape::unknown_of_rank(x.rank() - 1) : Shape::unknown());
  if (x[*axis] == 0)
    throw context.error("axis ", *axis, " of ", x, " is empty: there is no position to tell");
  std::vector<int64_t> dims(x.dims().begin(), x.dims().end());
  dims.erase(dims.begin() + *axis);
  context.set_output(0, Shape(dims));
}

constexpr OpDef position(std::string_view name, std::string_view doc) {
  return {.name = name,
          .inputs = {"input: T | At least one dimension.",
                     "dimension: Tidx | Axis, a scalar in [-rank, rank)."},
          .outputs = {"output: output_type | Positions along the axis, without that dimension."},
          .attrs = {"T: {float, double, bfloat16, half, int8, int16, int32, int64, uint8, uint16, "
                    "uint32, uint64, bool} | "
                    "Element type.",
                    "Tidx: {int32, int64} = int32 | Type of the axis.",
                    "output_type: {int32, int64} = int64 | Type of the positions."},
          .doc = doc,
          .shape = position_shape,
          .no_gradient = "positions are integers"};
}

constexpr OpDef accumulation(std::string_view name, std::string_view doc,
                             GradientFunction gradient) {
  return {
      .name = name,
      .inputs = {"x: T | At least one dimension.", "axis: Tidx | Axis, a scalar in [-rank, rank)."},
      .outputs = {"out: T | The shape of `x`."},
      .attrs = {"exclusive: bool = false | Leave each element out of its own result; the first is "
                "that of nothing.",
                "reverse: bool = false | From the end to the start.", rows::kNumbers,
                "Tidx: {int32, int64} = int32 | Type of the axis."},
      .doc = doc,
      .shape = accumulation_shape,
      .gradient = gradient};
}

CumulativeOptions options_of(const Context& c, bool flip) {
  return {.exclusive = c.attr<bool>("exclusive"), .reverse = c.attr<bool>("reverse") != flip};
}

constexpr OpDef kOps[] = {
    position("ArgMax",
             "Index of the largest element along an axis, the first of equal ones; NaNs are passed "
             "over."),
    position("ArgMin",
             "Index of the smallest element along an axis, the first of equal ones; NaNs are "
             "passed over."),
    accumulation("Cumsum", "Running sum along an axis; integers wrap around.",
                 [](Context& c) { c.set(0, cumsum(c.grad(), c.input(1), options_of(c, true))); }),
    accumulation("Cumprod",
                 "Running product along an axis; integers wrap around. As in TensorFlow the "
                 "gradient is taken as 0 where x "
                 "is 0.",
                 [](Context& c) {
                   const Output product = cumprod(c.input(0), c.input(1), options_of(c, false));
                   const Output sum = cumsum(product * c.grad(), c.input(1), options_of(c, true));
                   c.set(0, div_no_nan(sum, c.input(0)));
                 }),
};

}  // namespace

std::span<const OpDef> scan_ops() { return kOps; }

}  // namespace thalweg
