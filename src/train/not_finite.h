// Where a NaN or an infinity came from: what to say when the loss is no number.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "thalweg/runtime/session.h"
#include "thalweg/train/train_spec.h"

namespace thalweg::train {

/// "variable `fc1/kernel`: element 3 of float32[2, 4] is nan": the first trainable variable with
/// such a value; empty when all are finite.
std::string find_not_finite(const Graph& graph, const VariableStore& variables);

/// Runs the forward part of a failed step again on the same batch and the same random numbers. When
/// the loss is finite (the step failed for another reason) the answer is empty, else it names the
/// variable, the data or the first node with a value that is not finite. Variables and random
/// stream are left as they are.
std::string explain_not_finite(Session& session, const TrainSpec& spec,
                               std::span<const Tensor> batch);

}  // namespace thalweg::train
