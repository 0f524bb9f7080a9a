#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/softmax.h"

namespace thalweg {
namespace {

KernelPtr make_softmax_loss(const KernelRequest& request) {
  const int64_t rows = request.inputs[0].shape[0];
  const int64_t classes = request.inputs[0].shape[1];
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([rows, classes](KernelContext& c) {
      for (int64_t r = 0; r < rows; ++r) {
        const T* logits = c.input<T>(0) + r * classes;
        const T* labels = c.input<T>(1) + r * classes;
        const SoftmaxRow row(logits, classes);
        double loss = 0;
        for (int64_t j = 0; j < classes; ++j) {
          const double logit = widen(logits[j]);
          const double label = widen(labels[j]);
          if (label != 0) loss -= label * row.log_probability(logit);  // 0 * -inf is 0 here
          c.output<T>(1)[r * classes + j] = narrow<T>(row.probability(logit) - label);
        }
        c.output<T>(0)[r] = narrow<T>(loss);
      }
    });
  });
}

template <class T, class L>
KernelPtr make_sparse(int64_t rows, int64_t classes) {
  return make_kernel([rows, classes](KernelContext& c) {
    const L* labels = c.input<L>(1);
    for (int64_t r = 0; r < rows; ++r) {
      const auto label = static_cast<int64_t>(labels[r]);
      if (label < 0 || label >= classes) {
        throw invalid_argument("label ", label, " at index ", r, " is outside [0, ", classes,
                               "): there are ", classes, " classes");
      }
      const T* logits = c.input<T>(0) + r * classes;
      T* backprop = c.output<T>(1) + r * classes;
      const SoftmaxRow row(logits, classes);
      c.output<T>(0)[r] = narrow<T>(-row.log_probability(widen(logits[label])));
      for (int64_t j = 0; j < classes; ++j) {
        backprop[j] = narrow<T>(row.probability(widen(logits[j])) - (j == label ? 1 : 0));
      }
    }
  });
}

KernelPtr make_sparse_loss(const KernelRequest& request) {
  const int64_t rows = request.inputs[0].shape[0];
  const int64_t classes = request.inputs[0].shape[1];
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return request.inputs[1].dtype == kInt32 ? make_sparse<T, int32_t>(rows, classes)
                                             : make_sparse<T, int64_t>(rows, classes);
  });
}

KernelPtr make_l2_loss(const KernelRequest& request) {
  const int64_t count = request.inputs[0].shape.num_elements();
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([count](KernelContext& c) {
      double sum = 0;
      for (int64_t i = 0; i < count; ++i) sum += widen(c.input<T>(0)[i]) * widen(c.input<T>(0)[i]);
      c.output<T>()[0] = narrow<T>(sum / 2);
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"SoftmaxCrossEntropyWithLogits", "reference", make_softmax_loss},
    {"SparseSoftmaxCrossEntropyWithLogits", "reference", make_sparse_loss},
    {"L2Loss", "reference", make_l2_loss},
};

}  // namespace

std::span<const KernelDef> reference_loss_kernels() { return kKernels; }

}  // namespace thalweg
