// What shape a reshape gives when one dimension is left open.
#pragma once

#include "thalweg/tensor/shape.h"

namespace thalweg {

/// `target` with its unknown dimension, if it has one, set to what is left of `from`, which is
/// fully defined. Beside a 0 it is what is left of from's other dimensions ([0, 3, 4] to [0, ?]
/// gives [0, 12]), as in TensorFlow. Throws invalid_argument when the numbers of elements differ,
/// or more than one dimension is unknown.
Shape resolve_reshape(const Shape& from, const Shape& target);

}  // namespace thalweg
