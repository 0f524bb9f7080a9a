// An integer vector argument of a builder function: a shape, axes, a permutation, sizes.
//
// Mostly it is known while building and written in braces; sometimes it is computed by the graph
// itself. One parameter type for both keeps `reshape(x, {-1, 10})` and `reshape(x, shape_of(y))`
// one function, and `{}` and `{0, 1}` free of the ambiguity that overloads would have.
#pragma once

#include <initializer_list>
#include <span>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// Values known now, or an Output of dtype int32 or int64. A value.
class IntVector {
 public:
  IntVector() = default;
  IntVector(std::initializer_list<int64_t> values) : values_(values) {}
  IntVector(std::vector<int64_t> values)
      : values_(std::move(values)) {}  // NOLINT: implicit, as are the others
  IntVector(std::span<const int64_t> values) : values_(values.begin(), values.end()) {}  // NOLINT
  IntVector(const Shape& shape) : IntVector(shape.dims()) {}                             // NOLINT
  IntVector(Output output) : output_(output) {}                                          // NOLINT

  /// Whether the values are known while building.
  bool is_constant() const { return !output_; }
  const std::vector<int64_t>& values() const { return values_; }
  /// The vector as an input in `graph`: the Output itself, or a new Const of dtype int32 (int64
  /// when a value needs it).
  Output in(Graph& graph) const;
  /// The same with a constant of the given dtype, for ops whose vectors share one.
  Output in(Graph& graph, DType dtype) const;
  /// That dtype: the one of the Outputs among `vectors`, else the smallest that `in` would give
  /// them all.
  static DType common_dtype(std::initializer_list<const IntVector*> vectors);

 private:
  std::vector<int64_t> values_;
  Output output_;
};

}  // namespace thalweg
