#include "kernels/families.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/volume_pooling.h"

namespace thalweg {
namespace {

using reference::IntsInput;
using reference::OutputPlace;
using reference::VolumePooling;

VolumePooling make_pooling(const AttrMap& attrs, const Shape& input) {
  const ImageAxes axes = image_axes(std::get<std::string>(attrs.at("data_format")));
  const Windows2d windows = pooling_windows(attrs, input);
  return reference::make_volume_pooling(
      input, axes.channels, {make_window(1, 1, 1, 1, "VALID"), windows.height, windows.width});
}

// The pooling of a node with the window in two inputs, known when it runs.
class PoolingInputs {
 public:
  PoolingInputs(const KernelRequest& request, int ksize)
      : attrs_(request.node.attrs()),
        images_(request.inputs[0].shape),
        sizes_(request, ksize),
        strides_(request, ksize + 1) {}
  VolumePooling read(const KernelContext& context) const {
    AttrMap attrs = attrs_;
    attrs["ksize"] = sizes_.read(context);
    attrs["strides"] = strides_.read(context);
    return make_pooling(attrs, images_);
  }

 private:
  AttrMap attrs_;
  Shape images_;
  IntsInput sizes_, strides_;
};

KernelPtr make_max(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [pooling = PoolingInputs(request, 1), place = OutputPlace(request, 0)](KernelContext& c) {
          const VolumePooling p = pooling.read(c);
          T* to = static_cast<T*>(place.memory(c, p.output));
          reference::max_pool_rows(p, c.input<T>(0), to, 0, p.rows());
        });
  });
}

void check_output(const VolumePooling& p, const Shape& got) {
  if (p.output == got) return;
  throw invalid_argument("the gradient is ", got, ", but pooling ", p.input, " gives ", p.output);
}

KernelPtr make_max_grad(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [pooling = PoolingInputs(request, 3), got = request.inputs[2].shape](KernelContext& c) {
          const VolumePooling p = pooling.read(c);
          check_output(p, got);
          reference::max_pool_grad(p, c.input<T>(0), c.input<T>(2), c.output<T>());
        });
  });
}

KernelPtr make_max_grad_grad(const KernelRequest& request) {
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([pooling = PoolingInputs(request, 3), got = request.inputs[1].shape,
                        place = OutputPlace(request, 0)](KernelContext& c) {
      const VolumePooling p = pooling.read(c);
      check_output(p, got);
      T* to = static_cast<T*>(place.memory(c, p.output));
      reference::max_pool_grad_grad(p, c.input<T>(0), c.input<T>(2), to);
    });
  });
}

// Calls f(TypeTag<T>, TypeTag<I>) with the types of values and of places.
template <class F>
KernelPtr visit_places(const KernelRequest& request, F f) {
  return visit_numbers(request.node.attr<DType>("T"), [&]<class T>(TypeTag<T> t) -> KernelPtr {
    return request.node.attr<DType>("Targmax") == kInt64 ? f(t, TypeTag<int64_t>{})
                                                         : f(t, TypeTag<int32_t>{});
  });
}

KernelPtr make_places(const KernelRequest& request) {
  AttrMap attrs = request.node.attrs();
  attrs["data_format"] = std::string("NHWC");
  const VolumePooling p = make_pooling(attrs, request.inputs[0].shape);
  const int64_t image = request.node.attr<bool>("include_batch_in_index") ? 0 : p.in.batch;
  return visit_places(request, [&]<class T, class I>(TypeTag<T>, TypeTag<I>) {
    return make_kernel([p, image](KernelContext& c) {
      const T* input = c.input<T>(0);
      reference::for_each_volume_window(
          p, 0, p.rows(), [&](int64_t out, const std::vector<int64_t>& cells) {
            for (int64_t k = 0; k < p.channels; ++k) {
              const int64_t best = reference::largest_cell(input, cells, k);
              c.output<T>(0)[out + k] = best < 0 ? reference::lowest_value<T>() : input[best];
              c.output<I>(1)[out + k] = static_cast<I>(image > 0 ? best % image : best);
            }
          });
    });
  });
}

// Walks over the places: f(position in the pooled tensor, position in the images).
struct Places {
  int64_t batch, image, pooled;  // elements of an image, and of a pooled one
  bool is_absolute;

  explicit Places(const KernelRequest& request)
      : batch(request.inputs[0].shape[0]),
        image(request.inputs[0].shape.slice(1).num_elements()),
        pooled(request.inputs[2].shape.slice(1).num_elements()),
        is_absolute(request.node.attr<bool>("include_batch_in_index")) {}

  template <class I, class F>
  void for_each(const I* places, F f) const {
    for (int64_t i = 0; i < batch * pooled; ++i) {
      const int64_t at = places[i] + (is_absolute ? 0 : i / pooled * image);
      if (places[i] < 0 || at >= batch * image) {
        throw invalid_argument("argmax ", i, " is ", places[i], "; the input has ",
                               is_absolute ? batch * image : image, " elements",
                               is_absolute ? "" : " an image");
      }
      f(i, at);
    }
  }
};

KernelPtr make_places_grad(const KernelRequest& request) {
  return visit_places(request, [&]<class T, class I>(TypeTag<T>, TypeTag<I>) {
    return make_kernel([places = Places(request)](KernelContext& c) {
      std::vector<Accumulator<T>> sums(static_cast<size_t>(places.batch * places.image), 0);
      places.for_each(c.input<I>(2), [&](int64_t i, int64_t at) {
        sums[static_cast<size_t>(at)] += widen(c.input<T>(1)[i]);
      });
      for (size_t i = 0; i < sums.size(); ++i) c.output<T>()[i] = narrow<T>(sums[i]);
    });
  });
}

KernelPtr make_places_grad_grad(const KernelRequest& request) {
  return visit_places(request, [&]<class T, class I>(TypeTag<T>, TypeTag<I>) {
    return make_kernel([places = Places(request)](KernelContext& c) {
      places.for_each(c.input<I>(2),
                      [&](int64_t i, int64_t at) { c.output<T>()[i] = c.input<T>(1)[at]; });
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"MaxPoolV2", "reference", make_max},
    {"MaxPoolGradV2", "reference", make_max_grad},
    {"MaxPoolGradGradV2", "reference", make_max_grad_grad},
    {"MaxPoolWithArgmax", "reference", make_places},
    {"MaxPoolGradWithArgmax", "reference", make_places_grad},
    {"MaxPoolGradGradWithArgmax", "reference", make_places_grad_grad},
};

}  // namespace

std::span<const KernelDef> reference_pooling_variant_kernels() { return kKernels; }

}  // namespace thalweg
