// How matrices of operands pair up when the leading dimensions are broadcast.
#pragma once

#include <cstdint>
#include <vector>

#include "thalweg/tensor/shape.h"

namespace thalweg {

/// For each matrix of `output` in row-major order the number of the one of `operand` that belongs
/// to it. The operand's leading dimensions broadcast to the output's.
inline std::vector<int64_t> batch_offsets(const Shape& operand, const Shape& output) {
  const int batch_rank = output.rank() - 2;
  const int missing = output.rank() - operand.rank();
  std::vector<int64_t> offsets{0};
  for (int d = 0; d < batch_rank; ++d) {
    const int64_t size = d < missing ? 1 : operand[d - missing];
    std::vector<int64_t> next;
    for (int64_t offset : offsets) {
      for (int64_t i = 0; i < output[d]; ++i) next.push_back(offset * size + (size == 1 ? 0 : i));
    }
    offsets = std::move(next);
  }
  return offsets;
}

}  // namespace thalweg
