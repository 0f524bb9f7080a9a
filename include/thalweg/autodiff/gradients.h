// Reverse-mode differentiation that extends the graph.
//
// For each node between the sources and the targets, its op row's gradient function adds the nodes
// that carry gradients back (A Tour of TensorFlow, section on back-propagation). The result is
// ordinary graph: optimised with the rest, and differentiable again.
#pragma once

#include <string>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct GradientOptions {
  /// Gradients that flow into `ys`, one each, of the same dtype and shape; default, also for an
  /// empty Output among them: ones (the gradient of the sum of all elements of `ys`).
  std::vector<Output> grad_ys = {};
  /// Outputs that are treated as constants.
  std::vector<Output> stop_at = {};
  std::string name = "gradients";
};

/// d(sum of ys)/dx for each x, of x's shape; nothing (an empty Output) for an x that `ys` do not
/// depend on. An x that is a read of a variable stands for the variable, whichever read the targets
/// used. Throws unimplemented, naming the node and the reason, when an op on the way has no
/// gradient; invalid_argument when a y is not floating point, when anything given is an empty
/// Output (but for grad_ys: ones there) or of another graph than the first y, and when a gradient
/// that flows in is not of its y's dtype and shape.
std::vector<Output> gradients(const std::vector<Output>& ys, const std::vector<Output>& xs,
                              const GradientOptions& options = {});

/// The gradient of one y in one x. Throws invalid_argument when y does not depend on x.
Output gradient(Output y, Output x);

}  // namespace thalweg
