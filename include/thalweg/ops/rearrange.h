// Shifting and turning elements around, and evenly spaced numbers. Each function adds the
// TensorFlow op of its name.
#pragma once

#include <cstdint>
#include <string>

#include "thalweg/ops/int_vector.h"

namespace thalweg {

struct RearrangeOptions {
  std::string name = {};
};

/// Shifts elements by shift[i] places along axes[i], around the ends. Roll
Output roll(Output x, const IntVector& shift, const IntVector& axes,
            const RearrangeOptions& options = {});

struct ReverseSequenceOptions {
  int64_t seq_dim = 1;    ///< the dimension that is reversed
  int64_t batch_dim = 0;  ///< the dimension with a length for each entry
  std::string name = {};
};
/// Reverses the first lengths[b] elements of each entry b. ReverseSequence
Output reverse_sequence(Output x, Output lengths, const ReverseSequenceOptions& options = {});

/// `num` numbers from `start` to `stop`, both among them. LinSpace
Output lin_space(Graph& graph, double start, double stop, int64_t num, DType dtype = kFloat32,
                 const RearrangeOptions& options = {});

}  // namespace thalweg
