// What the tables of element-wise ops of two tensors share.
#pragma once

#include "ops/unary_rows.h"

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

}  // namespace thalweg::rows
