// What shape functions can tell of the variable behind a handle.
#pragma once

#include "thalweg/graph/function.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg {

/// The VarHandleOp behind a resource, or null (a function's argument, for example).
inline const Node* handle_node(Output resource) {
  const Node* node = handle_origin(resource);
  return node->type() == "VarHandleOp" ? node : nullptr;
}

/// The element type of the variable; kInvalid when it cannot be told. Arguments of functions tell
/// it in TensorFlow's annotations `_handle_dtypes` and `_handle_shapes`.
inline DType handle_dtype(Output resource) {
  const Node* node = handle_origin(resource);
  if (node->type() == "VarHandleOp") return node->attr<DType>("dtype");
  const AttrValue* types = node->type() == "_Arg" ? node->find_attr("_handle_dtypes") : nullptr;
  const auto* list = types == nullptr ? nullptr : std::get_if<std::vector<DType>>(types);
  return list == nullptr || list->empty() ? kInvalid : list->front();
}

/// As declared; of unknown rank when it cannot be told.
inline Shape handle_shape(Output resource) {
  const Node* node = handle_origin(resource);
  if (node->type() == "VarHandleOp") return node->attr<Shape>("shape");
  const AttrValue* shapes = node->type() == "_Arg" ? node->find_attr("_handle_shapes") : nullptr;
  const auto* list = shapes == nullptr ? nullptr : std::get_if<std::vector<Shape>>(shapes);
  return list == nullptr || list->empty() ? Shape::unknown() : list->front();
}

/// The shape of the variable behind resource input `i`. Throws invalid_argument when it does not
/// hold `dtype`.
inline Shape variable_shape(const ShapeContext& c, int i, DType dtype) {
  const Output handle = c.node().input(i);
  const DType held = handle_dtype(handle);
  if (held != kInvalid && held != dtype) {
    throw c.error("`", c.input_name(i), "` is a variable of ", held, " (",
                  handle_origin(handle)->name(), "), but the op works on ", dtype);
  }
  return handle_shape(handle);
}

}  // namespace thalweg
