// Bools as files hold them: a byte of any value, where a C++ bool may be nothing but 0 and 1.
#pragma once

#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// Makes every byte of a bool tensor, read as raw bytes, 0 or 1; leaves tensors of other types.
void normalize_bools(Tensor& tensor);

}  // namespace thalweg
