// Softmax and the losses built on it, for rows of [rows, classes] float32.
//
// The row's largest element is subtracted first, so that no logits overflow or vanish together. A
// row with NaN or +inf, or of -inf only, gives NaN throughout, as TensorFlow's formulas do.
// Single-threaded, no allocation; rows and classes may be 0; outputs may be one of the inputs of
// the same shape.
#pragma once

#include <cstdint>

namespace thalweg::simd {

/// y = e^x / sum(e^x) in each row.
void softmax_rows(const float* x, float* y, int64_t rows, int64_t classes);

/// y = x - log(sum(e^x)) in each row.
void log_softmax_rows(const float* x, float* y, int64_t rows, int64_t classes);

/// dx = (dy - sum(dy y)) y, for y = softmax(x).
void softmax_grad_rows(const float* y, const float* dy, float* dx, int64_t rows, int64_t classes);

/// dx = dy - sum(dy) e^y, for y = log_softmax(x).
void log_softmax_grad_rows(const float* y, const float* dy, float* dx, int64_t rows,
                           int64_t classes);

/// SparseSoftmaxCrossEntropyWithLogits in one pass over each row: loss[r] = log(sum(e^x)) -
/// x[label], backprop = softmax(x) - onehot(label). A label outside [0, classes) makes the loss
/// and the row of backprop NaN: callers that want an error look at the labels first. backprop may
/// be null when only the loss is wanted.
void sparse_softmax_cross_entropy_rows(const float* logits, const int32_t* labels, float* loss,
                                       float* backprop, int64_t rows, int64_t classes);
void sparse_softmax_cross_entropy_rows(const float* logits, const int64_t* labels, float* loss,
                                       float* backprop, int64_t rows, int64_t classes);

/// SoftmaxCrossEntropyWithLogits with labels of [rows, classes]: with s = log(sum(e^x)),
/// loss[r] = sum(labels (s - x)) and backprop = softmax(x) - labels, which is the gradient when
/// each row of labels sums to 1.
/// A label of exactly 0 takes no part, whatever its logit. backprop may be null.
void softmax_cross_entropy_rows(const float* logits, const float* labels, float* loss,
                                float* backprop, int64_t rows, int64_t classes);

}  // namespace thalweg::simd
