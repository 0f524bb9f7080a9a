// Mathematical functions of one tensor, element by element, and the ops that TensorFlow
// differentiates some of them by.
#include "thalweg/ops/unary.h"

#include "ops/add_op.h"
#include "ops/families.h"
#include "ops/unary_rows.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/complex.h"

namespace thalweg {
namespace {

using rows::gradient_of_result;
using rows::kFloats;
using rows::kFloatsAndComplex;
using rows::kNumbers;
using rows::kNumbersAndComplex;
using rows::kSigned;
using rows::kSignedAndComplex;
using rows::unary;
using Context = GradientContext;

// Steps are flat between their jumps. TensorFlow has no gradient for some of them, which counts as
// zero.
void zero_gradient(Context& c) { c.set(0, zeros_like(c.input(0))); }

template <const char* kOp>
void by_result(Context& c) {
  c.set(0, add_op(kOp, {c.output(), c.grad()}));
}

// z = -dy * y^2.
void reciprocal_grad_gradient(Context& c) {
  const Output y = c.input(0), dy = c.input(1), g = c.grad();
  c.set(0, -2.0 * g * dy * y);
  c.set(1, add_op("ReciprocalGrad", {y, g}));
}

constexpr char kReciprocalGrad[] = "ReciprocalGrad";
constexpr char kInvGrad[] = "InvGrad";
constexpr char kSqrtGrad[] = "SqrtGrad";
constexpr char kRsqrtGrad[] = "RsqrtGrad";
constexpr char kTanhGrad[] = "TanhGrad";

constexpr std::string_view kReciprocalDoc = "1 / x; infinity at 0.";
constexpr std::string_view kReciprocalGradDoc = "Gradient of the reciprocal: -dy * y^2.";

constexpr OpDef kOps[] = {
    unary("Neg", kSignedAndComplex, "-x. The lowest integer stays as it is.",
          [](Context& c) { c.set(0, -c.grad()); }),
    unary("Abs", kSigned, "|x|. The lowest integer stays as it is.",
          [](Context& c) { c.set(0, c.grad() * sign(c.input(0))); }),
    unary("Sign", kSigned, "-1 below 0, 0 at 0, 1 above; NaN stays NaN.", zero_gradient),
    unary("Square", kNumbersAndComplex, "x * x; integers wrap around.",
          [](Context& c) { c.set(0, c.grad() * (2.0 * conj(c.input(0)))); }),
    unary("Reciprocal", kFloats, kReciprocalDoc, by_result<kReciprocalGrad>),
    unary("Inv", kFloats, kReciprocalDoc, by_result<kInvGrad>),

    unary("Exp", kFloatsAndComplex, "e to the x.",
          [](Context& c) { c.set(0, c.grad() * conj(c.output())); }),
    unary("Expm1", kFloats, "exp(x) - 1, exact also for small x.",
          [](Context& c) { c.set(0, c.grad() * exp(c.input(0))); }),
    unary("Log", kFloats, "Natural logarithm: -inf at 0, NaN below.",
          [](Context& c) { c.set(0, c.grad() / c.input(0)); }),
    unary("Log1p", kFloats, "log(1 + x), exact also for small x: -inf at -1, NaN below.",
          [](Context& c) { c.set(0, c.grad() / (1.0 + c.input(0))); }),
    unary("Sqrt", kFloats, "Square root; NaN below 0. Its gradient at 0 is infinite.",
          by_result<kSqrtGrad>),
    unary("Rsqrt", kFloats, "1 / sqrt(x): infinity at 0, NaN below.", by_result<kRsqrtGrad>),
    unary("Erf", kFloats,
          "Gauss error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.",
          [](Context& c) {
            constexpr double kTwoOverSqrtPi = 1.12837916709551257390;
            c.set(0, c.grad() * (kTwoOverSqrtPi * exp(-square(c.input(0)))));
          }),

    unary("Sin", kFloats, "Sine of x in radians.",
          [](Context& c) { c.set(0, c.grad() * cos(c.input(0))); }),
    unary("Cos", kFloats, "Cosine of x in radians.",
          [](Context& c) { c.set(0, -c.grad() * sin(c.input(0))); }),
    unary("Tan", kFloats, "Tangent of x in radians.",
          [](Context& c) { c.set(0, c.grad() / square(cos(c.input(0)))); }),
    unary("Asin", kFloats, "Arcsine, in [-pi/2, pi/2]; NaN outside [-1, 1].",
          [](Context& c) { c.set(0, c.grad() * rsqrt(1.0 - square(c.input(0)))); }),
    unary("Acos", kFloats, "Arccosine, in [0, pi]; NaN outside [-1, 1].",
          [](Context& c) { c.set(0, -c.grad() * rsqrt(1.0 - square(c.input(0)))); }),
    unary("Atan", kFloats, "Arctangent, in [-pi/2, pi/2].",
          [](Context& c) { c.set(0, c.grad() / (1.0 + square(c.input(0)))); }),
    unary("Sinh", kFloats, "Hyperbolic sine.",
          [](Context& c) { c.set(0, c.grad() * cosh(c.input(0))); }),
    unary("Cosh", kFloats, "Hyperbolic cosine.",
          [](Context& c) { c.set(0, c.grad() * sinh(c.input(0))); }),
    unary("Tanh", kFloats, "Hyperbolic tangent.", by_result<kTanhGrad>),

    unary("Floor", kFloats, "The largest integer not above x. Its gradient is zero.",
          zero_gradient),
    unary("Ceil", kFloats, "The smallest integer not below x. Its gradient is zero.",
          zero_gradient),
    unary("Round", kSigned,
          "The nearest integer, halves to the even one; integers stay. Its gradient is zero.",
          zero_gradient),
    unary("Rint", kFloats, "The nearest integer, halves to the even one. Its gradient is zero.",
          zero_gradient),

    {.name = "Cast",
     .inputs = {"x: SrcT | Any shape."},
     .outputs = {"y: DstT | The shape of `x`."},
     .attrs = {"SrcT: {float, double, bfloat16, half, int8, int16, int32, int64, uint8, uint16, "
               "uint32, uint64, bool, "
               "complex64, complex128} "
               "| Type to convert from.",
               "DstT: {float, double, bfloat16, half, int8, int16, int32, int64, uint8, uint16, "
               "uint32, uint64, bool, complex64, complex128} "
               "| Type to convert to.",
               "Truncate: bool = false | To a narrower floating type: cut the mantissa instead of "
               "rounding it."},
     .doc =
         "Converts element by element. Floats to integers cut towards zero and keep the low "
         "bits (NaN, infinity and "
         "what is beyond 2^64 give 0), integers keep the low bits, complex to real keeps the real "
         "part, to bool tells what differs from 0.",
     .shape = shape_functions::same_as_input,
     .gradient =
         [](Context& c) {
           const auto flows = [](DType t) { return is_floating(t) || is_complex(t); };
           if (flows(c.input(0).dtype()) && flows(c.grad().dtype())) {
             c.set(0, cast(c.grad(), c.input(0).dtype()));
           }
         }},

    gradient_of_result("ReciprocalGrad", kReciprocalGradDoc, reciprocal_grad_gradient),
    gradient_of_result("InvGrad", kReciprocalGradDoc, reciprocal_grad_gradient),
    gradient_of_result("SqrtGrad", "Gradient of Sqrt: dy * 0.5 / y.",
                       [](Context& c) {
                         const Output scaled = c.grad() / c.input(0);
                         c.set(0, -scaled * c.output());
                         c.set(1, 0.5 * scaled);
                       }),
    gradient_of_result("RsqrtGrad", "Gradient of Rsqrt: dy * -0.5 * y^3.",
                       [](Context& c) {
                         const Output y = c.input(0), dy = c.input(1), g = c.grad();
                         c.set(0, -1.5 * g * dy * square(y));
                         c.set(1, add_op("RsqrtGrad", {y, g}));
                       }),
    gradient_of_result("TanhGrad", "Gradient of Tanh: dy * (1 - y^2).",
                       [](Context& c) {
                         const Output y = c.input(0), dy = c.input(1), g = c.grad();
                         c.set(0, -2.0 * g * dy * y);
                         c.set(1, add_op("TanhGrad", {y, g}));
                       }),
};

}  // namespace

std::span<const OpDef> unary_ops() { return kOps; }

}  // namespace thalweg
