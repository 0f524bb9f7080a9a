// Inputs that must have a shape which others tell.
#pragma once

#include "thalweg/graph/shape_context.h"

namespace thalweg {

/// Input `i` must have the shape `expected`, of known rank; returns what is known of both. Throws
/// invalid_argument naming the input.
inline Shape agreed_shape(const ShapeContext& c, int i, const Shape& expected) {
  const Shape got = c.with_rank(i, expected.rank());
  if (!got.is_compatible_with(expected)) {
    throw c.error("`", c.input_name(i), "` must have shape ", expected, ", got ", got);
  }
  return got.merge(expected);
}

}  // namespace thalweg
