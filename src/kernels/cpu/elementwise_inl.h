// Turns an operator on vectors into a function on arrays, and finds it in a table by name.
// Per-target header, see vec_inl.h.
#if defined(THALWEG_KERNELS_CPU_ELEMENTWISE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef THALWEG_KERNELS_CPU_ELEMENTWISE_INL_H_
#undef THALWEG_KERNELS_CPU_ELEMENTWISE_INL_H_
#else
#define THALWEG_KERNELS_CPU_ELEMENTWISE_INL_H_
#endif

#include <string_view>

#include "kernels/cpu/vec_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {

template <class Op, int kUnroll>
void map_unary(const float* x, float* y, int64_t n) {
  sweep<kUnroll>(
      n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA { io.store(Op()(io.load(x + i)), y + i); });
}

template <class Op, int kUnroll>
void map_binary(const float* a, const float* b, float* y, int64_t n) {
  sweep<kUnroll>(n, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    io.store(Op()(io.load(a + i), io.load(b + i)), y + i);
  });
}

template <class Op>
void map_scalar_second(const float* a, float b, float* y, int64_t n) {
  const V scalar = set(b);
  sweep<4>(n, [=](auto io, int64_t i)
                  THALWEG_SIMD_LAMBDA { io.store(Op()(io.load(a + i), scalar), y + i); });
}

template <class Op>
void map_scalar_first(const float* a, float b, float* y, int64_t n) {
  const V scalar = set(b);
  sweep<4>(n, [=](auto io, int64_t i)
                  THALWEG_SIMD_LAMBDA { io.store(Op()(scalar, io.load(a + i)), y + i); });
}

template <class Function>
struct Named {
  std::string_view op;
  Function function;
};

template <class Function, size_t kSize>
Function find_named(const Named<Function> (&table)[kSize], std::string_view op) {
  for (const Named<Function>& row : table) {
    if (row.op == op) return row.function;
  }
  return nullptr;
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
