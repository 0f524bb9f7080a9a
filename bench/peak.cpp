#include "peak.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <chrono>
#include <thread>
#include <vector>

namespace thalweg::bench {
namespace {

constexpr int kAccumulators = 16;  // all unrolled, in registers
constexpr int kRounds = 3000000;   // about 10 ms

struct Kernel {
  double (*run)();
  double flops;
};

#if defined(__x86_64__)

__attribute__((target("avx512f"))) double run_avx512() {
  __m512 sums[kAccumulators];
  for (int i = 0; i < kAccumulators; ++i) sums[i] = _mm512_set1_ps(static_cast<float>(i));
  const __m512 a = _mm512_set1_ps(0.999f), b = _mm512_set1_ps(0.001f);
  for (int r = 0; r < kRounds; ++r) {
#pragma GCC unroll 16
    for (int i = 0; i < kAccumulators; ++i) sums[i] = _mm512_fmadd_ps(sums[i], a, b);
  }
  float total = 0;
  for (int i = 0; i < kAccumulators; ++i) total += _mm512_reduce_add_ps(sums[i]);
  return total;
}

__attribute__((target("avx2,fma"))) double run_avx2() {
  __m256 sums[kAccumulators / 2];
  for (int i = 0; i < kAccumulators / 2; ++i) sums[i] = _mm256_set1_ps(static_cast<float>(i));
  const __m256 a = _mm256_set1_ps(0.999f), b = _mm256_set1_ps(0.001f);
  for (int r = 0; r < kRounds; ++r) {
#pragma GCC unroll 16
    for (int i = 0; i < kAccumulators / 2; ++i) sums[i] = _mm256_fmadd_ps(sums[i], a, b);
  }
  float total = 0;
  for (int i = 0; i < kAccumulators / 2; ++i) {
    alignas(32) float lanes[8];
    _mm256_store_ps(lanes, sums[i]);
    for (float lane : lanes) total += lane;
  }
  return total;
}

Kernel widest() {
  if (__builtin_cpu_supports("avx512f")) return {run_avx512, 2.0 * 16 * kAccumulators * kRounds};
  return {run_avx2, 2.0 * 8 * (kAccumulators / 2) * kRounds};
}

#else

// Vectors of 128 bits, of which the compiler makes fused multiply-adds.
double run_128() {
  using Vector = float __attribute__((vector_size(16)));
  Vector sums[kAccumulators];
  for (int i = 0; i < kAccumulators; ++i) sums[i] = Vector{} + static_cast<float>(i);
  const Vector a = Vector{} + 0.999f, b = Vector{} + 0.001f;
  for (int r = 0; r < kRounds; ++r) {
#pragma GCC unroll 16
    for (int i = 0; i < kAccumulators; ++i) sums[i] = sums[i] * a + b;
  }
  float total = 0;
  for (int i = 0; i < kAccumulators; ++i)
    total += sums[i][0] + sums[i][1] + sums[i][2] + sums[i][3];
  return total;
}

Kernel widest() { return {run_128, 2.0 * 4 * kAccumulators * kRounds}; }

#endif

volatile double sink = 0;

}  // namespace

double fma_peak(int threads) {
  const Kernel kernel = widest();
  const auto start = std::chrono::steady_clock::now();
  std::vector<std::jthread> pool;
  for (int t = 1; t < threads; ++t) pool.emplace_back([kernel] { sink = kernel.run(); });
  sink = kernel.run();
  pool.clear();
  return threads * kernel.flops /
         std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace thalweg::bench
