// Values with channels, in either data format, seen as `[outer, channels, inner]`.
#pragma once

#include <string>

#include "thalweg/tensor/shape.h"

namespace thalweg {

struct Channels {
  int64_t outer = 1;
  int64_t channels = 1;
  int64_t inner = 1;

  /// Calls f(position) for every element of a channel.
  template <class F>
  void for_each(int64_t channel, F f) const {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t i = 0; i < inner; ++i) f((o * channels + channel) * inner + i);
    }
  }
};

inline Channels channels_of(const Shape& shape, const std::string& data_format) {
  const int axis = data_format == "NCHW" ? 1 : shape.rank() - 1;
  return {shape.slice(0, axis).num_elements(), shape[axis], shape.slice(axis + 1).num_elements()};
}

}  // namespace thalweg
