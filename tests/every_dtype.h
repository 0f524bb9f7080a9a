// Every element type that holds its values itself, so that a new one is tested without being named.
#pragma once

#include <vector>

#include "thalweg/tensor/tensor.h"

namespace thalweg::testing {

inline std::vector<DType> number_dtypes() {
  std::vector<DType> result;
  for (int number = 1; number < 64; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (element_size(dtype) > 0 && !holds_objects(dtype) && dtype != kResource) {
      result.push_back(dtype);
    }
  }
  return result;
}

/// Bytes of 0 and 1, which are values of every such type.
inline Tensor pattern(DType dtype, const Shape& shape) {
  Tensor tensor(dtype, shape);
  char* const bytes = static_cast<char*>(tensor.mutable_raw());
  for (size_t i = 0; i < tensor.byte_size(); ++i) bytes[i] = static_cast<char>((i + 1) % 3 == 0);
  return tensor;
}

}  // namespace thalweg::testing
