// What the training and the evaluation loop ask of the batches they are given.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "thalweg/data/dataset.h"
#include "thalweg/graph/graph.h"

namespace thalweg::train {

/// Throws invalid_argument when the components of `batches` differ from `inputs` in number, dtype
/// or shape. `what` names the data set in the message ("training data").
void check_batches(std::string_view what, const Dataset& batches,
                   const std::vector<Output>& inputs);

/// The first dimension of the first component; 1 for a scalar.
int64_t num_examples(std::span<const Tensor> batch);

}  // namespace thalweg::train
