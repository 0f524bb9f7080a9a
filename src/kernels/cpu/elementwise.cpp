#include "kernels/cpu/elementwise.h"

#include "kernels/cpu/elementwise_families.h"

namespace thalweg::simd {

UnaryFn find_unary(std::string_view op) {
  for (auto find : {find_unary_basic, find_unary_exp, find_unary_trig}) {
    if (UnaryFn function = find(op)) return function;
  }
  return nullptr;
}

BinaryFn find_binary(std::string_view op) {
  if (BinaryFn function = find_binary_arithmetic(op)) return function;
  return find_binary_grad(op);
}

}  // namespace thalweg::simd
