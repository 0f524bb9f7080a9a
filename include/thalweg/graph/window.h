// The geometry of sliding windows, shared by the ops and the kernels of convolution and pooling, so
// that a shape function and every kernel agree on sizes and on where padding goes.
#pragma once

#include <cstdint>
#include <string_view>

#include "thalweg/graph/graph.h"

namespace thalweg {

/// One spatial dimension of a sliding window. Immutable once made; lengths in cells.
struct Window {
  int64_t input = 0;  // length of the input; kUnknownDim when unknown
  int64_t size = 1;   // cells of the window; kUnknownDim when unknown
  int64_t stride = 1;
  int64_t dilation = 1;
  int64_t pad_before = 0;  // with SAME: 0 when the input length or the size is unknown
  int64_t pad_after = 0;
  int64_t output = 0;  // number of windows; kUnknownDim when unknown

  /// Cells from the first to the last of a window, gaps of a dilated one included.
  int64_t extent() const { return (size - 1) * dilation + 1; }
  /// Input cell under cell `k` of window `o`; it lies outside [0, input) over padding.
  int64_t cell(int64_t o, int64_t k) const { return o * stride + k * dilation - pad_before; }
};

/// A window under TensorFlow's padding rules. "VALID": no padding. "SAME": output = ceil(input /
/// stride), the odd cell of padding at the end. "EXPLICIT": the paddings given. Throws
/// invalid_argument on a stride or dilation below 1, a negative padding, one of them or a size above
/// 2^31, an unknown rule, and a window longer than the padded input.
Window make_window(int64_t input, int64_t size, int64_t stride, int64_t dilation,
                   std::string_view padding, int64_t pad_before = 0, int64_t pad_after = 0);

/// Where the dimensions of an image batch stand: "NHWC" or "NCHW".
struct ImageAxes {
  int batch = 0;
  int height = 1;
  int width = 2;
  int channels = 3;
};
/// Throws unimplemented naming the format.
ImageAxes image_axes(std::string_view data_format);

/// The windows of a 2-D op over an image batch.
struct Windows2d {
  Window height;
  Window width;
};

/// Of a convolution with the attributes `strides`, `dilations`, `padding`, `explicit_paddings` and
/// `data_format`, over images of shape `input` (rank 4, or unknown), with filters of
/// `filter_height` x `filter_width`. Throws invalid_argument naming dimension and attribute.
Windows2d convolution_windows(const AttrMap& attrs, const Shape& input, int64_t filter_height,
                              int64_t filter_width);
inline Windows2d convolution_windows(const Node& node, const Shape& input, int64_t filter_height,
                                     int64_t filter_width) {
  return convolution_windows(node.attrs(), input, filter_height, filter_width);
}
/// Of a pooling with the attributes `ksize`, `strides`, `padding`, `explicit_paddings` (if it has
/// them) and `data_format`.
Windows2d pooling_windows(const AttrMap& attrs, const Shape& input);
inline Windows2d pooling_windows(const Node& node, const Shape& input) {
  return pooling_windows(node.attrs(), input);
}

}  // namespace thalweg
