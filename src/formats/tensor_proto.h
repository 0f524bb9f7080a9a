// Conversions between thalweg's values and TensorFlow's messages for them, for the other files of
// this room.
#pragma once

#include "proto/tensor.pb.h"
#include "proto/tensor_shape.pb.h"
#include "proto/types.pb.h"
#include "thalweg/tensor/tensor.h"

namespace thalweg {

inline tensorflow::DataType to_proto(DType dtype) {
  return static_cast<tensorflow::DataType>(dtype);
}
/// Throws unimplemented for one that thalweg does not have, naming it.
DType dtype_from_proto(int dtype);

void to_proto(const Shape& shape, tensorflow::TensorShapeProto* out);
/// Throws invalid_argument for dimensions below -1, and unimplemented for more of them than
/// Shape::kMaxRank.
Shape shape_from_proto(const tensorflow::TensorShapeProto& shape);
/// The same for the shape of a value: it must be fully defined, and not overflow. Throws
/// invalid_argument.
Shape full_shape_from_proto(const tensorflow::TensorShapeProto& shape);

void to_proto(const Tensor& tensor, tensorflow::TensorProto* out);
/// Throws as decode_tensor.
Tensor tensor_from_proto(const tensorflow::TensorProto& proto);

}  // namespace thalweg
