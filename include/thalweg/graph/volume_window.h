// The geometry of sliding windows over volumes: thalweg/graph/window.h with a depth.
#pragma once

#include <array>
#include <string_view>

#include "thalweg/graph/window.h"

namespace thalweg {

/// Where the dimensions of a batch of volumes stand: "NDHWC" or "NCDHW".
struct VolumeAxes {
  int spatial = 1;  // depth; height and width follow
  int channels = 4;
};
/// Throws unimplemented naming the format.
VolumeAxes volume_axes(std::string_view data_format);

/// Depth, height and width.
using Windows3d = std::array<Window, 3>;

/// Of a convolution with the attributes `strides`, `dilations`, `padding` and `data_format` over
/// volumes of shape `input` (rank 5, or unknown), with a filter `[depth, height, width, ...]`.
/// Throws invalid_argument naming dimension and attribute.
Windows3d volume_convolution_windows(const AttrMap& attrs, const Shape& input, const Shape& filter);
/// Of a pooling with the attributes `ksize`, `strides`, `padding` and `data_format`.
Windows3d volume_pooling_windows(const AttrMap& attrs, const Shape& input);

}  // namespace thalweg
