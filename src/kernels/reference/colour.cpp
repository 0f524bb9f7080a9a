#include <algorithm>
#include <cmath>

#include "kernels/families.h"
#include "kernels/reference/accumulate.h"
#include "thalweg/base/parallel.h"

namespace thalweg {
namespace {

struct Rgb {
  double r, g, b;
};
struct Hsv {
  double h, s, v;
};

// Hue in [0, 1); 0 for grey.
double hue_of(const Rgb& c, double largest, double range) {
  if (!(range > 0)) return 0;
  const double norm = 1 / (6 * range);
  double hue;
  if (c.r == largest) {
    hue = norm * (c.g - c.b);
  } else if (c.g == largest) {
    hue = norm * (c.b - c.r) + 2.0 / 6;
  } else {
    hue = norm * (c.r - c.g) + 4.0 / 6;
  }
  return hue < 0 ? hue + 1 : hue;
}

Hsv to_hsv(const Rgb& c) {
  const double largest = std::max({c.r, c.g, c.b});
  const double range = largest - std::min({c.r, c.g, c.b});
  return {hue_of(c, largest, range), largest > 0 ? range / largest : 0, largest};
}

// How much of each part a hue has.
Rgb parts_of(double hue) {
  const double h = hue * 6;
  const auto unit = [](double x) { return std::clamp(x, 0.0, 1.0); };
  return {unit(std::abs(h - 3) - 1), unit(2 - std::abs(h - 2)), unit(2 - std::abs(h - 4))};
}

Rgb to_rgb(const Hsv& c) {
  const Rgb part = parts_of(c.h);
  const auto mix = [&c](double p) { return (1 - c.s + c.s * p) * c.v; };
  return {mix(part.r), mix(part.g), mix(part.b)};
}

Rgb turned(const Rgb& c, double delta) {
  const double largest = std::max({c.r, c.g, c.b});
  const double least = std::min({c.r, c.g, c.b});
  double hue = hue_of(c, largest, largest - least) + delta;
  hue -= std::floor(hue);
  const Rgb part = parts_of(hue);
  const auto mix = [&](double p) { return least + (largest - least) * p; };
  return {mix(part.r), mix(part.g), mix(part.b)};
}

// Maps each triple of numbers by f(Rgb, parameter); the parameter is the scalar input 1, if any.
template <Rgb (*kFunction)(const Rgb&, double)>
KernelPtr make_map(const KernelRequest& request) {
  const int64_t count = request.inputs[0].shape.num_elements() / 3;
  const bool has_parameter = request.inputs.size() > 1;
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel(
        [count, has_parameter](KernelContext& c) {
          const double parameter = has_parameter ? *c.input<float>(1) : 0;
          parallel_for(count, 256, [&](int64_t begin, int64_t end) {
            const T* from = c.input<T>(0) + 3 * begin;
            T* to = c.output<T>() + 3 * begin;
            for (int64_t i = begin; i < end; ++i, from += 3, to += 3) {
              const Rgb out =
                  kFunction({widen(from[0]), widen(from[1]), widen(from[2])}, parameter);
              to[0] = narrow<T>(out.r), to[1] = narrow<T>(out.g), to[2] = narrow<T>(out.b);
            }
          });
        },
        {.in_place = {{0, 0}}});
  });
}

Rgb rgb_to_hsv(const Rgb& c, double) {
  const Hsv hsv = to_hsv(c);
  return {hsv.h, hsv.s, hsv.v};
}

Rgb hsv_to_rgb(const Rgb& c, double) { return to_rgb({c.r, c.g, c.b}); }

Rgb saturated(const Rgb& c, double scale) {
  Hsv hsv = to_hsv(c);
  hsv.s = std::clamp(hsv.s * scale, 0.0, 1.0);
  return to_rgb(hsv);
}

KernelPtr make_contrast(const KernelRequest& request) {
  const Shape& shape = request.inputs[0].shape;
  const int64_t channels = shape.dim(-1), area = shape.dim(-3) * shape.dim(-2);
  const int64_t images = shape.slice(0, -3).num_elements();
  return visit_floats(request.inputs[0].dtype, [&]<class T>(TypeTag<T>) {
    return make_kernel([=](KernelContext& c) {
      const double factor = *c.input<float>(1);
      parallel_for(images, 1, [&](int64_t begin, int64_t end) {
        std::vector<double> means(static_cast<size_t>(channels));
        for (int64_t n = begin; n < end; ++n) {
          const T* from = c.input<T>(0) + n * area * channels;
          T* to = c.output<T>() + n * area * channels;
          std::fill(means.begin(), means.end(), 0.0);
          for (int64_t i = 0; i < area * channels; ++i) {
            means[static_cast<size_t>(i % channels)] += widen(from[i]) / static_cast<double>(area);
          }
          for (int64_t i = 0; i < area * channels; ++i) {
            const double mean = means[static_cast<size_t>(i % channels)];
            to[i] = narrow<T>((widen(from[i]) - mean) * factor + mean);
          }
        }
      });
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"RGBToHSV", "reference", make_map<rgb_to_hsv>},
    {"HSVToRGB", "reference", make_map<hsv_to_rgb>},
    {"AdjustContrastv2", "reference", make_contrast},
    {"AdjustHue", "reference", make_map<turned>},
    {"AdjustSaturation", "reference", make_map<saturated>},
};

}  // namespace

std::span<const KernelDef> reference_colour_kernels() { return kKernels; }

}  // namespace thalweg
