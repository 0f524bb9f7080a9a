// Tensors on the command line and in JSON.
#pragma once

#include <string>

#include "cli/json.h"
#include "thalweg/tensor/tensor.h"

namespace thalweg::cli {

/// Nested lists as deep as the tensor's rank; numbers that are not finite as "nan", "inf", "-inf".
Json to_json(const Tensor& tensor);
/// {"dtype": ..., "shape": [...]}; a shape of unknown rank is null, an unknown dimension -1.
Json type_to_json(DType dtype, const Shape& shape);

/// A tensor written as `1,2,3`, as nested lists `[[1, 2], [3, 4]]`, or as text for strings, brought
/// into `shape` where that has one unknown dimension at most. Throws UsageError.
Tensor parse_tensor(const std::string& text, DType dtype, const Shape& shape);

}  // namespace thalweg::cli
