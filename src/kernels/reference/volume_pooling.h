// Sliding windows over volumes, for pooling; images are volumes of one plane.
#pragma once

#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/reference/accumulate.h"
#include "thalweg/graph/volume_window.h"

namespace thalweg::reference {

/// Distances between neighbours in memory.
struct VolumeStrides {
  int64_t batch, spatial[3], channel;
};

struct VolumePooling {
  Windows3d windows;
  int64_t batch, channels;
  VolumeStrides in, out;
  Shape input, output;

  int64_t rows() const { return batch * windows[0].output * windows[1].output; }
};

/// The pooling of `input` with its channels at `channel_axis`; it has two or three spatial
/// dimensions, that of the first window being 1 for images.
inline VolumePooling make_volume_pooling(const Shape& input, int channel_axis,
                                         const Windows3d& windows) {
  VolumePooling p{windows, input[0], input[channel_axis], {}, {}, input, input};
  const int rank = input.rank();
  const int first = channel_axis == 1 ? 2 : 1;
  const int images = 5 - rank;  // dimensions that are not there
  for (int i = images; i < 3; ++i) {
    p.output.set_dim(first + i - images, windows[static_cast<size_t>(i)].output);
  }
  const auto strides = [&](const Shape& shape) {
    const auto stride = [&shape](int axis) { return shape.slice(axis + 1).num_elements(); };
    VolumeStrides s{stride(0), {0, 0, 0}, stride(channel_axis)};
    for (int i = images; i < 3; ++i) s.spatial[i] = stride(first + i - images);
    return s;
  };
  p.in = strides(p.input);
  p.out = strides(p.output);
  return p;
}

/// Calls f(output, cells) for each window of the rows [begin, end): the positions, at channel 0, of
/// its result and of its cells inside the volume, in row order.
template <class F>
void for_each_volume_window(const VolumePooling& p, int64_t begin, int64_t end, F f) {
  const auto& w = p.windows;
  std::vector<int64_t> cells;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t oy = row % w[1].output;
    const int64_t oz = row / w[1].output % w[0].output;
    const int64_t n = row / w[1].output / w[0].output;
    for (int64_t ox = 0; ox < w[2].output; ++ox) {
      cells.clear();
      for (int64_t kz = 0; kz < w[0].size; ++kz) {
        const int64_t z = w[0].cell(oz, kz);
        if (z < 0 || z >= w[0].input) continue;
        for (int64_t ky = 0; ky < w[1].size; ++ky) {
          const int64_t y = w[1].cell(oy, ky);
          if (y < 0 || y >= w[1].input) continue;
          for (int64_t kx = 0; kx < w[2].size; ++kx) {
            const int64_t x = w[2].cell(ox, kx);
            if (x < 0 || x >= w[2].input) continue;
            cells.push_back(n * p.in.batch + z * p.in.spatial[0] + y * p.in.spatial[1] +
                            x * p.in.spatial[2]);
          }
        }
      }
      f(n * p.out.batch + oz * p.out.spatial[0] + oy * p.out.spatial[1] + ox * p.out.spatial[2],
        cells);
    }
  }
}

/// Order of MaxPool: a NaN is larger than all, the first of equals stays.
template <class T>
bool pools_above(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a > b || (a != a && b == b);
  } else if constexpr (kIsFloating<T>) {
    return pools_above(widen(a), widen(b));
  } else {
    return a > b;
  }
}

/// The first largest cell of a channel; -1 for a window over nothing but padding.
template <class T>
int64_t largest_cell(const T* input, const std::vector<int64_t>& cells, int64_t channel) {
  int64_t best = cells.empty() ? -1 : cells[0] + channel;
  for (int64_t cell : cells) {
    if (pools_above(input[cell + channel], input[best])) best = cell + channel;
  }
  return best;
}

/// What a window over nothing but padding gives.
template <class T>
T lowest_value() {
  if constexpr (kIsFloating<T>) {
    return narrow<T>(-std::numeric_limits<double>::infinity());
  } else {
    return std::numeric_limits<T>::lowest();
  }
}

/// output = the largest cells.
template <class T>
void max_pool_rows(const VolumePooling& p, const T* input, T* output, int64_t begin, int64_t end) {
  for_each_volume_window(p, begin, end, [&](int64_t out, const std::vector<int64_t>& cells) {
    for (int64_t c = 0; c < p.channels; ++c) {
      output[out + c * p.out.channel] =
          cells.empty() ? lowest_value<T>() : input[cells[0] + c * p.in.channel];
    }
    for (size_t i = 1; i < cells.size(); ++i) {
      for (int64_t c = 0; c < p.channels; ++c) {
        const T value = input[cells[i] + c * p.in.channel];
        T& best = output[out + c * p.out.channel];
        best = pools_above(value, best) ? value : best;
      }
    }
  });
}

/// result (shaped as the input) = the gradient of each window at its largest cell.
template <class T, class G>
void max_pool_grad(const VolumePooling& p, const T* input, const G* gradient, G* result) {
  std::vector<Accumulator<G>> sums(static_cast<size_t>(p.input.num_elements()), 0);
  for_each_volume_window(p, 0, p.rows(), [&](int64_t out, const std::vector<int64_t>& cells) {
    for (int64_t c = 0; c < p.channels; ++c) {
      const int64_t best = largest_cell(input, cells, c * p.in.channel);
      if (best >= 0) sums[static_cast<size_t>(best)] += widen(gradient[out + c * p.out.channel]);
    }
  });
  for (size_t i = 0; i < sums.size(); ++i) result[i] = narrow<G>(sums[i]);
}

/// result (shaped as the output) = the gradient at each window's largest cell.
template <class T>
void max_pool_grad_grad(const VolumePooling& p, const T* input, const T* gradient, T* result) {
  for_each_volume_window(p, 0, p.rows(), [&](int64_t out, const std::vector<int64_t>& cells) {
    for (int64_t c = 0; c < p.channels; ++c) {
      const int64_t best = largest_cell(input, cells, c * p.in.channel);
      result[out + c * p.out.channel] = best < 0 ? narrow<T>(0) : gradient[best];
    }
  });
}

}  // namespace thalweg::reference
