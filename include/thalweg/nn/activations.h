// Activations by name, as layers' options and files have them; the functions themselves are ops.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// linear (or ""), relu, relu6, leaky_relu, elu, selu, gelu, sigmoid, tanh, softmax, log_softmax,
/// softplus, softsign.
std::span<const std::string> activation_names();

/// The named function of `x`. Throws invalid_argument with the nearest name.
Output activate(Output x, std::string_view activation);

/// Throws what activate() would throw of the name.
void check_activation(std::string_view activation);

}  // namespace thalweg
