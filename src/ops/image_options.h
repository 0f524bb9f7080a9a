// Translation between the options of image functions (height and width) and the attributes of their
// ops (one entry for each dimension of the data format).
#pragma once

#include "thalweg/graph/window.h"
#include "thalweg/ops/convolution.h"
#include "thalweg/ops/pooling.h"

namespace thalweg {

/// {1, height, width, 1} in NHWC. Throws invalid_argument naming `option` unless it has two
/// entries.
inline std::vector<int64_t> image_list(const std::vector<int64_t>& pair,
                                       const std::string& data_format, std::string_view option) {
  if (pair.size() != 2) throw invalid_argument("`", option, "` takes {height, width}, got ", pair);
  const ImageAxes axes = image_axes(data_format);
  std::vector<int64_t> list(4, 1);
  list[static_cast<size_t>(axes.height)] = pair[0];
  list[static_cast<size_t>(axes.width)] = pair[1];
  return list;
}

/// {height, width} of such a list.
inline std::vector<int64_t> image_pair(const std::vector<int64_t>& list,
                                       const std::string& data_format) {
  const ImageAxes axes = image_axes(data_format);
  return {list[static_cast<size_t>(axes.height)], list[static_cast<size_t>(axes.width)]};
}

inline AttrMap convolution_attrs(const ConvOptions& options) {
  std::vector<int64_t> paddings;
  if (!options.explicit_paddings.empty()) {
    if (options.explicit_paddings.size() != 4) {
      throw invalid_argument("`explicit_paddings` takes {top, bottom, left, right}, got ",
                             options.explicit_paddings);
    }
    paddings.assign(8, 0);
    const ImageAxes axes = image_axes(options.data_format);
    for (int side = 0; side < 2; ++side) {
      paddings[static_cast<size_t>(2 * axes.height + side)] =
          options.explicit_paddings[static_cast<size_t>(side)];
      paddings[static_cast<size_t>(2 * axes.width + side)] =
          options.explicit_paddings[static_cast<size_t>(2 + side)];
    }
  }
  return {{"strides", image_list(options.strides, options.data_format, "strides")},
          {"dilations", image_list(options.dilations, options.data_format, "dilations")},
          {"padding", options.padding},
          {"explicit_paddings", std::move(paddings)},
          {"data_format", options.data_format}};
}

inline AttrMap pooling_attrs(const PoolOptions& options) {
  return {{"ksize", image_list(options.window, options.data_format, "window")},
          {"strides", image_list(options.strides, options.data_format, "strides")},
          {"padding", options.padding},
          {"data_format", options.data_format}};
}

}  // namespace thalweg
