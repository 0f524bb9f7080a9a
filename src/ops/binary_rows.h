// What the tables of element-wise ops of two tensors share.
#pragma once

#include "ops/unary_rows.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/broadcast.h"

namespace thalweg::rows {

inline constexpr const char* kLeft = "x: T | Left operand.";
inline constexpr const char* kRight = "y: T | Right operand; the shapes are broadcast.";

/// z = f(x, y), broadcast.
constexpr OpDef binary(std::string_view name, const char* types, std::string_view doc,
                       GradientFunction gradient, bool commutative = false) {
  return {.name = name,
          .inputs = {kLeft, kRight},
          .outputs = {"z: T | The broadcast shape."},
          .attrs = {types},
          .doc = doc,
          .shape = shape_functions::broadcast_inputs,
          .gradient = gradient,
          .commutative = commutative};
}

/// Sets the gradients of x and y, told in the broadcast shape.
inline void set_both(GradientContext& c, Output x_gradient, Output y_gradient) {
  c.set(0, sum_to_shape_of(x_gradient, c.input(0), c.input(1)));
  c.set(1, sum_to_shape_of(y_gradient, c.input(1), c.input(0)));
}

}  // namespace thalweg::rows
