// Building nodes that read and write picture files. Each adds the op of the same name with
// TensorFlow's meaning; src/ops/image_codec.cpp documents them in full. To do the same at once, on
// tensors, see thalweg/image/codec.h.
#pragma once

#include <string>

#include "thalweg/graph/graph.h"

namespace thalweg {

struct DecodeOptions {
  int64_t channels = 0;           // 0: as in the file
  DType dtype = kUInt8;           // decode_png: or kUInt16; decode_image: or kFloat32
  bool expand_animations = true;  // decode_image: all frames of a GIF
  std::string name = {};
};
/// `[height, width, channels]` from the bytes `contents`, a scalar string.
Output decode_jpeg(Output contents, DecodeOptions options = {});
Output decode_png(Output contents, DecodeOptions options = {});
Output decode_bmp(Output contents, DecodeOptions options = {});
/// `[frames, height, width, 3]`.
Output decode_gif(Output contents, DecodeOptions options = {});
/// Whichever of these formats the bytes are in.
Output decode_image(Output contents, DecodeOptions options = {});

struct EncodeOptions {
  int64_t quality = 95;      // encode_jpeg: 0 to 100
  int64_t compression = -1;  // encode_png: 0 to 9; -1: the default
  std::string name = {};
};
/// The bytes, a scalar string, of `image` `[height, width, channels]`.
Output encode_jpeg(Output image, EncodeOptions options = {});
Output encode_png(Output image, EncodeOptions options = {});

}  // namespace thalweg
