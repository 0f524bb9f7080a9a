// Element-wise functions of two tensors, and the operators + - * / on Outputs.
//
// Shapes are broadcast as in NumPy. Both operands have one dtype; nothing is converted silently,
// except that a plain number beside an Output becomes a scalar constant of that Output's dtype:
// `2.0 * x`, `maximum(x, 0)`.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// An argument that may be a number: it takes the dtype of the other one. A number that the dtype
/// cannot hold (2.5 or 300 beside an int8) is invalid_argument, and so is a call with numbers only.
class Operand {
 public:
  Operand(Output value) : value_(value) {}                       // NOLINT: implicit by design
  Operand(double number) : is_number_(true), number_(number) {}  // NOLINT
  bool is_number() const { return is_number_; }
  Output value() const { return value_; }
  double number() const { return number_; }

 private:
  bool is_number_ = false;
  Output value_;
  double number_ = 0;
};

Output operator-(Output x);
Output operator+(Output a, Output b);
Output operator+(Output a, double b);
Output operator+(double a, Output b);
Output operator-(Output a, Output b);
Output operator-(Output a, double b);
Output operator-(double a, Output b);
Output operator*(Output a, Output b);
Output operator*(Output a, double b);
Output operator*(double a, Output b);
/// RealDiv: floating dtypes; for integers say which division is meant, floor_div or truncate_div.
Output operator/(Output a, Output b);
Output operator/(Output a, double b);
Output operator/(double a, Output b);

// There are no comparison operators: == and < on Outputs compare the handles, as containers need.

Output add(Operand a, Operand b);         ///< AddV2
Output sub(Operand a, Operand b);         ///< Sub
Output mul(Operand a, Operand b);         ///< Mul
Output real_div(Operand a, Operand b);    ///< a / b, floating. RealDiv
Output div_no_nan(Operand a, Operand b);  ///< a / b, and 0 where b is 0. DivNoNan
Output floor_div(Operand a, Operand b);   ///< Towards minus infinity; integer b = 0 fails. FloorDiv
Output floor_mod(Operand a, Operand b);   ///< a - b * floor_div(a, b): the sign of b. FloorMod
Output truncate_div(Operand a, Operand b);  ///< Integers, towards zero; b = 0 fails. TruncateDiv
Output pow(Operand a, Operand b);           ///< a to the b; integers need b >= 0. Pow
Output atan2(Operand y, Operand x);         ///< Angle of (x, y), in [-pi, pi]. Atan2
Output squared_difference(Operand a, Operand b);  ///< (a - b)^2. SquaredDifference
/// NaN when either is NaN. Where both are equal the gradient goes to `a` alone. Maximum
Output maximum(Operand a, Operand b);
/// As maximum, also at ties. Minimum
Output minimum(Operand a, Operand b);

// Comparisons; the result is bool. False beside a NaN, but not_equal.
Output less(Operand a, Operand b);           ///< Less
Output less_equal(Operand a, Operand b);     ///< LessEqual
Output greater(Operand a, Operand b);        ///< Greater
Output greater_equal(Operand a, Operand b);  ///< GreaterEqual

struct EqualOptions {
  /// Whether shapes that do not broadcast are an error; otherwise the result is the scalar false
  /// (of not_equal: true).
  bool incompatible_shape_error = true;
  std::string name = {};
};
Output equal(Operand a, Operand b, const EqualOptions& options = {});      ///< Equal
Output not_equal(Operand a, Operand b, const EqualOptions& options = {});  ///< NotEqual

Output logical_and(Output a, Output b);  ///< bool. LogicalAnd
Output logical_or(Output a, Output b);   ///< bool. LogicalOr

/// `a` where `condition` (bool), else `b`; all three are broadcast. SelectV2
Output select(Output condition, Operand a, Operand b);

struct AddNOptions {
  std::string name = {};
};
/// The sum of at least one tensor, all of one dtype and shape; nothing is broadcast. AddN
Output add_n(std::span<const Output> inputs, const AddNOptions& options = {});
inline Output add_n(const std::vector<Output>& inputs, const AddNOptions& options = {}) {
  return add_n(std::span<const Output>(inputs), options);
}

}  // namespace thalweg
