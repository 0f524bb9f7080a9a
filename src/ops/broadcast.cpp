#include "thalweg/ops/broadcast.h"

#include <optional>

#include "thalweg/ops/array.h"
#include "thalweg/ops/reduction.h"

namespace thalweg {
namespace {

// Dimension `i` of `shape`, counted from the end; 1 in front of the first, as broadcasting has it.
int64_t dim_from_end(const Shape& shape, int i) {
  return i < shape.rank() ? shape[shape.rank() - 1 - i] : 1;
}

// The axes of the result along which `like` was repeated; nothing when the shapes do not tell.
// `other` may be null.
std::optional<std::vector<int64_t>> repeated_axes(const Shape& result, const Shape& like,
                                                  const Shape* other) {
  if (!result.has_rank() || !like.has_rank()) return std::nullopt;
  std::vector<int64_t> axes;
  for (int i = result.rank() - 1; i >= 0; --i) {
    const int64_t wide = dim_from_end(result, i);
    const int64_t narrow = dim_from_end(like, i);
    if (i >= like.rank() || (narrow == 1 && wide != 1)) {
      axes.push_back(result.rank() - 1 -
                     i);  // over one cell, should an unknown `wide` turn out to be 1
    } else if (narrow == kUnknownDim && wide != 1) {
      const bool alone = other != nullptr && other->has_rank() && dim_from_end(*other, i) == 1;
      if (!alone) return std::nullopt;
    }
  }
  return axes;
}

Output sum_to_shape(Output gradient, Output like, const Shape* other) {
  const auto axes = repeated_axes(gradient.shape(), like.shape(), other);
  if (axes) {
    if (axes->empty()) return gradient;
    const int rank = like.shape().rank();
    const int extra = gradient.shape().rank() - rank;
    // Axes in front go away, those within `like` stay as 1: with only the one kind, Sum does it
    // all.
    const bool only_front = static_cast<int>(axes->size()) == extra;
    if (only_front || extra == 0) return reduce_sum(gradient, *axes, {.keep_dims = !only_front});
    std::vector<int64_t> front, within;
    for (int64_t axis : *axes) {
      if (axis < extra) {
        front.push_back(axis);
      } else {
        within.push_back(axis - extra);
      }
    }
    return reduce_sum(reduce_sum(gradient, front), within, {.keep_dims = true});
  }
  const Output shape = shape_of(like);
  Node& arguments = gradient.graph().add("BroadcastGradientArgs", {shape, shape_of(gradient)});
  return reshape(reduce_sum(gradient, arguments.output(0)), shape);
}

}  // namespace

Output sum_to_shape_of(Output gradient, Output like) {
  return sum_to_shape(gradient, like, nullptr);
}

Output sum_to_shape_of(Output gradient, Output like, Output other) {
  return sum_to_shape(gradient, like, &other.shape());
}

}  // namespace thalweg
