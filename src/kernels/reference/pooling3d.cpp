#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/volume_pooling.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

using reference::VolumePooling;

VolumePooling make_pooling(const AttrMap& attrs, const Shape& input) {
  const VolumeAxes axes = volume_axes(std::get<std::string>(attrs.at("data_format")));
  return reference::make_volume_pooling(input, axes.channels, volume_pooling_windows(attrs, input));
}

KernelPtr make_max(const KernelRequest& request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [p = make_pooling(request.node.attrs(), request.inputs[0].shape)](KernelContext& c) {
          parallel_for(p.rows(), 1, [&](int64_t begin, int64_t end) {
            reference::max_pool_rows(p, c.input<T>(0), c.output<T>(), begin, end);
          });
        });
  });
}

KernelPtr make_max_grad(const KernelRequest& request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return visit_floats(request.inputs[2].dtype, [&]<class G>(TypeTag<G>) {
      return make_kernel(
          [p = make_pooling(request.node.attrs(), request.inputs[0].shape)](KernelContext& c) {
            reference::max_pool_grad(p, c.input<T>(0), c.input<G>(2), c.output<G>());
          });
    });
  });
}

KernelPtr make_max_grad_grad(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [p = make_pooling(request.node.attrs(), request.inputs[0].shape)](KernelContext& c) {
          reference::max_pool_grad_grad(p, c.input<T>(0), c.input<T>(2), c.output<T>());
        });
  });
}

KernelPtr make_avg(const KernelRequest& request) {
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [p = make_pooling(request.node.attrs(), request.inputs[0].shape)](KernelContext& c) {
          const T* input = c.input<T>(0);
          T* output = c.output<T>();
          parallel_for(p.rows(), 1, [&](int64_t begin, int64_t end) {
            std::vector<double> sums(static_cast<size_t>(p.channels));
            reference::for_each_volume_window(
                p, begin, end, [&](int64_t out, const std::vector<int64_t>& cells) {
                  std::fill(sums.begin(), sums.end(), 0.0);
                  for (int64_t cell : cells) {
                    for (int64_t i = 0; i < p.channels; ++i) {
                      sums[static_cast<size_t>(i)] += widen(input[cell + i * p.in.channel]);
                    }
                  }
                  for (int64_t i = 0; i < p.channels; ++i) {
                    output[out + i * p.out.channel] =
                        narrow<T>(sums[static_cast<size_t>(i)] / static_cast<double>(cells.size()));
                  }
                });
          });
        });
  });
}

KernelPtr make_avg_grad(const KernelRequest& request) {
  return visit_floats(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([expected = request.inputs[1].shape, attrs = request.node.attrs(),
                        sizes = reference::IntsInput(request, 0),
                        place = reference::OutputPlace(request, 0)](KernelContext& c) {
      const Shape shape(sizes.read(c));
      if (shape.rank() != 5) {
        throw invalid_argument("orig_input_shape must describe 5 dimensions, got ", shape);
      }
      const VolumePooling p = make_pooling(attrs, shape);
      if (p.output != expected) {
        throw invalid_argument("grad is ", expected, ", but pooling ", shape, " gives ", p.output);
      }
      const T* gradient = c.input<T>(1);
      std::vector<double> sums(static_cast<size_t>(shape.num_elements()), 0);
      reference::for_each_volume_window(
          p, 0, p.rows(), [&](int64_t out, const std::vector<int64_t>& cells) {
            for (int64_t i = 0; i < p.channels; ++i) {
              const double share =
                  widen(gradient[out + i * p.out.channel]) / static_cast<double>(cells.size());
              for (int64_t cell : cells) {
                sums[static_cast<size_t>(cell + i * p.in.channel)] += share;
              }
            }
          });
      T* result = static_cast<T*>(place.memory(c, shape));
      for (size_t i = 0; i < sums.size(); ++i) result[i] = narrow<T>(sums[i]);
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"MaxPool3D", "reference", make_max},
    {"MaxPool3DGrad", "reference", make_max_grad},
    {"MaxPool3DGradGrad", "reference", make_max_grad_grad},
    {"AvgPool3D", "reference", make_avg},
    {"AvgPool3DGrad", "reference", make_avg_grad},
};

}  // namespace

std::span<const KernelDef> reference_pooling3d_kernels() { return kKernels; }

}  // namespace thalweg
