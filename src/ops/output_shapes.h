// The shapes of many outputs, for ops that read records into tensors.
#pragma once

#include "thalweg/graph/shape_context.h"

namespace thalweg {

/// Sets the shapes of one output after the other. Lives for one call of a shape function.
class OutputShapes {
 public:
  explicit OutputShapes(ShapeContext& c) : c_(c) {}
  void add(const Shape& shape, size_t times = 1) {
    for (size_t i = 0; i < times; ++i) c_.set_output(next_++, shape);
  }
  /// `times` indices, then as many values, then as many dense shapes of sparse tensors of `rank`.
  void add_sparse(int64_t rank, size_t times) {
    add(Shape{kUnknownDim, rank}, times);
    add(Shape{kUnknownDim}, times);
    add(Shape{rank}, times);
  }

 private:
  ShapeContext& c_;
  int next_ = 0;
};

}  // namespace thalweg
