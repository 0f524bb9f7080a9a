#include "ops/add_op.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/numeric.h"

namespace thalweg {
namespace {

// A number becomes a constant of the other operand's type.
Output value_of(const Operand& x, const Operand& other) {
  if (!x.is_number()) return x.value();
  if (other.is_number() || !other.value())
    throw invalid_argument("an operand must be an Output: there is no graph to add to");
  const Output like = other.value();
  return constant(like.graph(), Tensor(x.number()).cast(like.dtype()));
}

Output two(const char* op, const Operand& a, const Operand& b) {
  return add_op(op, {value_of(a, b), value_of(b, a)});
}

Output count(Output x, int64_t value, DType dtype = kInt32) {
  return constant(x.graph(), Tensor(value).cast(dtype));
}

}  // namespace

Output clip_by_value(Output x, Operand low, Operand high, const NumericOptions& options) {
  return add_op("ClipByValue", {x, value_of(low, x), value_of(high, x)}, {}, options.name);
}

Output cross(Output a, Output b, const NumericOptions& options) {
  return add_op("Cross", {a, b}, {}, options.name);
}

Output euclidean_norm(Output x, const IntVector& axes, const NormOptions& options) {
  return add_op("EuclideanNorm", {x, axes.in(x.graph())}, {{"keep_dims", options.keep_dims}},
                options.name);
}

Output nth_element(Output x, int64_t n, const NthElementOptions& options) {
  return add_op("NthElement", {x, count(x, n)}, {{"reverse", options.reverse}}, options.name);
}

Output cumulative_logsumexp(Output x, int64_t axis, const CumulativeLogsumexpOptions& options) {
  return add_op("CumulativeLogsumexp", {x, count(x, axis)},
                {{"exclusive", options.exclusive}, {"reverse", options.reverse}}, options.name);
}

Output asinh(Output x) { return add_op("Asinh", {x}); }
Output acosh(Output x) { return add_op("Acosh", {x}); }
Output atanh(Output x) { return add_op("Atanh", {x}); }
Output erfc(Output x) { return add_op("Erfc", {x}); }
Output erfinv(Output x) { return add_op("Erfinv", {x}); }
Output ndtri(Output x) { return add_op("Ndtri", {x}); }
Output lgamma(Output x) { return add_op("Lgamma", {x}); }
Output digamma(Output x) { return add_op("Digamma", {x}); }
Output bessel_i0e(Output x) { return add_op("BesselI0e", {x}); }
Output bessel_i1e(Output x) { return add_op("BesselI1e", {x}); }

Output polygamma(Operand a, Operand x) { return two("Polygamma", a, x); }
Output zeta(Operand x, Operand q) { return two("Zeta", x, q); }
Output igamma(Operand a, Operand x) { return two("Igamma", a, x); }
Output igammac(Operand a, Operand x) { return two("Igammac", a, x); }
Output betainc(Output a, Output b, Output x) { return add_op("Betainc", {a, b, x}); }
Output xlogy(Operand x, Operand y) { return two("Xlogy", x, y); }
Output xlog1py(Operand x, Operand y) { return two("Xlog1py", x, y); }
Output xdivy(Operand x, Operand y) { return two("Xdivy", x, y); }
Output mul_no_nan(Operand x, Operand y) { return two("MulNoNan", x, y); }
Output next_after(Operand x, Operand towards) { return two("NextAfter", x, towards); }

Output bitwise_and(Operand a, Operand b) { return two("BitwiseAnd", a, b); }
Output bitwise_or(Operand a, Operand b) { return two("BitwiseOr", a, b); }
Output bitwise_xor(Operand a, Operand b) { return two("BitwiseXor", a, b); }
Output bitwise_not(Output x) { return add_op("Invert", {x}); }
Output left_shift(Operand x, Operand by) { return two("LeftShift", x, by); }
Output right_shift(Operand x, Operand by) { return two("RightShift", x, by); }
Output population_count(Output x) { return add_op("PopulationCount", {x}); }

Output bucketize(Output x, const std::vector<float>& boundaries, const NumericOptions& options) {
  return add_op("Bucketize", {x}, {{"boundaries", boundaries}}, options.name);
}

Output histogram_fixed_width(Output values, Output range, int64_t bins,
                             const NumericOptions& options) {
  return add_op("HistogramFixedWidth", {values, range, count(values, bins)}, {}, options.name);
}

Output bincount(Output x, int64_t size, const BincountOptions& options) {
  const Output weights =
      options.weights ? options.weights : constant(x.graph(), Tensor::zeros(kInt32, Shape{0}));
  return add_op("DenseBincount", {x, count(x, size, x.dtype()), weights},
                {{"binary_output", options.binary}}, options.name);
}

Output in_top_k(Output predictions, Output targets, int64_t k, const NumericOptions& options) {
  return add_op("InTopKV2", {predictions, targets, count(targets, k, targets.dtype())}, {},
                options.name);
}

Output lower_bound(Output sorted, Output values, const NumericOptions& options) {
  return add_op("LowerBound", {sorted, values}, {}, options.name);
}

Output upper_bound(Output sorted, Output values, const NumericOptions& options) {
  return add_op("UpperBound", {sorted, values}, {}, options.name);
}

}  // namespace thalweg
