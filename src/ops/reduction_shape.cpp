#include "ops/reduction_shape.h"

#include <vector>

#include "ops/known_values.h"

namespace thalweg {
namespace {

std::vector<bool> reduced_dims(const ShapeContext& context, const std::vector<int64_t>& axes,
                               int rank) {
  std::vector<bool> reduced(static_cast<size_t>(rank), false);
  for (int64_t axis : axes) {
    const auto dim = static_cast<size_t>(normalize_axis(context, axis, rank));
    if (reduced[dim]) throw context.error("axes ", axes, " name dimension ", dim, " twice");
    reduced[dim] = true;
  }
  return reduced;
}

}  // namespace

Shape reduced_shape(const ShapeContext& context, const Shape& x, int axes_input, bool keep_dims) {
  const Shape& axes_shape = context.input(axes_input);
  if (axes_shape.rank() > 1) {
    throw context.error("input `", context.input_name(axes_input),
                        "` must be a scalar or a vector, got shape ", axes_shape);
  }
  if (!x.has_rank()) return Shape::unknown();
  const auto axes = known_values(context.node(), axes_input);
  if (!axes) {
    // With distinct axes their number tells the rank.
    const int64_t count = axes_shape.num_elements();
    const bool known = keep_dims || (count != kUnknownDim && count <= x.rank());
    const int rank = x.rank() - static_cast<int>(keep_dims ? 0 : count);
    return known ? Shape::unknown_of_rank(rank) : Shape::unknown();
  }
  const std::vector<bool> reduced = reduced_dims(context, *axes, x.rank());
  std::vector<int64_t> dims;
  for (int i = 0; i < x.rank(); ++i) {
    if (!reduced[static_cast<size_t>(i)]) {
      dims.push_back(x[i]);
    } else if (keep_dims) {
      dims.push_back(1);
    }
  }
  return Shape(dims);
}

void reduction_shape(ShapeContext& context) {
  context.set_output(0,
                     reduced_shape(context, context.input(0), 1, context.attr<bool>("keep_dims")));
}

void accumulation_shape(ShapeContext& context) {
  context.with_rank(1, 0);
  const Shape x = context.with_rank_at_least(0, 1);
  if (const auto axis = known_scalar(context, 1); axis && x.has_rank())
    normalize_axis(context, *axis, x.rank());
  context.set_output(0, x);
}

}  // namespace thalweg
