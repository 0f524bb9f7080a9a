// The builder functions and operators of thalweg/ops/binary.h.
#include <cmath>
#include <limits>

#include "ops/add_op.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

bool dtype_holds(DType dtype, double number) {
  if (is_floating(dtype) || is_complex(dtype)) return true;
  return visit_dtype(dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>) {
      // The largest 64-bit integers are no doubles; the power of two behind them is.
      constexpr double kEnd =
          std::is_same_v<T, bool>
              ? 2.0
              : 2.0 * static_cast<double>(std::numeric_limits<T>::max() / 2 + 1);
      return std::trunc(number) == number &&
             number >= static_cast<double>(std::numeric_limits<T>::lowest()) && number < kEnd;
    }
    return false;
  });
}

// `operand` as an Output; a number takes dtype and graph of `other`.
Output resolve(std::string_view op, const Operand& operand, const Operand& other) {
  if (!operand.is_number()) return operand.value();
  if (other.is_number() || !other.value())
    throw invalid_argument(op,
                           " needs an Output among its operands, which says in which graph; "
                           "constant(graph, ...) makes one");
  const Output like = other.value();
  if (!dtype_holds(like.dtype(), operand.number())) {
    throw invalid_argument(op, ": the number ", operand.number(), " is no ", like.dtype(),
                           " as the operand `", like.name(), "` is; cast that operand first");
  }
  return scalar_like(like, operand.number());
}

Output binary(std::string_view op, const Operand& a, const Operand& b, AttrMap attrs = {},
              std::string name = {}) {
  const Output left = resolve(op, a, b);
  return add_op(op, {left, resolve(op, b, a)}, std::move(attrs), std::move(name));
}

Output divide(const Operand& a, const Operand& b) {
  const Output known = a.is_number() ? b.value() : a.value();
  if (known && is_integer(known.dtype())) {
    throw invalid_argument("operator/ divides floats, and `", known.name(), "` is ", known.dtype(),
                           ": call floor_div or truncate_div, or cast first");
  }
  return binary("RealDiv", a, b);
}

Output equality(std::string_view op, const Operand& a, const Operand& b,
                const EqualOptions& options) {
  return binary(op, a, b, {{"incompatible_shape_error", options.incompatible_shape_error}},
                options.name);
}

}  // namespace

Output operator-(Output x) { return neg(x); }
Output operator+(Output a, Output b) { return binary("AddV2", a, b); }
Output operator+(Output a, double b) { return binary("AddV2", a, b); }
Output operator+(double a, Output b) { return binary("AddV2", a, b); }
Output operator-(Output a, Output b) { return binary("Sub", a, b); }
Output operator-(Output a, double b) { return binary("Sub", a, b); }
Output operator-(double a, Output b) { return binary("Sub", a, b); }
Output operator*(Output a, Output b) { return binary("Mul", a, b); }
Output operator*(Output a, double b) { return binary("Mul", a, b); }
Output operator*(double a, Output b) { return binary("Mul", a, b); }
Output operator/(Output a, Output b) { return divide(a, b); }
Output operator/(Output a, double b) { return divide(a, b); }
Output operator/(double a, Output b) { return divide(a, b); }

Output add(Operand a, Operand b) { return binary("AddV2", a, b); }
Output sub(Operand a, Operand b) { return binary("Sub", a, b); }
Output mul(Operand a, Operand b) { return binary("Mul", a, b); }
Output real_div(Operand a, Operand b) { return binary("RealDiv", a, b); }
Output div_no_nan(Operand a, Operand b) { return binary("DivNoNan", a, b); }
Output floor_div(Operand a, Operand b) { return binary("FloorDiv", a, b); }
Output floor_mod(Operand a, Operand b) { return binary("FloorMod", a, b); }
Output truncate_div(Operand a, Operand b) { return binary("TruncateDiv", a, b); }
Output pow(Operand a, Operand b) { return binary("Pow", a, b); }
Output atan2(Operand y, Operand x) { return binary("Atan2", y, x); }
Output squared_difference(Operand a, Operand b) { return binary("SquaredDifference", a, b); }
Output maximum(Operand a, Operand b) { return binary("Maximum", a, b); }
Output minimum(Operand a, Operand b) { return binary("Minimum", a, b); }

Output less(Operand a, Operand b) { return binary("Less", a, b); }
Output less_equal(Operand a, Operand b) { return binary("LessEqual", a, b); }
Output greater(Operand a, Operand b) { return binary("Greater", a, b); }
Output greater_equal(Operand a, Operand b) { return binary("GreaterEqual", a, b); }
Output equal(Operand a, Operand b, const EqualOptions& options) {
  return equality("Equal", a, b, options);
}
Output not_equal(Operand a, Operand b, const EqualOptions& options) {
  return equality("NotEqual", a, b, options);
}

Output logical_and(Output a, Output b) { return add_op("LogicalAnd", {a, b}); }
Output logical_or(Output a, Output b) { return add_op("LogicalOr", {a, b}); }

Output select(Output condition, Operand a, Operand b) {
  const Output chosen = resolve("SelectV2", a, b);
  return add_op("SelectV2", {condition, chosen, resolve("SelectV2", b, a)});
}

Output add_n(std::span<const Output> inputs, const AddNOptions& options) {
  if (inputs.empty()) throw invalid_argument("add_n needs at least one tensor");
  return add_op("AddN", {inputs.begin(), inputs.end()}, {}, options.name);
}

}  // namespace thalweg
