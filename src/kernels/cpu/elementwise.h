// Elementwise float32 kernels on plain pointers, found by TensorFlow's op names.
//
// Each function runs on the calling thread over n >= 0 elements, allocates nothing, needs no
// alignment, and allows the output to be one of the inputs (but not to overlap it otherwise).
// NaN in gives NaN out, infinities and subnormals give what the exact function gives.
#pragma once

#include <cstdint>
#include <string_view>

namespace thalweg::simd {

using UnaryFn = void (*)(const float* x, float* y, int64_t n);
using BinaryFn = void (*)(const float* a, const float* b, float* y, int64_t n);
using TernaryFn = void (*)(const float* a, const float* b, const float* c, float* y, int64_t n);
using BinaryScalarFn = void (*)(const float* a, float b, float* y, int64_t n);
using CompareFn = void (*)(const float* a, const float* b, uint8_t* y, int64_t n);

/// Which operand of a binary op is the single value.
enum class ScalarSide { kFirst, kSecond };

/// Abs Acos Asin Atan Ceil Cos Cosh Elu Erf Erfc Exp Expm1 Floor Inv Log Log1p Neg Reciprocal Relu
/// Relu6 Rint Round Rsqrt Selu Sigmoid Sign Sin Sinh Softplus Softsign Sqrt Square Tan Tanh; null
/// for another op. Round and Rint go to even at halves, as TensorFlow's do.
UnaryFn find_unary(std::string_view op);

/// Add AddV2 Sub Mul Div RealDiv DivNoNan Maximum Minimum SquaredDifference Pow, and the gradients
/// EluGrad InvGrad ReciprocalGrad Relu6Grad ReluGrad RsqrtGrad SeluGrad SigmoidGrad SoftplusGrad
/// SoftsignGrad SqrtGrad TanhGrad with TensorFlow's argument order; null for another op. Maximum
/// and Minimum give NaN when either operand is NaN.
BinaryFn find_binary(std::string_view op);

/// y = op(a, b) or, with ScalarSide::kFirst, op(b, a), where b is one value: Add AddV2 Sub Mul Div
/// RealDiv Maximum Minimum SquaredDifference; null for another op.
BinaryScalarFn find_binary_scalar(std::string_view op, ScalarSide side);

/// _MulAdd: a * b + c, rounded once where the CPU can; null for another op.
TernaryFn find_ternary(std::string_view op);

/// Less LessEqual Greater GreaterEqual Equal NotEqual, writing 0 or 1; null for another op.
CompareFn find_compare(std::string_view op);

/// y = condition ? a : b, for each element; any byte but 0 is true.
void select(const uint8_t* condition, const float* a, const float* b, float* y, int64_t n);

/// LeakyRelu: x > 0 ? x : alpha x.
void leaky_relu(const float* x, float alpha, float* y, int64_t n);

/// LeakyReluGrad: x > 0 ? dy : alpha dy, for the input x of the forward op.
void leaky_relu_grad(const float* dy, const float* x, float alpha, float* dx, int64_t n);

}  // namespace thalweg::simd
