// How oneDNN sees plain TensorFlow tensors: for each kind of operand one view, the same in every
// kernel, so that layouts match between kernels (see layout.h).
#pragma once

#include <string_view>

#include "kernels/onednn/shim.h"
#include "thalweg/tensor/shape.h"

namespace thalweg::onednn {

inline Dims dims_of(const Shape& shape) { return {shape.dims().begin(), shape.dims().end()}; }

/// Images, as [n, c, h, w].
Desc image_view(const Shape& images, std::string_view data_format);

/// A filter [h, w, i, o], as [o, i, h, w]; with more than one group as [g, o / g, i, h, w], where i
/// is the number of input channels of one group. A depthwise filter [h, w, c, m] is one of c
/// groups.
Desc filter_view(const Shape& filter, int64_t groups, bool depthwise);

/// The weights [i, o] of a dense layer y = x w, as [o, i].
inline Desc dense_view(int64_t inputs, int64_t outputs) {
  return Desc::strided({outputs, inputs}, {1, outputs});
}

/// A matrix [rows, columns], as it is or transposed.
inline Desc matrix_view(int64_t rows, int64_t columns, bool transposed) {
  return transposed ? Desc::strided({columns, rows}, {1, columns}) : Desc::plain({rows, columns});
}

}  // namespace thalweg::onednn
