// Softmax and log-softmax, forward and backward.
#include "kernels/cpu/softmax.h"

#include "kernels/cpu/highway.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/softmax.cpp"
#include <hwy/foreach_target.h>

#include "kernels/cpu/softmax_inl.h"

HWY_BEFORE_NAMESPACE();
namespace thalweg::simd {
namespace HWY_NAMESPACE {

void softmax(const float* x, float* y, int64_t rows, int64_t classes) {
  for (int64_t r = 0; r < rows; ++r, x += classes, y += classes) {
    const float total = exp_row(x, row_max(x, classes), y, classes);
    scale_row(y, 1.0f / total, classes);
  }
}

void log_softmax(const float* x, float* y, int64_t rows, int64_t classes) {
  for (int64_t r = 0; r < rows; ++r, x += classes, y += classes) {
    const float largest = row_max(x, classes);
    const V shift = set(largest);
    const V log_total = log(set(exp_sum(x, largest, classes)));
    sweep<4>(classes, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
      io.store(hn::Sub(hn::Sub(io.load(x + i), shift), log_total), y + i);
    });
  }
}

void softmax_grad(const float* y, const float* dy, float* dx, int64_t rows, int64_t classes) {
  for (int64_t r = 0; r < rows; ++r, y += classes, dy += classes, dx += classes) {
    const auto product = [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
      return hn::Mul(io.load(y + i), io.load(dy + i));
    };
    const V total = set(fold(classes, SumOp(), product));
    sweep<4>(classes, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
      io.store(hn::Mul(hn::Sub(io.load(dy + i), total), io.load(y + i)), dx + i);
    });
  }
}

void log_softmax_grad(const float* y, const float* dy, float* dx, int64_t rows, int64_t classes) {
  for (int64_t r = 0; r < rows; ++r, y += classes, dy += classes, dx += classes) {
    const V total = set(fold_range<SumOp>(dy, classes));
    sweep(classes, [=](auto io, int64_t i) THALWEG_SIMD_LAMBDA {
      io.store(hn::NegMulAdd(exp(io.load(y + i)), total, io.load(dy + i)), dx + i);
    });
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace thalweg::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace thalweg::simd {

HWY_EXPORT(softmax);
void softmax_rows(const float* x, float* y, int64_t rows, int64_t classes) {
  HWY_DYNAMIC_DISPATCH(softmax)(x, y, rows, classes);
}

HWY_EXPORT(log_softmax);
void log_softmax_rows(const float* x, float* y, int64_t rows, int64_t classes) {
  HWY_DYNAMIC_DISPATCH(log_softmax)(x, y, rows, classes);
}

HWY_EXPORT(softmax_grad);
void softmax_grad_rows(const float* y, const float* dy, float* dx, int64_t rows, int64_t classes) {
  HWY_DYNAMIC_DISPATCH(softmax_grad)(y, dy, dx, rows, classes);
}

HWY_EXPORT(log_softmax_grad);
void log_softmax_grad_rows(const float* y, const float* dy, float* dx, int64_t rows,
                           int64_t classes) {
  HWY_DYNAMIC_DISPATCH(log_softmax_grad)(y, dy, dx, rows, classes);
}

}  // namespace thalweg::simd
#endif  // HWY_ONCE
