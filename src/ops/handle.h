// What shape functions can tell of the variable behind a handle.
#pragma once

#include "thalweg/graph/shape_context.h"

namespace thalweg {

/// The VarHandleOp behind a resource, or null (a function's argument, for example).
inline const Node* handle_node(Output resource) {
  const Node* node = resource.node();
  while (node->type() == "Identity") node = node->input(0).node();
  return node->type() == "VarHandleOp" ? node : nullptr;
}

/// As declared; of unknown rank when it cannot be told.
inline Shape handle_shape(Output resource) {
  const Node* node = handle_node(resource);
  return node == nullptr ? Shape::unknown() : node->attr<Shape>("shape");
}

/// The shape of the variable behind resource input `i`. Throws invalid_argument when it does not
/// hold `dtype`.
inline Shape variable_shape(const ShapeContext& c, int i, DType dtype) {
  const Node* node = handle_node(c.node().input(i));
  if (node == nullptr) return Shape::unknown();
  if (node->attr<DType>("dtype") != dtype) {
    throw c.error("`", c.input_name(i), "` is a variable of ", node->attr<DType>("dtype"), " (",
                  node->name(), "), but the op works on ", dtype);
  }
  return node->attr<Shape>("shape");
}

}  // namespace thalweg
