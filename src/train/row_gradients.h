// Gradients that are zero but for the rows of a table that the network gathered.
#pragma once

#include <optional>

#include "thalweg/ops/training.h"

namespace thalweg::train {

/// The rows that `gradient`, of the shape of `variable` (a handle), is about, each with its sum at
/// the first place where it is named. Nothing when the gradient is not made of gathers alone, and
/// when the variable is so small that an update of all of it is no dearer.
std::optional<RowGradient> row_gradient(Output gradient, Output variable);

}  // namespace thalweg::train
