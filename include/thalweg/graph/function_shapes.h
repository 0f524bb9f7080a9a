// A function's body with the shapes of one call.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "thalweg/graph/function.h"

namespace thalweg {

/// What the results of a function need, built once more for arguments of given shapes, so that what
/// these tell is known of every tensor.
struct ShapedBody {
  std::unique_ptr<Graph> graph;
  std::vector<Output> arguments;
  std::vector<Output> results;
};
/// Throws what shape inference throws. Shapes that contradict an argument's are left aside.
/// `item_shapes`: of lists among the arguments, where known (annotation `_item_shape`).
ShapedBody with_shapes(const Function& function, std::span<const Shape> arguments,
                       std::span<const Shape> item_shapes = {});

}  // namespace thalweg
