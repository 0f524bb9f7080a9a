#include "thalweg/ops/int_vector.h"

#include <algorithm>
#include <limits>

namespace thalweg {
namespace {

bool fits_int32(int64_t value) {
  return value >= std::numeric_limits<int32_t>::min() &&
         value <= std::numeric_limits<int32_t>::max();
}

}  // namespace

DType IntVector::common_dtype(std::initializer_list<const IntVector*> vectors) {
  DType dtype = kInt32;
  for (const IntVector* vector : vectors) {
    if (vector->output_) return vector->output_.dtype();
    if (!std::all_of(vector->values_.begin(), vector->values_.end(), fits_int32)) dtype = kInt64;
  }
  return dtype;
}

Output IntVector::in(Graph& graph, DType dtype) const {
  if (output_) return output_;
  const Shape shape{static_cast<int64_t>(values_.size())};
  const Tensor value = Tensor::from(std::span<const int64_t>(values_), shape).cast(dtype);
  return graph.add("Const", {}, {{"dtype", dtype}, {"value", value}}).output();
}

Output IntVector::in(Graph& graph) const { return in(graph, common_dtype({this})); }

}  // namespace thalweg
