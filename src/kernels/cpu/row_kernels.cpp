// Softmax and the cross-entropy losses, row by row.
#include <algorithm>

#include "kernels/cpu/softmax.h"
#include "kernels/families.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

struct Rows {
  int64_t rows = 0;
  int64_t classes = 0;
  int64_t grain() const { return std::max<int64_t>(1, 16384 / std::max<int64_t>(classes, 1)); }
};

Rows rows_of(const Shape& shape) {
  const int64_t classes = shape.dim(-1);
  return {classes == 0 ? 0 : shape.num_elements() / classes, classes};
}

KernelPtr make_softmax(const KernelRequest& request) {
  if (request.inputs[0].dtype != kFloat32 || request.inputs[0].shape.rank() < 1) return nullptr;
  const Rows shape = rows_of(request.inputs[0].shape);
  const auto function =
      request.node.type() == "Softmax" ? simd::softmax_rows : simd::log_softmax_rows;
  return make_kernel(
      [=](KernelContext& context) {
        const float* x = context.input<float>(0);
        float* y = context.output<float>();
        parallel_for(shape.rows, shape.grain(), [&](int64_t begin, int64_t end) {
          function(x + begin * shape.classes, y + begin * shape.classes, end - begin,
                   shape.classes);
        });
      },
      {.in_place = {{0, 0}}});
}

// Labels out of range are a clear error of the reference kernel's wording.
template <class Label>
void check_labels(const Label* labels, const Rows& shape) {
  for (int64_t r = 0; r < shape.rows; ++r) {
    if (labels[r] >= 0 && labels[r] < shape.classes) continue;
    throw invalid_argument("label ", labels[r], " at index ", r, " is outside [0, ", shape.classes,
                           "): there are ", shape.classes, " classes");
  }
}

template <class Label>
KernelPtr make_sparse_cross_entropy(const KernelRequest& request) {
  const Rows shape = rows_of(request.inputs[0].shape);
  return make_kernel(
      [shape](KernelContext& context) {
        const float* logits = context.input<float>(0);
        const Label* labels = context.input<Label>(1);
        float* loss = context.output<float>(0);
        float* backprop = context.output<float>(1);
        check_labels(labels, shape);
        parallel_for(shape.rows, shape.grain(), [&](int64_t begin, int64_t end) {
          simd::sparse_softmax_cross_entropy_rows(logits + begin * shape.classes, labels + begin,
                                                  loss + begin, backprop + begin * shape.classes,
                                                  end - begin, shape.classes);
        });
      },
      {.in_place = {{0, 1}}});
}

KernelPtr make_sparse(const KernelRequest& request) {
  if (request.inputs[0].dtype != kFloat32 || request.inputs[0].shape.dim(-1) == 0) return nullptr;
  return request.inputs[1].dtype == kInt32 ? make_sparse_cross_entropy<int32_t>(request)
                                           : make_sparse_cross_entropy<int64_t>(request);
}

KernelPtr make_dense_cross_entropy(const KernelRequest& request) {
  if (request.inputs[0].dtype != kFloat32 || !(request.inputs[0].shape == request.inputs[1].shape))
    return nullptr;
  const Rows shape = rows_of(request.inputs[0].shape);
  return make_kernel([shape](KernelContext& context) {
    const float* logits = context.input<float>(0);
    const float* labels = context.input<float>(1);
    float* loss = context.output<float>(0);
    float* backprop = context.output<float>(1);
    parallel_for(shape.rows, shape.grain(), [&](int64_t begin, int64_t end) {
      const int64_t at = begin * shape.classes;
      simd::softmax_cross_entropy_rows(logits + at, labels + at, loss + begin, backprop + at,
                                       end - begin, shape.classes);
    });
  });
}

constexpr KernelDef kRowKernels[] = {
    {"Softmax", "cpu", make_softmax},
    {"LogSoftmax", "cpu", make_softmax},
    {"SparseSoftmaxCrossEntropyWithLogits", "cpu", make_sparse},
    {"SoftmaxCrossEntropyWithLogits", "cpu", make_dense_cross_entropy},
};

}  // namespace

std::span<const KernelDef> cpu_row_kernels() { return kRowKernels; }

}  // namespace thalweg
