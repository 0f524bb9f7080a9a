#include <algorithm>
#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "kernels/reference/elements.h"
#include "kernels/reference/resampling.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

using reference::ImageSize;
using reference::IntsInput;
using reference::OutputPlace;
using reference::Taps;

ImageSize image_size(const Shape& images) { return {images[1], images[2], images[3]}; }

// One dimension of a box: where cell i of the crop samples the image.
struct Span {
  float first, last;
  int64_t in, out;

  float position(int64_t i) const {
    const auto end = static_cast<float>(in - 1);
    if (out == 1) return 0.5f * (first + last) * end;
    const float step = (last - first) * end / static_cast<float>(out - 1);
    return first * end + static_cast<float>(i) * step;
  }
  // Written so that a NaN lies outside.
  bool is_inside(float at) const { return at >= 0 && at <= static_cast<float>(in - 1); }
};

Span vertical(const float* box, int64_t in, int64_t out) { return {box[0], box[2], in, out}; }
Span horizontal(const float* box, int64_t in, int64_t out) { return {box[1], box[3], in, out}; }

Taps span_taps(const Span& span, bool is_nearest) {
  Taps taps;
  for (int64_t i = 0; i < span.out; ++i) {
    const float at = span.position(i);
    if (span.is_inside(at) && is_nearest) {
      taps.add(static_cast<int64_t>(std::round(at)), 1);
    } else if (span.is_inside(at)) {
      const float floor = std::floor(at);
      taps.add(static_cast<int64_t>(floor), 1 - (at - floor));
      taps.add(static_cast<int64_t>(std::ceil(at)), at - floor);
    }
    taps.end_cell();
  }
  return taps;
}

const int32_t* checked_indices(const int32_t* indices, int64_t boxes, int64_t batch) {
  for (int64_t i = 0; i < boxes; ++i) {
    if (indices[i] < 0 || indices[i] >= batch) {
      throw invalid_argument("box ", i, " is of image ", indices[i], ", but there are ", batch,
                             " images");
    }
  }
  return indices;
}

void check_boxes(const float* boxes, int64_t count) {
  for (int64_t i = 0; i < 4 * count; ++i) {
    if (!std::isfinite(boxes[i]))
      throw invalid_argument("boxes[", i / 4, ", ", i % 4, "] is ", boxes[i]);
  }
}

KernelPtr make_crop(const KernelRequest& request) {
  const Shape shape = request.inputs[0].shape;
  const int64_t boxes = request.inputs[1].shape[0];
  return visit_numbers(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) -> KernelPtr {
    if constexpr (std::is_same_v<T, uint32_t> || std::is_same_v<T, uint64_t> ||
                  std::is_same_v<T, BFloat16>) {
      return nullptr;
    } else {
      return make_kernel([shape, boxes, size = IntsInput(request, 3),
                          is_nearest = request.node.attr<std::string>("method") == "nearest",
                          outside = request.node.attr<float>("extrapolation_value"),
                          place = OutputPlace(request, 0)](KernelContext& c) {
        const reference::Ints crop = size.read(c);
        if (crop.size() != 2 || crop[0] <= 0 || crop[1] <= 0) {
          throw invalid_argument("`crop_size` must hold a positive height and width, got ", crop);
        }
        const ImageSize image = image_size(shape);
        const int32_t* indices = checked_indices(c.input<int32_t>(2), boxes, shape[0]);
        check_boxes(c.input<float>(1), boxes);
        const T* from = c.input<T>(0);
        auto* to =
            static_cast<float*>(place.memory(c, Shape{boxes, crop[0], crop[1], image.channels}));
        const int64_t row = crop[1] * image.channels;
        parallel_for(boxes, 1, [&](int64_t begin, int64_t end) {
          std::vector<float> buffer(static_cast<size_t>(image.row()));
          for (int64_t b = begin; b < end; ++b) {
            const float* box = c.input<float>(1) + 4 * b;
            const Taps rows = span_taps(vertical(box, image.height, crop[0]), is_nearest);
            const Taps columns = span_taps(horizontal(box, image.width, crop[1]), is_nearest);
            for (int64_t y = 0; y < crop[0]; ++y) {
              reference::resample_row(rows, columns, image, from + indices[b] * image.elements(), y,
                                      outside, buffer.data(), to + (b * crop[0] + y) * row);
            }
          }
        });
      });
    }
  });
}

KernelPtr make_crop_grad_image(const KernelRequest& request) {
  const Shape grads = request.inputs[0].shape;
  return visit_floats(request.outputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([grads, size = IntsInput(request, 3),
                        is_nearest = request.node.attr<std::string>("method") == "nearest",
                        place = OutputPlace(request, 0)](KernelContext& c) {
      const Shape shape(size.read(c));
      if (shape.rank() != 4 || shape[3] != grads[3]) {
        throw invalid_argument("`image_size` ", shape, " must have 4 entries, and the ", grads[3],
                               " channels of `grads` last");
      }
      const ImageSize image = image_size(shape);
      const int32_t* indices = checked_indices(c.input<int32_t>(2), grads[0], shape[0]);
      check_boxes(c.input<float>(1), grads[0]);
      // Memory first: it tells whether there is room for such an image.
      T* to = static_cast<T*>(place.memory(c, shape));
      std::vector<double> sums(static_cast<size_t>(shape.num_elements()), 0);
      std::vector<double> buffer(static_cast<size_t>(image.row()));
      for (int64_t b = 0; b < grads[0]; ++b) {
        const float* box = c.input<float>(1) + 4 * b;
        const Taps rows = span_taps(vertical(box, image.height, grads[1]), is_nearest);
        const Taps columns = span_taps(horizontal(box, image.width, grads[2]), is_nearest);
        for (int64_t y = 0; y < grads[1]; ++y) {
          reference::spread_row(rows, columns, image,
                                c.input<float>(0) + (b * grads[1] + y) * grads[2] * image.channels,
                                y, buffer.data(), sums.data() + indices[b] * image.elements());
        }
      }
      for (size_t i = 0; i < sums.size(); ++i) to[i] = narrow<T>(sums[i]);
    });
  });
}

// How far a sample moves as the first and the last coordinate of its dimension do.
struct Motion {
  double first, last;
  Motion(const Span& span, int64_t i) {
    const auto end = static_cast<double>(span.in - 1);
    const double part =
        span.out == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(span.out - 1);
    first = end * (1 - part);
    last = end * part;
  }
};

// The four numbers of one box: the slope of each sample times how far it moves.
template <class T>
void box_gradient(const Span& down, const Span& across, const ImageSize& image, const T* cells,
                  const float* grads, double* sums) {
  for (int64_t y = 0; y < down.out; ++y) {
    const float at_y = down.position(y);
    if (!down.is_inside(at_y)) continue;
    const auto top = static_cast<int64_t>(std::floor(at_y));
    const auto bottom = static_cast<int64_t>(std::ceil(at_y));
    const double part_y = at_y - std::floor(at_y);
    const Motion move_y(down, y);
    for (int64_t x = 0; x < across.out; ++x) {
      const float at_x = across.position(x);
      if (!across.is_inside(at_x)) continue;
      const auto left = static_cast<int64_t>(std::floor(at_x));
      const auto right = static_cast<int64_t>(std::ceil(at_x));
      const double part_x = at_x - std::floor(at_x);
      const Motion move_x(across, x);
      for (int64_t k = 0; k < image.channels; ++k) {
        const auto cell = [&](int64_t row, int64_t column) {
          return static_cast<double>(
              widen(cells[(row * image.width + column) * image.channels + k]));
        };
        const double top_left = cell(top, left), top_right = cell(top, right);
        const double bottom_left = cell(bottom, left), bottom_right = cell(bottom, right);
        const double flow = grads[(y * across.out + x) * image.channels + k];
        const double slope_y =
            (1 - part_x) * (bottom_left - top_left) + part_x * (bottom_right - top_right);
        const double slope_x =
            (1 - part_y) * (top_right - top_left) + part_y * (bottom_right - bottom_left);
        sums[0] += flow * slope_y * move_y.first;
        sums[1] += flow * slope_x * move_x.first;
        sums[2] += flow * slope_y * move_y.last;
        sums[3] += flow * slope_x * move_x.last;
      }
    }
  }
}

KernelPtr make_crop_grad_boxes(const KernelRequest& request) {
  const Shape grads = request.inputs[0].shape;
  const Shape shape = request.inputs[1].shape;
  return visit_numbers(request.inputs[1].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([grads, shape](KernelContext& c) {
      const ImageSize image = image_size(shape);
      const int32_t* indices = checked_indices(c.input<int32_t>(3), grads[0], shape[0]);
      check_boxes(c.input<float>(2), grads[0]);
      for (int64_t b = 0; b < grads[0]; ++b) {
        const float* box = c.input<float>(2) + 4 * b;
        double sums[4] = {};
        box_gradient(vertical(box, image.height, grads[1]), horizontal(box, image.width, grads[2]),
                     image, c.input<T>(1) + indices[b] * image.elements(),
                     c.input<float>(0) + b * grads[1] * grads[2] * image.channels, sums);
        for (int i = 0; i < 4; ++i) c.output<float>()[4 * b + i] = static_cast<float>(sums[i]);
      }
    });
  });
}

// TensorFlow's colours, in turn.
constexpr float kColours[][4] = {{1, 1, 0, 1},     {0, 0, 1, 1},     {1, 0, 0, 1},   {0, 1, 0, 1},
                                 {0.5, 0, 0.5, 1}, {0.5, 0.5, 0, 1}, {0.5, 0, 0, 1}, {0, 0, 0.5, 1},
                                 {0, 1, 1, 1},     {1, 0, 1, 1}};

// The colours to draw in: those of input 2 if there are any.
std::vector<std::vector<float>> read_colours(const KernelContext& c, const Shape& given,
                                             int64_t channels) {
  std::vector<std::vector<float>> colours;
  for (int64_t i = 0; i < (given.rank() == 2 ? given[0] : 0); ++i) {
    if (given[1] < channels) {
      throw invalid_argument("`colors` has ", given[1], " channels, the images have ", channels);
    }
    const float* colour = c.input<float>(2) + i * given[1];
    colours.emplace_back(colour, colour + channels);
  }
  if (!colours.empty()) return colours;
  if (channels > 4) {
    throw invalid_argument("images of ", channels, " channels need `colors` to be given");
  }
  for (const auto& colour : kColours) {
    colours.emplace_back(colour, colour + channels);
    if (channels == 1) colours.back()[0] = 1;
  }
  return colours;
}

template <class T>
void draw_box(const ImageSize& image, const float* box, const std::vector<float>& colour,
              T* cells) {
  const auto line = [](float part, int64_t size) {
    return static_cast<int64_t>(part * static_cast<float>(size - 1));
  };
  const int64_t top = line(box[0], image.height), bottom = line(box[2], image.height);
  const int64_t left = line(box[1], image.width), right = line(box[3], image.width);
  if (top > bottom || left > right) return;
  if (top >= image.height || bottom < 0 || left >= image.width || right < 0) return;
  const auto paint = [&](int64_t y, int64_t x) {
    if (y < 0 || y >= image.height || x < 0 || x >= image.width) return;
    for (int64_t k = 0; k < image.channels; ++k) {
      cells[(y * image.width + x) * image.channels + k] = narrow<T>(colour[static_cast<size_t>(k)]);
    }
  };
  for (int64_t x = std::max<int64_t>(left, 0); x <= std::min(right, image.width - 1); ++x) {
    paint(top, x);
    paint(bottom, x);
  }
  for (int64_t y = std::max<int64_t>(top, 0); y <= std::min(bottom, image.height - 1); ++y) {
    paint(y, left);
    paint(y, right);
  }
}

KernelPtr make_draw(const KernelRequest& request) {
  const Shape shape = request.inputs[0].shape;
  const Shape given = request.inputs.size() > 2 ? request.inputs[2].shape : Shape{};
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([shape, given, boxes = request.inputs[1].shape[1]](KernelContext& c) {
      const auto colours = read_colours(c, given, shape[3]);
      const ImageSize image = image_size(shape);
      std::copy_n(c.input<T>(0), shape.num_elements(), c.output<T>());
      for (int64_t n = 0; n < shape[0]; ++n) {
        for (int64_t b = 0; b < boxes; ++b) {
          const float* box = c.input<float>(1) + 4 * (n * boxes + b);
          if (!std::all_of(box, box + 4, [](float x) { return std::abs(x) < 1e6f; })) continue;
          draw_box(image, box, colours[static_cast<size_t>(b) % colours.size()],
                   c.output<T>() + n * image.elements());
        }
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"CropAndResize", "reference", make_crop},
    {"CropAndResizeGradImage", "reference", make_crop_grad_image},
    {"CropAndResizeGradBoxes", "reference", make_crop_grad_boxes},
    {"DrawBoundingBoxes", "reference", make_draw},
    {"DrawBoundingBoxesV2", "reference", make_draw},
};

}  // namespace

std::span<const KernelDef> reference_crop_kernels() { return kKernels; }

}  // namespace thalweg
