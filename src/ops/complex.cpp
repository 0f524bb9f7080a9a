#include "thalweg/ops/complex.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/graph/shape_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/broadcast.h"

namespace thalweg {
namespace {

using Context = GradientContext;

constexpr const char* kComplexIn = "T: {complex64, complex128} = complex64 | Type of the input.";
constexpr const char* kRealOut = "Tout: {float, double} = float | Type of its parts.";

DType part_type(DType dtype) { return dtype == kComplex128 ? kFloat64 : kFloat32; }
DType whole_type(DType dtype) { return dtype == kFloat64 ? kComplex128 : kComplex64; }

// output = f(input), complex to real.
constexpr OpDef part(std::string_view name, std::string_view doc, GradientFunction gradient) {
  return {.name = name,
          .inputs = {"input: T | Any shape."},
          .outputs = {"output: Tout | The shape of `input`."},
          .attrs = {kComplexIn, kRealOut},
          .doc = doc,
          .shape = shape_functions::same_as_input,
          .gradient = gradient};
}

// Of z = x + iy: dL/dz = g * (-y + ix) / |z|^2.
void angle_gradient(Context& c) {
  const Output x = real(c.input(0)), y = imag(c.input(0));
  const Output scaled = c.grad() / (x * x + y * y);
  c.set(0, make_complex(-scaled * y, scaled * x));
}

// Of z: g * z / |z|, and 0 at 0.
void abs_gradient(Context& c) {
  const Output scaled = div_no_nan(c.grad(), c.output());
  c.set(0, make_complex(scaled * real(c.input(0)), scaled * imag(c.input(0))));
}

constexpr OpDef kOps[] = {
    {.name = "Complex",
     .inputs = {"real: T | Real part.", "imag: T | Imaginary part; the shapes are broadcast."},
     .outputs = {"out: Tout | The broadcast shape."},
     .attrs = {"T: {float, double} = float | Type of the parts.",
               "Tout: {complex64, complex128} = complex64 | Type of the result."},
     .doc = "real + i imag.",
     .shape = shape_functions::broadcast_inputs,
     .gradient =
         [](Context& c) {
           c.set(0, sum_to_shape_of(real(c.grad()), c.input(0), c.input(1)));
           c.set(1, sum_to_shape_of(imag(c.grad()), c.input(1), c.input(0)));
         }},
    part("Real", "Real part.",
         [](Context& c) { c.set(0, make_complex(c.grad(), zeros_like(c.grad()))); }),
    part("Imag", "Imaginary part.",
         [](Context& c) { c.set(0, make_complex(zeros_like(c.grad()), c.grad())); }),
    part("Angle", "Argument, in [-pi, pi].", angle_gradient),
    {.name = "ComplexAbs",
     .inputs = {"x: T | Any shape."},
     .outputs = {"y: Tout | The shape of `x`."},
     .attrs = {kComplexIn, kRealOut},
     .doc = "Absolute value. Its gradient at 0 is 0.",
     .shape = shape_functions::same_as_input,
     .gradient = abs_gradient},
    {.name = "Conj",
     .inputs = {"input: T | Any shape."},
     .outputs = {"output: T | The shape of `input`."},
     .attrs = {"T: {complex64, complex128} = complex64 | Element type."},
     .doc = "Complex conjugate.",
     .shape = shape_functions::same_as_input,
     .gradient = [](Context& c) { c.set(0, conj(c.grad())); }},
};

Output part_of(std::string_view op, Output x) {
  return add_op(op, {x}, {{"Tout", part_type(x.dtype())}});
}

}  // namespace

std::span<const OpDef> complex_ops() { return kOps; }

Output make_complex(Output real, Output imag) {
  return add_op("Complex", {real, imag}, {{"Tout", whole_type(real.dtype())}});
}

Output real(Output x) { return is_complex(x.dtype()) ? part_of("Real", x) : x; }
Output imag(Output x) { return is_complex(x.dtype()) ? part_of("Imag", x) : zeros_like(x); }
Output conj(Output x) { return is_complex(x.dtype()) ? add_op("Conj", {x}) : x; }
Output angle(Output x) { return part_of("Angle", x); }
Output complex_abs(Output x) { return part_of("ComplexAbs", x); }

}  // namespace thalweg
