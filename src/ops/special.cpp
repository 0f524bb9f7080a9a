// Special functions, element by element.
#include "ops/add_op.h"
#include "ops/binary_rows.h"
#include "ops/families.h"
#include "thalweg/graph/gradient_context.h"
#include "thalweg/ops/array.h"
#include "thalweg/ops/binary.h"
#include "thalweg/ops/broadcast.h"
#include "thalweg/ops/numeric.h"
#include "thalweg/ops/unary.h"

namespace thalweg {
namespace {

using rows::binary;
using rows::kFloats;
using rows::set_both;
using rows::unary;
using Context = GradientContext;

constexpr double kPi = 3.14159265358979323846;
constexpr double kRootPi = 1.77245385090551602730;
constexpr const char* kDoubles = "T: {float, double} | Element type.";

Output apply(const char* op, Output x) { return add_op(op, {x}); }

// 1 where x differs from 0: what x log(y) and its like are linear in.
Output counts(Output x) { return cast(not_equal(x, 0.0), x.dtype()); }

// `formula` where x differs from 0, `limit` there; x is replaced by 1 so that nothing overflows.
template <class F>
Output except_zero(Output x, double limit, F formula) {
  const Output zero = equal(x, 0.0);
  return select(zero, limit, formula(select(zero, 1.0, x)));
}

template <int kSign>
void igamma_gradient(Context& c) {
  const Output a = c.input(0), x = c.input(1);
  const Output by_a = add_op("IgammaGradA", {a, x});
  const Output by_x = exp(-x + (a - 1.0) * log(x) - lgamma(a));
  set_both(c, kSign * c.grad() * by_a, kSign * c.grad() * by_x);
}

void betainc_shape(ShapeContext& c) {
  c.set_output(0, broadcast(broadcast(c.input(0), c.input(1)), c.input(2)));
}

// By x alone, as in TensorFlow; the derivatives by a and b have no closed form.
void betainc_gradient(Context& c) {
  const Output a = c.input(0), b = c.input(1), x = c.input(2);
  const Output log_beta = lgamma(a) + lgamma(b) - lgamma(a + b);
  const Output by_x = exp(xlog1py(b - 1.0, -x) + xlogy(a - 1.0, x) - log_beta);
  c.set(2, sum_to_shape_of(c.grad() * by_x, x));
}

void next_after_gradient(Context& c) {
  c.set(0, sum_to_shape_of(c.grad(), c.input(0), c.input(1)));
  c.set(1, zeros_like(c.input(1)));
}

constexpr OpDef kOps[] = {
    unary("Asinh", kFloats, "Inverse hyperbolic sine.",
          [](Context& c) { c.set(0, c.grad() / cosh(c.output())); }),
    unary("Acosh", kFloats, "Inverse hyperbolic cosine; NaN below 1.",
          [](Context& c) { c.set(0, c.grad() / sinh(c.output())); }),
    unary("Atanh", kFloats, "Inverse hyperbolic tangent; NaN outside [-1, 1].",
          [](Context& c) { c.set(0, c.grad() / (1.0 - square(c.input(0)))); }),
    unary("Erfc", kFloats, "1 - erf(x), exact also for large x.",
          [](Context& c) { c.set(0, c.grad() * (-2 / kRootPi * exp(-square(c.input(0))))); }),
    unary("Erfinv", kFloats, "The y with erf(y) = x; infinite at -1 and 1, NaN outside.",
          [](Context& c) { c.set(0, c.grad() * (kRootPi / 2 * exp(square(c.output())))); }),
    unary("Ndtri", kFloats, "Quantile of the standard normal distribution; NaN outside [0, 1].",
          [](Context& c) {
            constexpr double kRootTwoPi = 2.50662827463100050242;
            c.set(0, c.grad() * (kRootTwoPi * exp(square(c.output()) / 2.0)));
          }),
    unary("Lgamma", kFloats, "log|Gamma(x)|; infinite at 0 and negative integers.",
          [](Context& c) { c.set(0, c.grad() * digamma(c.input(0))); }),
    unary("Digamma", kFloats, "Derivative of Lgamma; NaN at 0 and negative integers.",
          [](Context& c) { c.set(0, c.grad() * polygamma(1.0, c.input(0))); }),

    unary("BesselI0", kFloats, "Modified Bessel function of the first kind, order 0.",
          [](Context& c) { c.set(0, c.grad() * apply("BesselI1", c.input(0))); }),
    unary("BesselI1", kFloats, "Modified Bessel function of the first kind, order 1.",
          [](Context& c) {
            const auto formula = [&](Output x) { return apply("BesselI0", x) - c.output() / x; };
            c.set(0, c.grad() * except_zero(c.input(0), 0.5, formula));
          }),
    unary("BesselI0e", kFloats, "exp(-|x|) times BesselI0.",
          [](Context& c) {
            const Output x = c.input(0);
            c.set(0, c.grad() * (bessel_i1e(x) - sign(x) * c.output()));
          }),
    unary("BesselI1e", kFloats, "exp(-|x|) times BesselI1.",
          [](Context& c) {
            const auto formula = [&](Output x) {
              return bessel_i0e(x) - c.output() * (sign(x) + reciprocal(x));
            };
            c.set(0, c.grad() * except_zero(c.input(0), 0.5, formula));
          }),
    unary("BesselK0", kFloats, "Modified Bessel function of the second kind, order 0.",
          [](Context& c) { c.set(0, -c.grad() * apply("BesselK1", c.input(0))); }),
    unary("BesselK1", kFloats, "Modified Bessel function of the second kind, order 1.",
          [](Context& c) {
            const Output x = c.input(0);
            c.set(0, c.grad() * (-apply("BesselK0", x) - c.output() / x));
          }),
    unary("BesselK0e", kFloats, "exp(x) times BesselK0.",
          [](Context& c) { c.set(0, c.grad() * (c.output() - apply("BesselK1e", c.input(0)))); }),
    unary("BesselK1e", kFloats, "exp(x) times BesselK1.",
          [](Context& c) {
            const Output x = c.input(0);
            c.set(0, c.grad() * (c.output() * (1.0 - reciprocal(x)) - apply("BesselK0e", x)));
          }),
    unary("BesselJ0", kFloats, "Bessel function of the first kind, order 0.",
          [](Context& c) { c.set(0, -c.grad() * apply("BesselJ1", c.input(0))); }),
    unary("BesselJ1", kFloats, "Bessel function of the first kind, order 1.",
          [](Context& c) {
            const auto formula = [&](Output x) { return apply("BesselJ0", x) - c.output() / x; };
            c.set(0, c.grad() * except_zero(c.input(0), 0.5, formula));
          }),
    unary("BesselY0", kFloats, "Bessel function of the second kind, order 0.",
          [](Context& c) { c.set(0, -c.grad() * apply("BesselY1", c.input(0))); }),
    unary("BesselY1", kFloats, "Bessel function of the second kind, order 1.",
          [](Context& c) {
            const Output x = c.input(0);
            c.set(0, c.grad() * (apply("BesselY0", x) - c.output() / x));
          }),
    unary("Dawsn", kFloats, "Dawson's integral: exp(-x^2) times that of exp(t^2) from 0 to x.",
          [](Context& c) { c.set(0, c.grad() * (1.0 - 2.0 * c.input(0) * c.output())); }),
    unary("Expint", kFloats, "Exponential integral Ei; -inf at 0, NaN below.",
          [](Context& c) { c.set(0, c.grad() * (exp(c.input(0)) / c.input(0))); }),
    unary("FresnelCos", kFloats, "Integral of cos(pi t^2 / 2) from 0 to x.",
          [](Context& c) { c.set(0, c.grad() * cos(kPi / 2 * square(c.input(0)))); }),
    unary("FresnelSin", kFloats, "Integral of sin(pi t^2 / 2) from 0 to x.",
          [](Context& c) { c.set(0, c.grad() * sin(kPi / 2 * square(c.input(0)))); }),
    unary("Spence", kFloats, "Integral of -log(t) / (t - 1) from 1 to x; NaN below 0.",
          [](Context& c) {
            const Output x = c.input(0);
            const Output one = equal(x, 1.0);
            const Output slope = log(x) / (1.0 - select(one, 0.0, x));
            c.set(0, c.grad() * select(one, -1.0, slope));
          }),

    {.name = "Polygamma",
     .inputs = {"a: T | Order, a natural number; NaN for others.", "x: T | Broadcast with it."},
     .outputs = {"z: T | The broadcast shape."},
     .attrs = {kDoubles},
     .doc = "The a-th derivative of Digamma. TensorFlow's gradient too is by x alone.",
     .shape = shape_functions::broadcast_inputs,
     .gradient =
         [](Context& c) {
           const Output a = c.input(0), x = c.input(1);
           c.set(1, sum_to_shape_of(c.grad() * polygamma(a + 1.0, x), x, a));
         }},
    {.name = "Zeta",
     .inputs = {"x: T | Exponent, above 1.", "q: T | Where the sum begins; broadcast with it."},
     .outputs = {"z: T | The broadcast shape."},
     .attrs = {kDoubles},
     .doc = "Hurwitz zeta: the sum of (q + n)^-x from n = 0. TensorFlow's gradient too is by q "
            "alone.",
     .shape = shape_functions::broadcast_inputs,
     .gradient =
         [](Context& c) {
           const Output x = c.input(0), q = c.input(1);
           c.set(1, sum_to_shape_of(c.grad() * (-x * zeta(x + 1.0, q)), q, x));
         }},
    {.name = "Igamma",
     .inputs = {"a: T | Positive.", "x: T | Not negative; broadcast with it."},
     .outputs = {"z: T | The broadcast shape."},
     .attrs = {kFloats},
     .doc = "Lower regularized incomplete gamma function P(a, x).",
     .shape = shape_functions::broadcast_inputs,
     .gradient = igamma_gradient<1>},
    {.name = "Igammac",
     .inputs = {"a: T | Positive.", "x: T | Not negative; broadcast with it."},
     .outputs = {"z: T | The broadcast shape."},
     .attrs = {kFloats},
     .doc = "Upper regularized incomplete gamma function, 1 - Igamma.",
     .shape = shape_functions::broadcast_inputs,
     .gradient = igamma_gradient<-1>},
    {.name = "IgammaGradA",
     .inputs = {"a: T | Positive.", "x: T | Not negative; broadcast with it."},
     .outputs = {"z: T | The broadcast shape."},
     .attrs = {kDoubles},
     .doc = "Derivative of Igamma by a.",
     .shape = shape_functions::broadcast_inputs,
     .no_gradient = "TensorFlow has none: second derivatives by a have no op"},
    {.name = "RandomGammaGrad",
     .inputs = {"alpha: T | Shape parameters, positive.",
                "sample: T | Gamma numbers of them; broadcast with it."},
     .outputs = {"output: T | The broadcast shape."},
     .attrs = {kDoubles},
     .doc = "Derivative of RandomGamma's numbers by alpha.",
     .shape = shape_functions::broadcast_inputs,
     .no_gradient = "TensorFlow has none: second derivatives by alpha have no op"},
    {.name = "Betainc",
     .inputs = {"a: T | Positive.", "b: T | Positive.", "x: T | In [0, 1]; all are broadcast."},
     .outputs = {"z: T | The broadcast shape."},
     .attrs = {kDoubles},
     .doc = "Regularized incomplete beta function. TensorFlow's gradient too is by x alone.",
     .shape = betainc_shape,
     .gradient = betainc_gradient},

    binary("Xlogy", kFloats, "x * log(y), and 0 where x is 0.",
           [](Context& c) {
             const Output x = c.input(0), y = c.input(1), g = c.grad();
             set_both(c, g * xlogy(counts(x), y), g * xdivy(x, y));
           }),
    binary("Xlog1py", kFloats, "x * log1p(y), and 0 where x is 0.",
           [](Context& c) {
             const Output x = c.input(0), y = c.input(1), g = c.grad();
             set_both(c, g * xlog1py(counts(x), y), g * xdivy(x, y + 1.0));
           }),
    binary("Xdivy", kFloats, "x / y, and 0 where x is 0.",
           [](Context& c) {
             const Output x = c.input(0), y = c.input(1), g = c.grad();
             set_both(c, g * xdivy(counts(x), y), g * xdivy(-x, square(y)));
           }),
    binary("MulNoNan", kFloats, "x * y, and 0 where y is 0, whatever x is.",
           [](Context& c) {
             const Output x = c.input(0), y = c.input(1), g = c.grad();
             set_both(c, mul_no_nan(g, y), mul_no_nan(x, g));
           }),
    {.name = "NextAfter",
     .inputs = {"x1: T | From here.", "x2: T | Towards here; the shapes are broadcast."},
     .outputs = {"output: T | The broadcast shape."},
     .attrs = {"T: {double, float} = float | Element type."},
     .doc = "The next number of the type.",
     .shape = shape_functions::broadcast_inputs,
     .gradient = next_after_gradient},
};

}  // namespace

std::span<const OpDef> special_ops() { return kOps; }

}  // namespace thalweg
