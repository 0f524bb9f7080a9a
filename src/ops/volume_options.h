// Translation between the options of volume functions (depth, height and width) and the attributes
// of their ops (one entry for each dimension of the data format).
#pragma once

#include "thalweg/graph/volume_window.h"
#include "thalweg/ops/volume.h"

namespace thalweg {

/// {1, depth, height, width, 1} in NDHWC. Throws invalid_argument naming `option` unless it has
/// three entries.
inline std::vector<int64_t> volume_list(const std::vector<int64_t>& three,
                                        const std::string& data_format, std::string_view option) {
  if (three.size() != 3) {
    throw invalid_argument("`", option, "` takes {depth, height, width}, got ", three);
  }
  std::vector<int64_t> list(5, 1);
  std::copy(three.begin(), three.end(), list.begin() + volume_axes(data_format).spatial);
  return list;
}

/// {depth, height, width} of such a list.
inline std::vector<int64_t> volume_three(const AttrMap& attrs, std::string_view name) {
  const auto& list = std::get<std::vector<int64_t>>(attrs.find(name)->second);
  const auto& format = std::get<std::string>(attrs.at("data_format"));
  const auto first = list.begin() + volume_axes(format).spatial;
  return {first, first + 3};
}

inline AttrMap conv3d_attrs(const Conv3dOptions& options) {
  return {{"strides", volume_list(options.strides, options.data_format, "strides")},
          {"dilations", volume_list(options.dilations, options.data_format, "dilations")},
          {"padding", options.padding},
          {"data_format", options.data_format}};
}

inline Conv3dOptions conv3d_options(const AttrMap& attrs) {
  return {.strides = volume_three(attrs, "strides"),
          .padding = std::get<std::string>(attrs.at("padding")),
          .dilations = volume_three(attrs, "dilations"),
          .data_format = std::get<std::string>(attrs.at("data_format"))};
}

inline AttrMap pool3d_attrs(const Pool3dOptions& options) {
  return {{"ksize", volume_list(options.window, options.data_format, "window")},
          {"strides", volume_list(options.strides, options.data_format, "strides")},
          {"padding", options.padding},
          {"data_format", options.data_format}};
}

}  // namespace thalweg
