// Numeric functions beyond arithmetic: clipping, norms, special functions, bits, counting.
//
// Each adds the TensorFlow op that its comment names (src/ops documents them in full). Operands of
// two-argument functions are broadcast.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "thalweg/ops/binary.h"
#include "thalweg/ops/int_vector.h"

namespace thalweg {

struct NumericOptions {
  std::string name = {};
};

/// max(min(x, high), low). ClipByValue
Output clip_by_value(Output x, Operand low, Operand high, const NumericOptions& options = {});
/// Cross products of vectors `[..., 3]`. Cross
Output cross(Output a, Output b, const NumericOptions& options = {});

struct NormOptions {
  bool keep_dims = false;
  std::string name = {};
};
/// Root of the sum of squares over axes. EuclideanNorm
Output euclidean_norm(Output x, const IntVector& axes, const NormOptions& options = {});

struct NthElementOptions {
  bool reverse = false;  ///< count from the largest
  std::string name = {};
};
/// The n-th smallest element along the last dimension, from 0. NthElement
Output nth_element(Output x, int64_t n, const NthElementOptions& options = {});

struct CumulativeLogsumexpOptions {
  bool exclusive = false;
  bool reverse = false;
  std::string name = {};
};
/// log(cumsum(exp(x))) without overflow. CumulativeLogsumexp
Output cumulative_logsumexp(Output x, int64_t axis, const CumulativeLogsumexpOptions& options = {});

// Special functions: floating dtypes.
Output asinh(Output x);       ///< Asinh
Output acosh(Output x);       ///< NaN below 1. Acosh
Output atanh(Output x);       ///< NaN outside [-1, 1]. Atanh
Output erfc(Output x);        ///< 1 - erf(x), exact for large x. Erfc
Output erfinv(Output x);      ///< The x that erf maps to the argument. Erfinv
Output ndtri(Output x);       ///< Quantile of the standard normal distribution. Ndtri
Output lgamma(Output x);      ///< log|Gamma(x)|. Lgamma
Output digamma(Output x);     ///< Derivative of lgamma. Digamma
Output bessel_i0e(Output x);  ///< exp(-|x|) I0(x). BesselI0e
Output bessel_i1e(Output x);  ///< exp(-|x|) I1(x). BesselI1e

Output polygamma(Operand a, Operand x);         ///< a-th derivative of digamma. Polygamma
Output zeta(Operand x, Operand q);              ///< Hurwitz zeta. Zeta
Output igamma(Operand a, Operand x);            ///< Lower regularized gamma. Igamma
Output igammac(Operand a, Operand x);           ///< Upper regularized gamma. Igammac
Output betainc(Output a, Output b, Output x);   ///< Regularized incomplete beta. Betainc
Output xlogy(Operand x, Operand y);             ///< x log(y), 0 where x is 0. Xlogy
Output xlog1py(Operand x, Operand y);           ///< x log1p(y), 0 where x is 0. Xlog1py
Output xdivy(Operand x, Operand y);             ///< x / y, 0 where x is 0. Xdivy
Output mul_no_nan(Operand x, Operand y);        ///< x * y, 0 where y is 0. MulNoNan
Output next_after(Operand x, Operand towards);  ///< The next number of the type. NextAfter

// Bits of integers.
Output bitwise_and(Operand a, Operand b);  ///< BitwiseAnd
Output bitwise_or(Operand a, Operand b);   ///< BitwiseOr
Output bitwise_xor(Operand a, Operand b);  ///< BitwiseXor
Output bitwise_not(Output x);              ///< Invert
Output left_shift(Operand x, Operand by);  ///< LeftShift
/// Keeps the sign. RightShift
Output right_shift(Operand x, Operand by);
/// Number of ones, uint8. PopulationCount
Output population_count(Output x);

/// Number of boundaries not above each element, int32. Bucketize
Output bucketize(Output x, const std::vector<float>& boundaries,
                 const NumericOptions& options = {});
/// How many elements of `values` lie in each of `bins` equal parts of range `[low, high]` (a vector
/// of two); those outside count at the ends. HistogramFixedWidth
Output histogram_fixed_width(Output values, Output range, int64_t bins,
                             const NumericOptions& options = {});
struct BincountOptions {
  Output weights = {};  ///< of the shape of x; without, int32 counts
  bool binary = false;  ///< whether a value occurs, rather than how often
  std::string name = {};
};
/// How often each of 0 to size - 1 occurs in `x`: `[size]`, or `[rows, size]` of a matrix.
/// DenseBincount
Output bincount(Output x, int64_t size, const BincountOptions& options = {});
/// Whether the target class is among the k most probable of each row of `[batch, classes]`.
/// InTopKV2
Output in_top_k(Output predictions, Output targets, int64_t k, const NumericOptions& options = {});
/// First places where values `[rows, m]` may be inserted into sorted rows `[rows, n]`; int32.
/// LowerBound
Output lower_bound(Output sorted, Output values, const NumericOptions& options = {});
/// The last such places. UpperBound
Output upper_bound(Output sorted, Output values, const NumericOptions& options = {});

}  // namespace thalweg
