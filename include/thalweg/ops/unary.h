// Element-wise functions of one tensor. Each adds one node of the TensorFlow op that its comment
// names; the result has the shape of `x`. They take one argument, so that they can be passed as
// they are (`.activation = relu`); to give a result a name of its own, use identity(x, {.name =
// ...}).
#pragma once

#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

// Arithmetic: any numeric dtype that the op's row allows.
Output neg(Output x);         ///< -x. Neg
Output abs(Output x);         ///< |x|. Abs
Output sign(Output x);        ///< -1, 0 or 1; NaN stays NaN. Sign
Output square(Output x);      ///< x * x. Square
Output reciprocal(Output x);  ///< 1 / x. Reciprocal

// Exponentials, logarithms, roots: floating dtypes.
Output exp(Output x);    ///< Exp
Output expm1(Output x);  ///< exp(x) - 1, exact near 0. Expm1
Output log(Output x);    ///< Natural logarithm; NaN below 0, -inf at 0. Log
Output log1p(Output x);  ///< log(1 + x), exact near 0. Log1p
Output sqrt(Output x);   ///< NaN below 0. Sqrt
Output rsqrt(Output x);  ///< 1 / sqrt(x). Rsqrt
Output erf(Output x);    ///< Gauss error function. Erf

// Trigonometric and hyperbolic, radians: floating dtypes.
Output sin(Output x);   ///< Sin
Output cos(Output x);   ///< Cos
Output tan(Output x);   ///< Tan
Output asin(Output x);  ///< Asin
Output acos(Output x);  ///< Acos
Output atan(Output x);  ///< Atan
Output sinh(Output x);  ///< Sinh
Output cosh(Output x);  ///< Cosh
Output tanh(Output x);  ///< Tanh

// Rounding; their gradient is zero.
Output floor(Output x);  ///< Floor
Output ceil(Output x);   ///< Ceil
Output round(Output x);  ///< To nearest, halves to even; integers unchanged. Round
Output rint(Output x);   ///< To nearest, halves to even; floating dtypes only. Rint

// Activations.
Output relu(Output x);      ///< max(x, 0); NaN stays NaN. Relu
Output relu6(Output x);     ///< min(max(x, 0), 6). Relu6
Output elu(Output x);       ///< x, or exp(x) - 1 below 0. Elu
Output selu(Output x);      ///< Scaled elu (Klambauer et al. 2017). Selu
Output sigmoid(Output x);   ///< 1 / (1 + exp(-x)). Sigmoid
Output softplus(Output x);  ///< log(1 + exp(x)), without overflow. Softplus
Output softsign(Output x);  ///< x / (1 + |x|). Softsign

struct LeakyReluOptions {
  float alpha = 0.2f;  ///< slope below 0
  std::string name = {};
};
/// x, or alpha * x below 0. LeakyRelu
Output leaky_relu(Output x, const LeakyReluOptions& options = {});

/// x * P(X <= x) for X standard normal, exactly (by erf): 0.5 * x * (1 + erf(x / sqrt(2)))
/// (Hendrycks and Gimpel 2016). A composition, not an op.
Output gelu(Output x);

struct CastOptions {
  bool truncate = false;  ///< to a narrower floating dtype: cut the mantissa rather than round it
  std::string name = {};
};
/// `x` as `dtype`; `x` itself when it is that already. Floats to integers cut towards zero, numbers
/// to bool tell whether they differ from 0, bools become 0 and 1. What an integer type cannot hold
/// keeps its low bits; NaN, infinity and what is beyond 2^64 become 0. Cast
Output cast(Output x, DType dtype, const CastOptions& options = {});

// Tests; the result is bool.
Output logical_not(Output x);  ///< `x` is bool. LogicalNot
Output is_nan(Output x);       ///< IsNan
Output is_inf(Output x);       ///< Either infinity. IsInf
Output is_finite(Output x);    ///< IsFinite

}  // namespace thalweg
