#include <functional>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/resampling.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

using reference::ImageSize;
using reference::IntsInput;
using reference::KernelSampling;
using reference::OutputPlace;
using reference::Sampling;
using reference::Taps;

ImageSize image_size(const Shape& images) { return {images[1], images[2], images[3]}; }

// About 5 microseconds of rows.
int64_t grain(int64_t elements) { return 1 + 8192 / (elements + 1); }

// The `size` input, input 1.
class SizeInput {
 public:
  explicit SizeInput(const KernelRequest& request) : values_(request, 1) {}
  struct Size {
    int64_t height, width;
  };
  Size read(const KernelContext& context) const {
    const reference::Ints size = values_.read(context);
    if (size.size() != 2 || size[0] <= 0 || size[1] <= 0) {
      throw invalid_argument("`size` must hold a positive height and width, got ", size);
    }
    return {size[0], size[1]};
  }

 private:
  IntsInput values_;
};

void check_cells(const Shape& images) {
  if (images[1] == 0 || images[2] == 0) {
    throw invalid_argument("images of shape ", images, " have no cells to resize");
  }
}

// dtypes that images may be resized from.
template <class F>
KernelPtr visit_images(DType dtype, F&& f) {
  return visit_numbers(dtype, [&]<class T>(TypeTag<T> tag) -> KernelPtr {
    if constexpr (std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t>) {
      return nullptr;
    } else {
      return f(tag);
    }
  });
}

// The sampling of both dimensions, from the attributes of a node.
struct Ways {
  bool align_corners, half_pixel_centers;

  explicit Ways(const Node& node)
      : align_corners(node.attr<bool>("align_corners")),
        half_pixel_centers(node.find_attr("half_pixel_centers") != nullptr &&
                           node.attr<bool>("half_pixel_centers")) {}
  Sampling sampling(int64_t in, int64_t out) const {
    return {in, out, align_corners, half_pixel_centers};
  }
};

// TensorFlow's nearest neighbour of a gradient is that of the images.
template <bool kGrad>
KernelPtr make_nearest(const KernelRequest& request) {
  const Shape shape = request.inputs[0].shape;
  return visit_images(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([shape, ways = Ways(request.node), size = SizeInput(request),
                        place = OutputPlace(request, 0)](KernelContext& c) {
      check_cells(shape);
      const SizeInput::Size wanted = size.read(c);
      const int64_t height = wanted.height, width = wanted.width;
      const int64_t channels = shape[3];
      const T* from = c.input<T>(0);
      T* to = static_cast<T*>(place.memory(c, Shape{shape[0], height, width, channels}));
      if constexpr (kGrad) {
        const auto ys = reference::nearest_cells(ways.sampling(height, shape[1]));
        const auto xs = reference::nearest_cells(ways.sampling(width, shape[2]));
        std::vector<Accumulator<T>> sums(static_cast<size_t>(shape[0] * height * width * channels),
                                         0);
        for (int64_t n = 0; n < shape[0]; ++n) {
          for (int64_t y : ys) {
            for (int64_t x : xs) {
              auto* sum = sums.data() + ((n * height + y) * width + x) * channels;
              for (int64_t k = 0; k < channels; ++k) sum[k] += widen(*from++);
            }
          }
        }
        for (size_t i = 0; i < sums.size(); ++i) to[i] = narrow<T>(sums[i]);
      } else {
        const auto ys = reference::nearest_cells(ways.sampling(shape[1], height));
        const auto xs = reference::nearest_cells(ways.sampling(shape[2], width));
        parallel_for(shape[0] * height, grain(width * channels), [&](int64_t begin, int64_t end) {
          for (int64_t row = begin; row < end; ++row) {
            const int64_t y = ys[static_cast<size_t>(row % height)];
            const T* source = from + (row / height * shape[1] + y) * shape[2] * channels;
            T* target = to + row * width * channels;
            for (int64_t x : xs) {
              const T* cell = source + x * channels;
              for (int64_t k = 0; k < channels; ++k) *target++ = cell[k];
            }
          }
        });
      }
    });
  });
}

// Makes the taps of one dimension (0 vertical, 1 horizontal) from its sizes before and after.
using MakeTaps = std::function<Taps(const KernelContext&, int dimension, int64_t in, int64_t out)>;

KernelPtr make_resampling(const KernelRequest& request, MakeTaps make_taps) {
  const Shape shape = request.inputs[0].shape;
  return visit_images(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([shape, make_taps = std::move(make_taps), size = SizeInput(request),
                        place = OutputPlace(request, 0)](KernelContext& c) {
      check_cells(shape);
      const SizeInput::Size wanted = size.read(c);
      const int64_t height = wanted.height, width = wanted.width;
      const ImageSize image = image_size(shape);
      // Memory first: it tells whether there is room for so many cells.
      auto* to = static_cast<float*>(place.memory(c, Shape{shape[0], height, width, shape[3]}));
      const Taps rows = make_taps(c, 0, image.height, height);
      const Taps columns = make_taps(c, 1, image.width, width);
      const T* from = c.input<T>(0);
      parallel_for(shape[0] * height, grain(width * shape[3]), [&](int64_t begin, int64_t end) {
        std::vector<float> buffer(static_cast<size_t>(image.row()));
        for (int64_t row = begin; row < end; ++row) {
          reference::resample_row(rows, columns, image, from + row / height * image.elements(),
                                  row % height, 0.0f, buffer.data(), to + row * width * shape[3]);
        }
      });
    });
  });
}

// `grads` is input 0, the original image input 1.
KernelPtr make_spreading(const KernelRequest& request, MakeTaps make_taps) {
  const Shape grads = request.inputs[0].shape;
  const Shape original = request.inputs[1].shape;
  return visit_floats(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([grads, original, make_taps = std::move(make_taps)](KernelContext& c) {
      check_cells(original);
      const ImageSize image = image_size(original);
      const Taps rows = make_taps(c, 0, image.height, grads[1]);
      const Taps columns = make_taps(c, 1, image.width, grads[2]);
      const auto* from = c.input<float>(0);
      T* to = c.output<T>();
      parallel_for(grads[0], 1, [&](int64_t begin, int64_t end) {
        std::vector<double> buffer(static_cast<size_t>(image.row()));
        std::vector<double> sums(static_cast<size_t>(image.elements()));
        for (int64_t n = begin; n < end; ++n) {
          std::fill(sums.begin(), sums.end(), 0.0);
          for (int64_t y = 0; y < grads[1]; ++y) {
            reference::spread_row(rows, columns, image,
                                  from + (n * grads[1] + y) * grads[2] * image.channels, y,
                                  buffer.data(), sums.data());
          }
          for (size_t i = 0; i < sums.size(); ++i) {
            to[n * image.elements() + static_cast<int64_t>(i)] = narrow<T>(sums[i]);
          }
        }
      });
    });
  });
}

template <Taps (*kTaps)(const Sampling&)>
MakeTaps taps_of(const KernelRequest& request) {
  return [ways = Ways(request.node)](const KernelContext&, int, int64_t in, int64_t out) {
    return kTaps(ways.sampling(in, out));
  };
}

template <Taps (*kTaps)(const Sampling&)>
KernelPtr make_resize(const KernelRequest& request) {
  return make_resampling(request, taps_of<kTaps>(request));
}

template <Taps (*kTaps)(const Sampling&)>
KernelPtr make_resize_grad(const KernelRequest& request) {
  return make_spreading(request, taps_of<kTaps>(request));
}

MakeTaps translated_taps(const KernelRequest& request) {
  return [type = request.node.attr<std::string>("kernel_type"),
          antialias = request.node.attr<bool>("antialias")](const KernelContext& c, int dimension,
                                                            int64_t in, int64_t out) {
    return reference::kernel_taps(
        {in, out, c.input<float>(2)[dimension], c.input<float>(3)[dimension], type, antialias});
  };
}

KernelPtr make_scale_and_translate(const KernelRequest& request) {
  return make_resampling(request, translated_taps(request));
}

KernelPtr make_scale_and_translate_grad(const KernelRequest& request) {
  return make_spreading(request, translated_taps(request));
}

constexpr KernelDef kKernels[] = {
    {"ResizeNearestNeighbor", "reference", make_nearest<false>},
    {"ResizeNearestNeighborGrad", "reference", make_nearest<true>},
    {"ResizeBilinear", "reference", make_resize<reference::bilinear_taps>},
    {"ResizeBilinearGrad", "reference", make_resize_grad<reference::bilinear_taps>},
    {"ResizeBicubic", "reference", make_resize<reference::bicubic_taps>},
    {"ResizeBicubicGrad", "reference", make_resize_grad<reference::bicubic_taps>},
    {"ResizeArea", "reference", make_resize<reference::area_taps>},
    {"ScaleAndTranslate", "reference", make_scale_and_translate},
    {"ScaleAndTranslateGrad", "reference", make_scale_and_translate_grad},
};

}  // namespace

std::span<const KernelDef> reference_resize_kernels() { return kKernels; }

}  // namespace thalweg
