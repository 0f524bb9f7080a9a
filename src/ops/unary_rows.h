// What the tables of element-wise ops share: lists of dtypes, and rows filled in from what differs.
#pragma once

#include "thalweg/graph/op_def.h"
#include "thalweg/graph/shape_context.h"

namespace thalweg::rows {

inline constexpr const char* kFloats = "T: {float, double, bfloat16, half} | Element type.";
inline constexpr const char* kSigned =
    "T: {float, double, bfloat16, half, int8, int16, int32, int64} | Element type.";
inline constexpr const char* kNumbers =
    "T: {float, double, bfloat16, half, int8, int16, int32, int64, uint8, uint16, uint32, uint64} "
    "| Element type.";
/// Complex numbers beside real ones, where exported graphs need them.
inline constexpr const char* kFloatsAndComplex =
    "T: {float, double, bfloat16, half, complex64, complex128} | Element type.";
inline constexpr const char* kSignedAndComplex =
    "T: {float, double, bfloat16, half, int8, int16, int32, int64, complex64, complex128} "
    "| Element type.";
inline constexpr const char* kNumbersAndComplex =
    "T: {float, double, bfloat16, half, int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
    "complex64, complex128} | Element type.";

/// All inputs have one shape, and output 0 too.
inline void one_shape(ShapeContext& context) {
  Shape shape = context.input(0);
  for (int i = 1; i < context.num_inputs(); ++i) {
    if (!shape.is_compatible_with(context.input(i))) {
      throw context.error("input `", context.input_name(i),
                          "` must have the shape of the inputs before it, ", shape, ", got ",
                          context.input(i));
    }
    shape = shape.merge(context.input(i));
  }
  context.set_output(0, shape);
}

/// y = f(x).
constexpr OpDef unary(std::string_view name, const char* types, std::string_view doc,
                      GradientFunction gradient) {
  return {.name = name,
          .inputs = {"x: T | Any shape."},
          .outputs = {"y: T | The shape of `x`."},
          .attrs = {types},
          .doc = doc,
          .shape = shape_functions::same_as_input,
          .gradient = gradient};
}

/// activations = f(features).
constexpr OpDef activation(std::string_view name, const char* types, std::string_view doc,
                           GradientFunction gradient) {
  return {.name = name,
          .inputs = {"features: T | Any shape."},
          .outputs = {"activations: T | The shape of `features`."},
          .attrs = {types},
          .doc = doc,
          .shape = shape_functions::same_as_input,
          .gradient = gradient};
}

/// z = dy * f'(x), told from y = f(x).
constexpr OpDef gradient_of_result(std::string_view name, std::string_view doc,
                                   GradientFunction gradient) {
  return {.name = name,
          .inputs = {"y: T | Result of the forward op.", "dy: T | Gradient of `y`, of its shape."},
          .outputs = {"z: T | Gradient of the forward op's input."},
          .attrs = {kFloats},
          .doc = doc,
          .shape = one_shape,
          .gradient = gradient};
}

/// backprops = gradients * f'(features).
constexpr OpDef gradient_of_features(std::string_view name, const char* types, std::string_view doc,
                                     GradientFunction gradient) {
  return {.name = name,
          .inputs = {"gradients: T | Gradient of the activations.",
                     "features: T | Input of the forward op."},
          .outputs = {"backprops: T | Gradient of the features."},
          .attrs = {types},
          .doc = doc,
          .shape = one_shape,
          .gradient = gradient};
}

/// backprops = gradients * f'(x), told from outputs = f(x).
constexpr OpDef gradient_of_outputs(std::string_view name, std::string_view doc,
                                    GradientFunction gradient) {
  return {.name = name,
          .inputs = {"gradients: T | Gradient of the activations.",
                     "outputs: T | Result of the forward op."},
          .outputs = {"backprops: T | Gradient of the forward op's input."},
          .attrs = {kFloats},
          .doc = doc,
          .shape = one_shape,
          .gradient = gradient};
}

}  // namespace thalweg::rows
