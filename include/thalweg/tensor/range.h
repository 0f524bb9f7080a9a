// How many numbers start, start + delta, ... short of limit are.
//
// Shape inference and kernels must agree on it, also where floating-point division rounds.
#pragma once

#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// ceil(|(limit - start) / delta|) for scalars of one numeric dtype, computed as TensorFlow's op
/// Range does. Throws invalid_argument when delta is 0, leads away from limit, or a bound is not
/// finite.
int64_t range_length(const Tensor& start, const Tensor& limit, const Tensor& delta);

}  // namespace thalweg
