// Softmax cross entropy with its gradient, for class numbers and for distributions as labels.
#include <algorithm>

#include "kernels/cpu/highway.h"
#include "kernels/cpu/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/cross_entropy.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/softmax_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {
namespace {

template <class Label>
HWY_INLINE void sparse(const float* x, const Label* labels, float* loss, float* backprop,
                       int64_t rows, int64_t classes) {
  for (int64_t r = 0; r < rows; ++r) {
    const float* row = x + r * classes;
    float* gradient = backprop ? backprop + r * classes : nullptr;
    const int64_t label = labels[r];
    if (label < 0 || label >= classes) {
      loss[r] = kNaN;
      if (gradient) std::fill_n(gradient, classes, kNaN);
      continue;
    }
    const float largest = row_max(row, classes);
    const float target = row[label] - largest;  // before the row may be overwritten
    const float total =
        gradient ? exp_row(row, largest, gradient, classes) : exp_sum(row, largest, classes);
    loss[r] = log_of(total) - target;
    if (!gradient) continue;
    scale_row(gradient, 1.0f / total, classes);
    gradient[label] -= 1.0f;
  }
}

// sum(labels (log_total + largest - x)) as the difference of two sums of one sign each.
HWY_INLINE float dense_loss(const float* x, const float* labels, float largest, float log_total,
                            int64_t n) {
  const V shift = set(largest);
  const auto product = [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
    const V label = io.load(labels + i);
    const V logit = hn::Sub(io.load(x + i), shift);
    return hn::IfThenZeroElse(hn::Eq(label, zero()), hn::Mul(label, logit));
  };
  return fold_range<SumOp>(labels, n) * log_total - fold(n, SumOp(), product);
}

}  // namespace

void sparse_int32(const float* x, const int32_t* labels, float* loss, float* backprop, int64_t rows,
                  int64_t classes) {
  sparse(x, labels, loss, backprop, rows, classes);
}

void sparse_int64(const float* x, const int64_t* labels, float* loss, float* backprop, int64_t rows,
                  int64_t classes) {
  sparse(x, labels, loss, backprop, rows, classes);
}

void dense(const float* x, const float* labels, float* loss, float* backprop, int64_t rows,
           int64_t classes) {
  for (int64_t r = 0; r < rows; ++r, x += classes, labels += classes) {
    const float largest = row_max(x, classes);
    const float total = exp_sum(x, largest, classes);
    loss[r] = dense_loss(x, labels, largest, log_of(total), classes);
    if (!backprop) continue;
    const V shift = set(largest);
    const V factor = set(1.0f / total);
    float* gradient = backprop + r * classes;
    // Computes e^x again, because backprop may be the labels or the logits.
    sweep(classes, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
      const V e = exp_nonpositive(hn::Sub(io.load(x + i), shift));
      io.store(hn::MulSub(e, factor, io.load(labels + i)), gradient + i);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(sparse_int32);
void sparse_softmax_cross_entropy_rows(const float* logits, const int32_t* labels, float* loss,
                                       float* backprop, int64_t rows, int64_t classes) {
  HWY_DYNAMIC_DISPATCH(sparse_int32)(logits, labels, loss, backprop, rows, classes);
}

HWY_EXPORT(sparse_int64);
void sparse_softmax_cross_entropy_rows(const float* logits, const int64_t* labels, float* loss,
                                       float* backprop, int64_t rows, int64_t classes) {
  HWY_DYNAMIC_DISPATCH(sparse_int64)(logits, labels, loss, backprop, rows, classes);
}

HWY_EXPORT(dense);
void softmax_cross_entropy_rows(const float* logits, const float* labels, float* loss,
                                float* backprop, int64_t rows, int64_t classes) {
  HWY_DYNAMIC_DISPATCH(dense)(logits, labels, loss, backprop, rows, classes);
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
