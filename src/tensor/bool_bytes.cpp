#include "thalweg/tensor/bool_bytes.h"

namespace thalweg {

void normalize_bools(Tensor& tensor) {
  if (tensor.dtype() != kBool) return;
  unsigned char* const bytes = static_cast<unsigned char*>(tensor.mutable_raw());
  for (size_t i = 0; i < tensor.byte_size(); ++i) bytes[i] = bytes[i] != 0;
}

}  // namespace thalweg
