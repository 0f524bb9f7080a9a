// Tensors as TensorFlow's TensorProto: in graphs, events and requests.
#pragma once

#include <string>
#include <string_view>

#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// The bytes of a TensorProto: one element and strings in the typed list, more elements as raw
/// content.
std::string encode_tensor(const Tensor& tensor);

/// Reads typed lists (a short one repeats its last value) and raw content. Throws data_loss for
/// bytes that are no TensorProto; invalid_argument for an unknown rank, negative or too large
/// dimensions, and content that does not fit the shape; unimplemented for a dtype or rank that
/// thalweg does not have.
Tensor decode_tensor(std::string_view bytes);

}  // namespace thalweg
