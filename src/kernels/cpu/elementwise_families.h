// The families behind find_unary; each looks among its own ops only. Split to keep every
// translation unit quick to compile.
#pragma once

#include "kernels/cpu/elementwise.h"

namespace thalweg::simd {

UnaryFn find_unary_basic(std::string_view op);
UnaryFn find_unary_exp(std::string_view op);
UnaryFn find_unary_trig(std::string_view op);
BinaryFn find_binary_arithmetic(std::string_view op);
BinaryFn find_binary_grad(std::string_view op);

}  // namespace thalweg::simd
