// Images in the layouts that kernels of our own can walk: channels last, or in blocks of 16 or 8.
#pragma once

#include "kernels/onednn/layout.h"
#include "kernels/onednn/views.h"

namespace thalweg::onednn {

/// How the channels of an image batch lie; `block` 0 means channels last.
struct ChannelOrder {
  int block = 0;

  Desc desc(const Dims& nchw) const {
    return block == 0 ? Desc::nhwc(nchw) : Desc::channel_blocks(nchw, block);
  }
  /// The batch is this many planes of [height, width, lanes(c)].
  int64_t planes(const Dims& nchw) const {
    return block == 0 ? nchw[0] : nchw[0] * ((nchw[1] + block - 1) / block);
  }
  int64_t lanes(const Dims& nchw) const { return block == 0 ? nchw[1] : block; }
};

/// The order in which `spec` arrives; when it is neither, the one to ask for: blocks of 16, which
/// all of oneDNN's kernels for AVX-512 take.
ChannelOrder channel_order(const TensorSpec& spec, const Desc& view);

/// The tag of images with this view in the given order.
inline LayoutPtr layout_in(const ChannelOrder& order, const Desc& view) {
  return to_layout(order.desc(view.dims()), view);
}

}  // namespace thalweg::onednn
