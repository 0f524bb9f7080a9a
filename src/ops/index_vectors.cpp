#include "ops/index_vectors.h"

namespace thalweg {

Shape slices_shape(const ShapeContext& context, const Shape& indices, const Shape& tensor) {
  if (!indices.has_rank()) return Shape::unknown();
  if (indices.rank() == 0) throw context.error("`indices` must have at least 1 dimension");
  const int64_t depth = indices.dim(-1);
  if (depth == kUnknownDim || !tensor.has_rank()) return Shape::unknown();
  if (depth > tensor.rank()) {
    throw context.error("`indices` of shape ", indices, " hold index vectors of ", depth,
                        " entries, too many for a tensor of shape ", tensor);
  }
  return indices.slice(0, indices.rank() - 1).concat(tensor.slice(static_cast<int>(depth)));
}

void check_updates(const ShapeContext& context, const Shape& indices, const Shape& updates,
                   const Shape& tensor) {
  const Shape expected = slices_shape(context, indices, tensor);
  if (!updates.is_compatible_with(expected)) {
    throw context.error("`updates` has shape ", updates, ", expected ", expected,
                        " for indices of shape ", indices, " into a tensor of shape ", tensor);
  }
}

}  // namespace thalweg
