#include <algorithm>
#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/channels.h"
#include "kernels/reference/softmax.h"

namespace thalweg {
namespace {

template <bool kLog>
KernelPtr make_softmax(const KernelRequest& request) {
  const Shape shape = request.inputs[0].shape;
  const int64_t rows = shape.slice(0, -1).num_elements();
  const int64_t classes = shape.dim(-1);
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [rows, classes](KernelContext& c) {
          const T* logits = c.input<T>(0);
          T* out = c.output<T>();
          for (int64_t r = 0; r < rows; ++r, logits += classes, out += classes) {
            const SoftmaxRow row(logits, classes);
            for (int64_t j = 0; j < classes; ++j) {
              const double logit = widen(logits[j]);
              out[j] = narrow<T>(kLog ? row.log_probability(logit) : row.probability(logit));
            }
          }
        },
        {.in_place = {{0, 0}}});
  });
}

struct BatchNorm {
  Channels size;
  double epsilon;
  bool is_training;
  int64_t n;  // values a channel
};

BatchNorm make_batch_norm_geometry(const KernelRequest& request, const Shape& images) {
  const Channels size = channels_of(images, request.node.attr<std::string>("data_format"));
  return {size, request.node.attr<float>("epsilon"), request.node.attr<bool>("is_training"),
          size.outer * size.inner};
}

// Calls f(TypeTag<T>, TypeTag<U>).
template <class F>
KernelPtr visit_types(const KernelRequest& request, F f) {
  const AttrValue* u = request.node.find_attr("U");  // the first version has one type
  const bool is_double = u != nullptr && std::get<DType>(*u) == kFloat64;
  return visit_floats(request.node.attr<DType>("T"), [&]<class T>(TypeTag<T> t) -> KernelPtr {
    return is_double ? f(t, TypeTag<double>{}) : f(t, TypeTag<float>{});
  });
}

KernelPtr make_batch_norm(const KernelRequest& request) {
  const BatchNorm norm = make_batch_norm_geometry(request, request.inputs[0].shape);
  const double factor = request.node.attr<float>("exponential_avg_factor");
  const bool has_reserve = request.outputs.size() > 5;  // a scalar of the third version
  return visit_types(request, [&]<class T, class U>(TypeTag<T>, TypeTag<U>) {
    return make_kernel([norm, factor, has_reserve](KernelContext& c) {
      const T* x = c.input<T>(0);
      T* y = c.output<T>(0);
      if (has_reserve) *c.output<U>(5) = 0;
      for (int64_t ch = 0; ch < norm.size.channels; ++ch) {
        double mean = 0, variance = 0;
        if (!norm.is_training) {
          mean = c.output<U>(1)[ch] = c.input<U>(3)[ch];
          variance = c.output<U>(2)[ch] = c.input<U>(4)[ch];
        } else {
          const auto n = static_cast<double>(std::max<int64_t>(norm.n, 1));
          norm.size.for_each(ch, [&](int64_t i) { mean += widen(x[i]) / n; });
          norm.size.for_each(ch,
                             [&](int64_t i) { variance += std::pow(widen(x[i]) - mean, 2) / n; });
          const double unbiased = variance * n / std::max(n - 1, 1.0);
          const double weight = norm.n == 0 ? 0 : factor;
          const bool from_old = factor != 1;
          c.output<U>(1)[ch] =
              static_cast<U>(weight * mean + (from_old ? (1 - weight) * c.input<U>(3)[ch] : 0));
          c.output<U>(2)[ch] =
              static_cast<U>(weight * unbiased + (from_old ? (1 - weight) * c.input<U>(4)[ch] : 0));
        }
        c.output<U>(3)[ch] = static_cast<U>(mean);
        c.output<U>(4)[ch] = static_cast<U>(variance);
        const double slope = c.input<U>(1)[ch] / std::sqrt(variance + norm.epsilon);
        const double offset = c.input<U>(2)[ch];
        norm.size.for_each(
            ch, [&](int64_t i) { y[i] = narrow<T>((widen(x[i]) - mean) * slope + offset); });
      }
    });
  });
}

KernelPtr make_batch_norm_grad(const KernelRequest& request) {
  const BatchNorm norm = make_batch_norm_geometry(request, request.inputs[1].shape);
  return visit_types(request, [&]<class T, class U>(TypeTag<T>, TypeTag<U>) {
    return make_kernel([norm](KernelContext& c) {
      const T* dy = c.input<T>(0);
      const T* x = c.input<T>(1);
      T* dx = c.output<T>(0);
      for (int64_t ch = 0; ch < norm.size.channels; ++ch) {
        const double scale = c.input<U>(2)[ch];
        const double mean = c.input<U>(3)[ch];
        const double r = 1 / std::sqrt(c.input<U>(4)[ch] + norm.epsilon);
        double sum = 0, projection = 0;  // of dy, of dy * (x - mean)
        norm.size.for_each(ch, [&](int64_t i) {
          sum += widen(dy[i]);
          projection += widen(dy[i]) * (widen(x[i]) - mean);
        });
        c.output<U>(1)[ch] = static_cast<U>(r * projection);
        c.output<U>(2)[ch] = static_cast<U>(sum);
        const auto n = static_cast<double>(norm.n);
        norm.size.for_each(ch, [&](int64_t i) {
          double value = widen(dy[i]);
          if (norm.is_training) value -= sum / n + (widen(x[i]) - mean) * r * r * projection / n;
          dx[i] = narrow<T>(scale * r * value);
        });
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"FusedBatchNorm", "reference", make_batch_norm},
    {"FusedBatchNormV2", "reference", make_batch_norm},
    {"FusedBatchNormV3", "reference", make_batch_norm},
    {"FusedBatchNormGrad", "reference", make_batch_norm_grad},
    {"FusedBatchNormGradV2", "reference", make_batch_norm_grad},
    {"FusedBatchNormGradV3", "reference", make_batch_norm_grad},
    {"Softmax", "reference", make_softmax<false>},
    {"LogSoftmax", "reference", make_softmax<true>},
};

}  // namespace

std::span<const KernelDef> reference_normalization_kernels() { return kKernels; }

}  // namespace thalweg
