// Resizing as what it is: each cell of a result is a weighted sum of cells, first over rows, then
// over columns. All that ways of resizing differ in is the two tables of cells and weights.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "thalweg/tensor/shape.h"

namespace thalweg::reference {

/// A cell that a result is mixed from.
struct Tap {
  int64_t cell;
  float weight;
};

/// The taps of each cell of a resized dimension. A cell without taps lies outside the image.
class Taps {
 public:
  int64_t size() const { return static_cast<int64_t>(ends_.size()); }
  std::span<const Tap> of(int64_t cell) const {
    const size_t begin = cell == 0 ? 0 : ends_[static_cast<size_t>(cell - 1)];
    return {taps_.data() + begin, ends_[static_cast<size_t>(cell)] - begin};
  }
  /// The cells [first, last) of the image that any tap reads.
  int64_t first() const { return first_; }
  int64_t last() const { return last_; }

  /// Adds a tap to the cell that the next end_cell() ends.
  void add(int64_t cell, float weight);
  void end_cell() { ends_.push_back(taps_.size()); }

 private:
  std::vector<Tap> taps_;
  std::vector<size_t> ends_;
  int64_t first_ = 0, last_ = 0;
};

/// Where the cells of a resized dimension sample it: TensorFlow's scale and offset, in float.
struct Sampling {
  Sampling(int64_t in, int64_t out, bool align_corners, bool half_pixel_centers);
  float position(int64_t cell) const;

  int64_t in, out;
  float scale;
  bool align_corners, half_pixel_centers;
};

/// The nearest cell for each cell of the result.
std::vector<int64_t> nearest_cells(const Sampling& sampling);
Taps bilinear_taps(const Sampling& sampling);
Taps bicubic_taps(const Sampling& sampling);
Taps area_taps(const Sampling& sampling);

/// ScaleAndTranslate's way along one dimension.
struct KernelSampling {
  int64_t in, out;
  float scale, translation;
  std::string_view kernel_type;
  bool antialias;
};
/// Throws invalid_argument naming an unknown kernel, or a scale that is not above 0.
Taps kernel_taps(const KernelSampling& sampling);

/// The size of an image, and elements between its rows.
struct ImageSize {
  int64_t height, width, channels;
  int64_t row() const { return width * channels; }
  int64_t elements() const { return height * row(); }
};

/// Row `y` of a resized image: `result` has columns.size() * channels floats, `buffer` at least
/// image.row(). Cells outside the image become `outside`.
template <class T>
void resample_row(const Taps& rows, const Taps& columns, const ImageSize& image, const T* cells,
                  int64_t y, float outside, float* buffer, float* result);

/// The transpose: adds row `y` of gradients to `sums`, shaped as the image; `buffer` at least
/// image.row().
template <class T>
void spread_row(const Taps& rows, const Taps& columns, const ImageSize& image, const T* gradients,
                int64_t y, double* buffer, double* sums);

}  // namespace thalweg::reference
