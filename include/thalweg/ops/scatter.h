// Changing slices of tensors and variables at index vectors `[..., k]`. Each function adds the
// TensorFlow op of its name; an index out of range is an error when it runs.
#pragma once

#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct ScatterOptions {
  std::string name = {};
};

/// `x` with updates subtracted from its slices. TensorScatterSub
Output tensor_scatter_sub(Output x, Output indices, Output updates,
                          const ScatterOptions& options = {});
/// `x` with its slices lowered to updates that are less. TensorScatterMin
Output tensor_scatter_min(Output x, Output indices, Output updates,
                          const ScatterOptions& options = {});
/// `x` with its slices raised to updates that are larger. TensorScatterMax
Output tensor_scatter_max(Output x, Output indices, Output updates,
                          const ScatterOptions& options = {});
/// Replaces rows of a variable. ResourceScatterUpdate
Node& resource_scatter_update(Output resource, Output indices, Output updates,
                              const ScatterOptions& options = {});
/// Slices of a variable. ResourceGatherNd
Output resource_gather_nd(Output resource, Output indices, DType dtype,
                          const ScatterOptions& options = {});

}  // namespace thalweg
