// Arithmetic of two tensors, element by element with broadcasting, and sums of many.
#include "thalweg/ops/binary.h"

#include "ops/binary_rows.h"
#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/broadcast.h"
#include "thalweg/ops/complex.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using rows::binary;
using rows::kFloats;
using rows::kFloatsAndComplex;
using rows::kNumbers;
using rows::kNumbersAndComplex;
using rows::kSigned;
using rows::set_both;
using Context = GradientContext;

void add_gradient(Context& c) { set_both(c, c.grad(), c.grad()); }

// x / y by y is -x / y^2, in an order of divisions that overflows late.
void divide_gradient(Context& c) {
  const Output x = conj(c.input(0)), y = conj(c.input(1)), g = c.grad();
  set_both(c, g / y, g * (-x / y / y));
}

void pow_gradient(Context& c) {
  const Output x = c.input(0), y = c.input(1), g = c.grad();
  // log(x) counts where x > 0 only: at 0 the power is flat in y (for y > 0), below 0 y cannot vary.
  const Output positive = greater(x, 0.0);
  const Output log_x = select(positive, log(select(positive, x, 1.0)), 0.0);
  set_both(c, g * y * pow(x, y - 1.0), g * c.output() * log_x);
}

void atan2_gradient(Context& c) {
  const Output y = c.input(0), x = c.input(1);
  const Output scaled = c.grad() / (square(x) + square(y));
  set_both(c, x * scaled, -y * scaled);
}

void chosen_gradient(Context& c, Output x_chosen) {
  set_both(c, select(x_chosen, c.grad(), 0.0), select(x_chosen, 0.0, c.grad()));
}

void squared_difference_gradient(Context& c) {
  const Output x_gradient = 2.0 * c.grad() * (c.input(0) - c.input(1));
  set_both(c, x_gradient, -x_gradient);
}

constexpr const char* kIntegers =
    "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64} | Element type.";
constexpr const char* kNumbersAndStrings =
    "T: {float, double, bfloat16, half, int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
    "complex64, complex128, string} | Element type.";

constexpr OpDef kOps[] = {
    binary("AddV2", kNumbersAndComplex, "x + y; integers wrap around.", add_gradient, true),
    binary("Add", kNumbersAndStrings, "x + y; integers wrap around, strings are joined.",
           add_gradient),
    binary("Sub", kNumbersAndComplex, "x - y; integers wrap around.",
           [](Context& c) { set_both(c, c.grad(), -c.grad()); }),
    binary(
        "Mul", kNumbersAndComplex, "x * y; integers wrap around.",
        [](Context& c) { set_both(c, c.grad() * conj(c.input(1)), c.grad() * conj(c.input(0))); },
        true),
    binary("RealDiv", kFloatsAndComplex, "x / y.", divide_gradient),
    binary("Div", kNumbersAndComplex,
           "x / y; for integers cut towards zero, and an error when y is 0.", divide_gradient),
    binary("DivNoNan", kFloats, "x / y, and 0 where y is 0.",
           [](Context& c) {
             const Output x = c.input(0), y = c.input(1), g = c.grad();
             set_both(c, div_no_nan(g, y), g * div_no_nan(div_no_nan(-x, y), y));
           }),
    binary("FloorDiv", kNumbers,
           "x / y rounded towards minus infinity; for integers an error when y is 0. Its gradient "
           "is zero.",
           [](Context& c) {
             c.set(0, zeros_like(c.input(0)));
             c.set(1, zeros_like(c.input(1)));
           }),
    binary(
        "FloorMod", kNumbers,
        "x - y * floor(x / y), which has the sign of y; for integers an error when y is 0.",
        [](Context& c) { set_both(c, c.grad(), -c.grad() * floor_div(c.input(0), c.input(1))); }),
    {.name = "TruncateDiv",
     .inputs = {rows::kLeft, rows::kRight},
     .outputs = {"z: T | The broadcast shape."},
     .attrs = {kIntegers},
     .doc = "x / y cut towards zero; an error when y is 0.",
     .shape = shape_functions::broadcast_inputs,
     .no_gradient = "it divides integers"},
    binary("Pow", kSigned,
           "x to the power y. Integers wrap around, and a negative y is an error. The gradient by "
           "y is 0 where x <= 0.",
           pow_gradient),
    {.name = "Atan2",
     .inputs = {"y: T | Ordinate.", "x: T | Abscissa; the shapes are broadcast."},
     .outputs = {"z: T | The broadcast shape."},
     .attrs = {kFloats},
     .doc = "Angle in [-pi, pi] from the positive x axis to the point (x, y).",
     .shape = shape_functions::broadcast_inputs,
     .gradient = atan2_gradient},
    binary(
        "Maximum", kNumbers,
        "The larger of x and y; NaN when either is. Where they are equal the gradient goes to x.",
        [](Context& c) { chosen_gradient(c, greater_equal(c.input(0), c.input(1))); }, true),
    binary(
        "Minimum", kNumbers,
        "The smaller of x and y; NaN when either is. Where they are equal the gradient goes to x.",
        [](Context& c) { chosen_gradient(c, less_equal(c.input(0), c.input(1))); }, true),
    binary("SquaredDifference", kNumbers, "(x - y)^2; integers wrap around.",
           squared_difference_gradient, true),

    {.name = "AddN",
     .inputs = {"inputs: N * T | Tensors of one shape."},
     .outputs = {"sum: T | Their shape."},
     .attrs = {"N: int >= 1 | How many.",
               "T: {float, double, bfloat16, half, int8, int16, int32, int64, uint8, uint16, "
               "uint32, uint64, complex64, complex128, variant} | Element type."},
     .doc = "Sum of tensors, in their order; nothing is broadcast. Integers wrap around. Lists are "
            "added item by item.",
     .shape = rows::one_shape,
     .gradient =
         [](Context& c) {
           for (int i = 0; i < c.num_inputs(); ++i) c.set(i, c.grad());
         }},

    {.name = "BroadcastGradientArgs",
     .inputs = {"s0: T | Shape of the first operand, `[rank0]`.",
                "s1: T | Shape of the second operand, `[rank1]`."},
     .outputs = {"r0: T | Axes of the result to sum over for the first operand's gradient.",
                 "r1: T | The same for the second operand."},
     .attrs = {"T: {int32, int64} = int32 | Type of the vectors."},
     .doc = "The axes along which each of two operands is repeated when they are broadcast "
            "together. Dimensions missing in "
            "front count as 1; an axis that is 1 in both is listed for both.",
     .shape =
         [](ShapeContext& context) {
           for (int i = 0; i < 2; ++i) {
             context.with_rank(i, 1);
             context.set_output(i, Shape::unknown_of_rank(1));
           }
         },
     .no_gradient = "the axes are integers"},
};

}  // namespace

std::span<const OpDef> binary_ops() { return kOps; }

}  // namespace thalweg
