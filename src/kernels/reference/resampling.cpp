// Positions and weights are computed in float, in TensorFlow's order: which cell is the nearest, or
// the first of a pair, is decided by a rounding.

#include "kernels/reference/resampling.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "thalweg/base/error.h"
#include "thalweg/tensor/dtype.h"

namespace thalweg::reference {
namespace {

// Cubic convolution weights of the cells at distance x and 1 + x, x in [0, 1], where a is the slope
// at 1. TensorFlow looks them up at 1/1024 steps, and so do we.
struct CubicTable {
  static constexpr int kSteps = 1024;
  std::array<float, kSteps + 1> near, far;

  explicit CubicTable(double a) {
    for (int i = 0; i <= kSteps; ++i) {
      float x = static_cast<float>(i) / kSteps;
      near[static_cast<size_t>(i)] = static_cast<float>(((a + 2) * x - (a + 3)) * x * x + 1);
      x += 1.0f;
      far[static_cast<size_t>(i)] = static_cast<float>(((a * x - 5 * a) * x + 8 * a) * x - 4 * a);
    }
  }
};

// Weights that sum to nearly nothing are left as they are.
bool can_normalize(float sum) {
  return std::abs(sum) >= 1000.0f * std::numeric_limits<float>::min();
}

float lanczos(float x, float radius) {
  if (x > radius) return 0;
  if (x <= 1e-3f) return 1;
  const float pi = std::numbers::pi_v<float>;
  return radius * std::sin(pi * x) * std::sin(pi * x / radius) / (pi * pi * x * x);
}

float gaussian(float x) {
  constexpr float kRadius = 1.5f, kSigma = kRadius / 3;
  return x >= kRadius ? 0 : std::exp(-x * x / (2 * kSigma * kSigma));
}

float box(float x) { return x < 0.5f ? 1.0f : x == 0.5f ? 0.5f : 0.0f; }

float triangle(float x) { return x < 1 ? 1 - x : 0; }

float keys_cubic(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return ((-0.5f * x + 2.5f) * x - 4) * x + 2;
  return ((1.5f * x - 2.5f) * x) * x + 1;
}

float mitchell_cubic(float x) {
  if (x >= 2) return 0;
  if (x >= 1) return (((-7.0f / 18) * x + 2) * x - 10.0f / 3) * x + 16.0f / 9;
  return (((7.0f / 6) * x - 2) * x) * x + 8.0f / 9;
}

struct SamplingKernel {
  std::string_view name;
  float radius;
  float (*weight)(float distance);
};
constexpr SamplingKernel kKernels[] = {
    {"lanczos1", 1, [](float x) { return lanczos(x, 1); }},
    {"lanczos3", 3, [](float x) { return lanczos(x, 3); }},
    {"lanczos5", 5, [](float x) { return lanczos(x, 5); }},
    {"gaussian", 1.5, gaussian},
    {"box", 0.5, box},
    {"triangle", 1, triangle},
    {"keyscubic", 2, keys_cubic},
    {"mitchellcubic", 2, mitchell_cubic},
};

const SamplingKernel& find_kernel(std::string_view name) {
  for (const SamplingKernel& kernel : kKernels) {
    if (kernel.name == name) return kernel;
  }
  throw invalid_argument("kernel_type is \"", name,
                         "\"; it must be lanczos1, lanczos3, lanczos5, gaussian, box, triangle, "
                         "keyscubic or mitchellcubic");
}

template <class T>
float to_float(T value) {
  return static_cast<float>(value);
}

// kChannels 0: as many as `channels` says. A known count makes the inner loop straight code.
template <int kChannels>
void mix_columns(const Taps& columns, int64_t channels, float outside, const float* row,
                 float* result) {
  const int64_t count = kChannels == 0 ? channels : kChannels;
  for (int64_t x = 0; x < columns.size(); ++x, result += count) {
    const std::span<const Tap> taps = columns.of(x);
    if (taps.size() == 2) {
      const float* left = row + taps[0].cell * count;
      const float* right = row + taps[1].cell * count;
      for (int64_t c = 0; c < count; ++c) {
        result[c] = left[c] * taps[0].weight + right[c] * taps[1].weight;
      }
      continue;
    }
    for (int64_t c = 0; c < count; ++c) result[c] = taps.empty() ? outside : 0;
    for (const Tap& tap : taps) {
      const float* cell = row + tap.cell * count;
      for (int64_t c = 0; c < count; ++c) result[c] += cell[c] * tap.weight;
    }
  }
}

}  // namespace

void Taps::add(int64_t cell, float weight) {
  if (taps_.empty()) first_ = cell, last_ = cell + 1;
  first_ = std::min(first_, cell);
  last_ = std::max(last_, cell + 1);
  taps_.push_back({cell, weight});
}

Sampling::Sampling(int64_t in, int64_t out, bool align_corners, bool half_pixel_centers)
    : in(in),
      out(out),
      scale(align_corners && out > 1 ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                                     : static_cast<float>(in) / static_cast<float>(out)),
      align_corners(align_corners),
      half_pixel_centers(half_pixel_centers) {}

float Sampling::position(int64_t cell) const {
  const auto x = static_cast<float>(cell);
  return half_pixel_centers ? (x + 0.5f) * scale - 0.5f : x * scale;
}

std::vector<int64_t> nearest_cells(const Sampling& s) {
  std::vector<int64_t> cells;
  for (int64_t x = 0; x < s.out; ++x) {
    const float at = (static_cast<float>(x) + (s.half_pixel_centers ? 0.5f : 0.0f)) * s.scale;
    const auto cell = static_cast<int64_t>(s.align_corners ? std::round(at) : std::floor(at));
    cells.push_back(std::clamp<int64_t>(cell, 0, s.in - 1));
  }
  return cells;
}

Taps bilinear_taps(const Sampling& s) {
  Taps taps;
  for (int64_t x = 0; x < s.out; ++x) {
    const float at = s.position(x);
    const float floor = std::floor(at);
    const auto lower = std::max<int64_t>(static_cast<int64_t>(floor), 0);
    const auto upper = std::min<int64_t>(static_cast<int64_t>(std::ceil(at)), s.in - 1);
    // Rounding may put the last position past the last cell.
    taps.add(std::min(lower, s.in - 1), 1 - (at - floor));
    taps.add(std::max<int64_t>(upper, 0), at - floor);
    taps.end_cell();
  }
  return taps;
}

Taps bicubic_taps(const Sampling& s) {
  static const CubicTable legacy(-0.75), keys(-0.5);
  const bool is_keys = s.half_pixel_centers;
  const CubicTable& table = is_keys ? keys : legacy;
  Taps taps;
  for (int64_t x = 0; x < s.out; ++x) {
    const float at = s.position(x);
    const auto first = static_cast<int64_t>(std::floor(at));
    const auto offset =
        static_cast<size_t>(std::lrint((at - static_cast<float>(first)) * CubicTable::kSteps));
    const size_t rest = CubicTable::kSteps - offset;
    float weights[] = {table.far[offset], table.near[offset], table.near[rest], table.far[rest]};
    float sum = 0;
    for (int i = 0; i < 4; ++i) {
      const int64_t cell = first - 1 + i;
      if (is_keys && (cell < 0 || cell >= s.in)) weights[i] = 0;
      sum += weights[i];
    }
    const float factor = is_keys && can_normalize(sum) ? 1 / sum : 1;
    for (int i = 0; i < 4; ++i) {
      taps.add(std::clamp<int64_t>(first - 1 + i, 0, s.in - 1), weights[i] * factor);
    }
    taps.end_cell();
  }
  return taps;
}

Taps area_taps(const Sampling& s) {
  Taps taps;
  for (int64_t x = 0; x < s.out; ++x) {
    const float begin = static_cast<float>(x) * s.scale;
    const float end = static_cast<float>(x + 1) * s.scale;
    if (s.scale == 0) {  // one cell, stretched with its corners in place
      taps.add(0, 1);
      taps.end_cell();
      continue;
    }
    for (auto i = static_cast<int64_t>(std::floor(begin)); i < static_cast<int64_t>(std::ceil(end));
         ++i) {
      const auto cell = static_cast<float>(i);
      const float covered = std::min(cell + 1, end) - std::max(cell, begin);
      taps.add(std::clamp<int64_t>(i, 0, s.in - 1), covered / s.scale);
    }
    taps.end_cell();
  }
  return taps;
}

Taps kernel_taps(const KernelSampling& s) {
  if (!(s.scale > 0)) throw invalid_argument("a scale must be above 0, got ", s.scale);
  const SamplingKernel& kernel = find_kernel(s.kernel_type);
  const float inverse = 1.0f / s.scale;
  const float shift = -inverse * s.translation;
  // Shrinking is a low-pass filter as well; enlarging is interpolation alone.
  const float widening = s.antialias ? std::max(inverse, 1.0f) : 1.0f;
  const float reach = kernel.radius * widening;
  Taps taps;
  std::vector<float> weights;
  for (int64_t x = 0; x < s.out; ++x) {
    const float at = (static_cast<float>(x) + 0.5f) * inverse + shift;
    if (at < 0 || at > static_cast<float>(s.in)) {
      taps.end_cell();
      continue;
    }
    const auto inside = [&](float cell) {
      return static_cast<int64_t>(std::clamp(cell, 0.0f, static_cast<float>(s.in - 1)));
    };
    const int64_t begin = inside(std::ceil(at - reach - 0.5f));
    const int64_t end = inside(std::floor(at + reach - 0.5f)) + 1;
    weights.clear();
    float sum = 0;
    for (int64_t i = begin; i < end; ++i) {
      const float distance = static_cast<float>(i) + 0.5f - at;
      weights.push_back(kernel.weight(std::abs(distance / widening)));
      sum += weights.back();
    }
    const float factor = can_normalize(sum) ? 1 / sum : 1;
    for (int64_t i = begin; i < end; ++i) {
      taps.add(i, weights[static_cast<size_t>(i - begin)] * factor);
    }
    taps.end_cell();
  }
  return taps;
}

template <class T>
void resample_row(const Taps& rows, const Taps& columns, const ImageSize& image, const T* cells,
                  int64_t y, float outside, float* buffer, float* result) {
  const std::span<const Tap> taps = rows.of(y);
  if (taps.empty()) return void(std::fill_n(result, columns.size() * image.channels, outside));
  const int64_t begin = columns.first() * image.channels;
  const int64_t end = columns.last() * image.channels;
  if (taps.size() == 2) {
    const T* top = cells + taps[0].cell * image.row();
    const T* bottom = cells + taps[1].cell * image.row();
    const float above = taps[0].weight, below = taps[1].weight;
    for (int64_t i = begin; i < end; ++i) {
      buffer[i] = to_float(top[i]) * above + to_float(bottom[i]) * below;
    }
  } else {
    std::fill(buffer + begin, buffer + end, 0.0f);
    for (const Tap& tap : taps) {
      const T* row = cells + tap.cell * image.row();
      for (int64_t i = begin; i < end; ++i) buffer[i] += to_float(row[i]) * tap.weight;
    }
  }
  switch (image.channels) {
    case 1: return mix_columns<1>(columns, 1, outside, buffer, result);
    case 3: return mix_columns<3>(columns, 3, outside, buffer, result);
    case 4: return mix_columns<4>(columns, 4, outside, buffer, result);
    default: return mix_columns<0>(columns, image.channels, outside, buffer, result);
  }
}

template <class T>
void spread_row(const Taps& rows, const Taps& columns, const ImageSize& image, const T* gradients,
                int64_t y, double* buffer, double* sums) {
  if (rows.of(y).empty()) return;
  const int64_t begin = columns.first() * image.channels;
  const int64_t end = columns.last() * image.channels;
  std::fill(buffer + begin, buffer + end, 0.0);
  for (int64_t x = 0; x < columns.size(); ++x, gradients += image.channels) {
    for (const Tap& tap : columns.of(x)) {
      double* cell = buffer + tap.cell * image.channels;
      for (int64_t c = 0; c < image.channels; ++c) {
        cell[c] += static_cast<double>(gradients[c]) * tap.weight;
      }
    }
  }
  for (const Tap& tap : rows.of(y)) {
    double* row = sums + tap.cell * image.row();
    for (int64_t i = begin; i < end; ++i) row[i] += buffer[i] * tap.weight;
  }
}

#define THALWEG_RESAMPLE(T)                                                                        \
  template void resample_row(const Taps&, const Taps&, const ImageSize&, const T*, int64_t, float, \
                             float*, float*);
THALWEG_RESAMPLE(float)
THALWEG_RESAMPLE(double)
THALWEG_RESAMPLE(BFloat16)
THALWEG_RESAMPLE(Float16)
THALWEG_RESAMPLE(int8_t)
THALWEG_RESAMPLE(uint8_t)
THALWEG_RESAMPLE(int16_t)
THALWEG_RESAMPLE(uint16_t)
THALWEG_RESAMPLE(int32_t)
THALWEG_RESAMPLE(int64_t)
#undef THALWEG_RESAMPLE
template void spread_row(const Taps&, const Taps&, const ImageSize&, const float*, int64_t, double*,
                         double*);

}  // namespace thalweg::reference
