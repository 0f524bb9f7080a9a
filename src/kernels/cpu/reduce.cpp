// Reductions of contiguous ranges, and the positions of extremes.
#include "kernels/cpu/reduce.h"

#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/reduce.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/reduce_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {

float range_sum(const float* x, int64_t n) { return fold_range<SumOp>(x, n); }
float range_prod(const float* x, int64_t n) { return fold_range<ProdOp>(x, n); }
float range_max(const float* x, int64_t n) { return fold_range<MaxOp>(x, n); }
float range_min(const float* x, int64_t n) { return fold_range<MinOp>(x, n); }

float range_squares(const float* x, int64_t n) {
  return fold(n, SumOp(), [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const V v = io.load(x + i);
    return hn::Mul(v, v);
  });
}

float range_dot(const float* a, const float* b, int64_t n) {
  return fold(n, SumOp(), [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    return hn::Mul(io.load(a + i), io.load(b + i));
  });
}

namespace {

struct Larger {
  static constexpr float kWorst = -kInf;
  HWY_INLINE M operator()(V a, V b) const { return hn::Gt(a, b); }
  static bool better(float a, float b) { return a > b; }
};

struct Smaller {
  static constexpr float kWorst = kInf;
  HWY_INLINE M operator()(V a, V b) const { return hn::Lt(a, b); }
  static bool better(float a, float b) { return a < b; }
};

template <class Order>
HWY_INLINE int64_t find_best_of_few(const float* x, int64_t n) {
  float value = Order::kWorst;
  int64_t position = 0;
  for (int64_t i = 0; i < n; ++i) {
    const bool wins = Order::better(x[i], value);
    value = wins ? x[i] : value;
    position = wins ? i : position;
  }
  return position;
}

// Each lane keeps its best and the number of the vector it came from; vector numbers of up to 2^31
// reach further than any row. Lanes past the end hold `kWorst`, which replaces nothing.
template <class Order>
HWY_INLINE int64_t find_best(const float* x, int64_t n) {
  if (n < 2 * kLanes) return find_best_of_few<Order>(x, n);
  const Order better;
  V best = set(Order::kWorst);
  VI where = hn::Zero(I32());
  const auto visit = [&](V v, int64_t i) THALWEG_SIMD_LAMBDA {
    const M wins = better(v, best);
    best = hn::IfThenElse(wins, v, best);
    const VI number = hn::Set(I32(), static_cast<int32_t>(i / kLanes));
    where = hn::IfThenElse(hn::RebindMask(I32(), wins), number, where);
  };
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) visit(load(x + i), i);
  if (i < n) visit(load_n_or(x + i, n - i, set(Order::kWorst)), i);

  HWY_ALIGN float values[kLanes];
  HWY_ALIGN int32_t numbers[kLanes];
  hn::Store(best, F32(), values);
  hn::Store(where, I32(), numbers);
  float value = Order::kWorst;
  int64_t position = 0;
  for (int64_t lane = 0; lane < kLanes; ++lane) {
    const int64_t candidate = int64_t{numbers[lane]} * kLanes + lane;
    const bool earlier = values[lane] == value && candidate < position;
    if (Order::better(values[lane], value) || earlier) {
      value = values[lane];
      position = candidate;
    }
  }
  return position;
}

template <class Order>
HWY_INLINE void find_best_rows(const float* x, int64_t* y, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) y[r] = find_best<Order>(x + r * columns, columns);
}

}  // namespace

void largest_of_rows(const float* x, int64_t* y, int64_t rows, int64_t columns) {
  find_best_rows<Larger>(x, y, rows, columns);
}

void smallest_of_rows(const float* x, int64_t* y, int64_t rows, int64_t columns) {
  find_best_rows<Smaller>(x, y, rows, columns);
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(range_sum);
HWY_EXPORT(range_prod);
HWY_EXPORT(range_max);
HWY_EXPORT(range_min);
HWY_EXPORT(range_squares);
HWY_EXPORT(range_dot);
HWY_EXPORT(largest_of_rows);
HWY_EXPORT(smallest_of_rows);

float sum(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(range_sum)(x, n); }
float prod(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(range_prod)(x, n); }
float max(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(range_max)(x, n); }
float min(const float* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(range_min)(x, n); }

float sum_of_squares(const float* x, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(range_squares)(x, n);
}

float dot(const float* a, const float* b, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(range_dot)(a, b, n);
}

void argmax_rows(const float* x, int64_t* y, int64_t rows, int64_t columns) {
  HWY_DYNAMIC_DISPATCH(largest_of_rows)(x, y, rows, columns);
}

void argmin_rows(const float* x, int64_t* y, int64_t rows, int64_t columns) {
  HWY_DYNAMIC_DISPATCH(smallest_of_rows)(x, y, rows, columns);
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
