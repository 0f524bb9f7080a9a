// What shape functions can tell of the table or the queue behind a handle.
#pragma once

#include "thalweg/graph/shape_context.h"

namespace thalweg {

/// The node that made the handle at input `i`, or null (a function's argument, for example).
inline const Node* handle_maker(const ShapeContext& c, int i) {
  const Node* node = c.node().input(i).node();
  while (node->type() == "Identity") node = node->input(0).node();
  // A dense table is told keys that it keeps for itself.
  const bool is_dense = node->type().find("DenseHashTable") != std::string_view::npos;
  return (node->num_inputs() == 0 || is_dense) && node->type() != "Placeholder" ? node : nullptr;
}

}  // namespace thalweg
