// The builder functions of thalweg/ops/unary.h.
#include "ops/add_op.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/numeric.h"
#include "thalweg/ops/unary.h"

namespace thalweg {

Output neg(Output x) { return add_op("Neg", {x}); }
Output abs(Output x) { return add_op("Abs", {x}); }
Output sign(Output x) { return add_op("Sign", {x}); }
Output square(Output x) { return add_op("Square", {x}); }
Output reciprocal(Output x) { return add_op("Reciprocal", {x}); }

Output exp(Output x) { return add_op("Exp", {x}); }
Output expm1(Output x) { return add_op("Expm1", {x}); }
Output log(Output x) { return add_op("Log", {x}); }
Output log1p(Output x) { return add_op("Log1p", {x}); }
Output sqrt(Output x) { return add_op("Sqrt", {x}); }
Output rsqrt(Output x) { return add_op("Rsqrt", {x}); }
Output erf(Output x) { return add_op("Erf", {x}); }

Output sin(Output x) { return add_op("Sin", {x}); }
Output cos(Output x) { return add_op("Cos", {x}); }
Output tan(Output x) { return add_op("Tan", {x}); }
Output asin(Output x) { return add_op("Asin", {x}); }
Output acos(Output x) { return add_op("Acos", {x}); }
Output atan(Output x) { return add_op("Atan", {x}); }
Output sinh(Output x) { return add_op("Sinh", {x}); }
Output cosh(Output x) { return add_op("Cosh", {x}); }
Output tanh(Output x) { return add_op("Tanh", {x}); }

Output floor(Output x) { return add_op("Floor", {x}); }
Output ceil(Output x) { return add_op("Ceil", {x}); }
Output round(Output x) { return add_op("Round", {x}); }
Output rint(Output x) { return add_op("Rint", {x}); }

Output relu(Output x) { return add_op("Relu", {x}); }
Output relu6(Output x) { return add_op("Relu6", {x}); }
Output elu(Output x) { return add_op("Elu", {x}); }
Output selu(Output x) { return add_op("Selu", {x}); }
Output sigmoid(Output x) { return add_op("Sigmoid", {x}); }
Output softplus(Output x) { return add_op("Softplus", {x}); }
Output softsign(Output x) { return add_op("Softsign", {x}); }

Output leaky_relu(Output x, const LeakyReluOptions& options) {
  return add_op("LeakyRelu", {x}, {{"alpha", options.alpha}}, options.name);
}

Output gelu(Output x) {
  constexpr double kSqrtHalf = 0.70710678118654752440;
  return 0.5 * x * erfc(x * -kSqrtHalf);
}

Output cast(Output x, DType dtype, const CastOptions& options) {
  if (x && x.dtype() == dtype)
    return options.name.empty() ? x : identity(x, {.name = options.name});
  return add_op("Cast", {x}, {{"DstT", dtype}, {"Truncate", options.truncate}}, options.name);
}

Output logical_not(Output x) { return add_op("LogicalNot", {x}); }
Output is_nan(Output x) { return add_op("IsNan", {x}); }
Output is_inf(Output x) { return add_op("IsInf", {x}); }
Output is_finite(Output x) { return add_op("IsFinite", {x}); }

}  // namespace thalweg
