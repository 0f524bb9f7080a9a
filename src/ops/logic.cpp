// Ops about truth: tests of one tensor, comparisons of two, logical connectives, and the choice
// between two tensors.
#include "ops/add_op.h"
#include "ops/binary_rows.h"
#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/broadcast.h"

namespace thalweg {
namespace {

using Context = GradientContext;

constexpr std::string_view kBoolResult = "the result is bool";
constexpr const char* kAnyType =
    "T: {float, double, bfloat16, half, int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
    "bool, string} | "
    "Element type.";

constexpr OpDef test(std::string_view name, std::string_view doc) {
  return {.name = name,
          .inputs = {"x: T | Any shape."},
          .outputs = {"y: bool | The shape of `x`."},
          .attrs = {rows::kFloats},
          .doc = doc,
          .shape = shape_functions::same_as_input,
          .no_gradient = kBoolResult};
}

constexpr OpDef comparison(std::string_view name, std::string_view doc) {
  return {.name = name,
          .inputs = {rows::kLeft, rows::kRight},
          .outputs = {"z: bool | The broadcast shape."},
          .attrs = {rows::kNumbers},
          .doc = doc,
          .shape = shape_functions::broadcast_inputs,
          .no_gradient = kBoolResult};
}

void equality_shape(ShapeContext& context) {
  const Shape& a = context.input(0);
  const Shape& b = context.input(1);
  if (context.attr<bool>("incompatible_shape_error"))
    return shape_functions::broadcast_inputs(context);
  if (!can_broadcast(a, b)) return context.set_output(0, Shape{});
  const bool known = a.is_fully_defined() && b.is_fully_defined();
  context.set_output(0, known ? broadcast(a, b) : Shape::unknown());
}

constexpr OpDef equality(std::string_view name, std::string_view doc) {
  return {.name = name,
          .inputs = {rows::kLeft, rows::kRight},
          .outputs = {"z: bool | The broadcast shape."},
          .attrs = {kAnyType,
                    "incompatible_shape_error: bool = true | Whether shapes that do not broadcast "
                    "are an error; otherwise "
                    "the tensors differ as wholes, and the result is a scalar."},
          .doc = doc,
          .shape = equality_shape,
          .no_gradient = kBoolResult,
          .commutative = true};
}

constexpr OpDef connective(std::string_view name, std::string_view doc) {
  return {
      .name = name,
      .inputs = {"x: bool | Left operand.", "y: bool | Right operand; the shapes are broadcast."},
      .outputs = {"z: bool | The broadcast shape."},
      .doc = doc,
      .shape = shape_functions::broadcast_inputs,
      .no_gradient = kBoolResult,
      .commutative = true};
}

// TensorFlow's first Select: t and e have one shape, and the condition that shape, or one bool for
// all, or one a row.
void select_shape(ShapeContext& context) {
  const Shape& condition = context.input(0);
  if (!context.input(1).is_compatible_with(context.input(2))) {
    throw context.error("inputs `t` and `e` must have one shape, got ", context.input(1), " and ",
                        context.input(2));
  }
  const Shape shape = context.input(1).merge(context.input(2));
  context.set_output(0, shape);
  if (!condition.has_rank() || !shape.has_rank() || condition.rank() == 0 ||
      condition.is_compatible_with(shape))
    return;
  if (condition.rank() == 1 && shape.rank() >= 1 && condition.is_compatible_with(shape.slice(0, 1)))
    return;
  throw context.error("input `condition` must be a scalar, have the shape of `t`, ", shape,
                      ", or be a vector with one value for each of its rows, got ", condition);
}

constexpr OpDef kOps[] = {
    test("IsNan", "Whether x is not a number."),
    test("IsInf", "Whether x is infinite, of either sign."),
    test("IsFinite", "Whether x is neither infinite nor NaN."),

    comparison("Less", "x < y; false beside NaN."),
    comparison("LessEqual", "x <= y; false beside NaN."),
    comparison("Greater", "x > y; false beside NaN."),
    comparison("GreaterEqual", "x >= y; false beside NaN."),
    equality("Equal", "x == y; false beside NaN."),
    equality("NotEqual", "x != y; true beside NaN."),

    {.name = "LogicalNot",
     .inputs = {"x: bool | Any shape."},
     .outputs = {"y: bool | The shape of `x`."},
     .doc = "Not x.",
     .shape = shape_functions::same_as_input,
     .no_gradient = kBoolResult},
    connective("LogicalAnd", "x and y."),
    connective("LogicalOr", "x or y."),

    {.name = "SelectV2",
     .inputs = {"condition: bool | Which to take.", "t: T | Where the condition is true.",
                "e: T | Where it is false."},
     .outputs = {"output: T | The shape that all three broadcast to."},
     .attrs = {kAnyType},
     .doc = "Takes each element from `t` or `e`. Nothing flows back, not even NaN, from an element "
            "that was not taken.",
     .shape =
         [](ShapeContext& context) {
           context.set_output(
               0, broadcast(broadcast(context.input(1), context.input(2)), context.input(0)));
         },
     .gradient =
         [](Context& c) {
           c.set(1, sum_to_shape_of(select(c.input(0), c.grad(), 0.0), c.input(1)));
           c.set(2, sum_to_shape_of(select(c.input(0), 0.0, c.grad()), c.input(2)));
         }},
    {.name = "Select",
     .inputs = {"condition: bool | Which to take: a scalar, a vector with one value a row, or the "
                "shape of `t`.",
                "t: T | Where the condition is true.",
                "e: T | Where it is false; the shape of `t`."},
     .outputs = {"output: T | The shape of `t`."},
     .attrs = {kAnyType},
     .doc = "Takes each element (or row) from `t` or `e`; nothing is broadcast. SelectV2 is the "
            "newer one.",
     .shape = select_shape,
     .gradient =
         [](Context& c) {
           const Output zeros = zeros_like(c.grad());
           c.set(1, add_op("Select", {c.input(0), c.grad(), zeros}));
           c.set(2, add_op("Select", {c.input(0), zeros, c.grad()}));
         }},
};

}  // namespace

std::span<const OpDef> logic_ops() { return kOps; }

}  // namespace thalweg
