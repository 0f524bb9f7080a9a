#include "ops/joined_shape.h"

#include "ops/known_values.h"
#include "thalweg/tensor/dimensions.h"

namespace thalweg {

Shape joined_shape(const ShapeContext& context, int begin, int end, int axis) {
  int rank = -1;
  for (int i = begin; i < end; ++i) {
    const Shape& value = context.input(i);
    if (!value.has_rank()) continue;
    if (rank >= 0 && value.rank() != rank) {
      throw context.error("input `", context.input_name(i), "` has shape ", value,
                          ", the others have ", rank, " dimensions");
    }
    rank = value.rank();
  }
  const auto place = known_scalar(context, axis);
  if (rank < 0) return Shape::unknown();
  if (!place) return Shape::unknown_of_rank(rank);
  const int along = normalize_axis(context, *place, rank);
  Shape result = Shape::unknown_of_rank(rank);
  int64_t total = 0;
  for (int i = begin; i < end; ++i) {
    Shape value = context.input(i);
    total = add_dims(total, value.has_rank() ? value[along] : kUnknownDim);
    if (!value.has_rank()) continue;
    value.set_dim(along, kUnknownDim);
    if (!result.is_compatible_with(value)) {
      throw context.error("input `", context.input_name(i), "` has shape ", context.input(i),
                          "; outside axis ", along, " it must fit the values before it, ", result);
    }
    result = result.merge(value);
  }
  result.set_dim(along, total);
  return result;
}

}  // namespace thalweg
