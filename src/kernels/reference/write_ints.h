// Integers as an output of type int32 or int64: shapes, counts, row splits.
#pragma once

#include "kernels/reference/elements.h"

namespace thalweg::reference {

inline void write_ints(DType dtype, void* to, const Ints& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (dtype == kInt64) {
      static_cast<int64_t*>(to)[i] = values[i];
    } else {
      static_cast<int32_t*>(to)[i] = static_cast<int32_t>(values[i]);
    }
  }
}

}  // namespace thalweg::reference
