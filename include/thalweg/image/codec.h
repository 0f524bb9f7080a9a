// Pictures in files of the usual formats, to and from tensors `[height, width, channels]`.
//
// The bytes may come from anywhere: whatever they hold, the outcome is a picture or an Error. What
// a header claims is held against a limit before memory is taken, so that a small file cannot ask
// for a large picture. Pixels are what TensorFlow's ops of these names give.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "thalweg/tensor/tensor.h"

namespace thalweg {

/// Bytes that a decoded picture (of a GIF: all frames) may have unless another limit is given.
inline constexpr int64_t kMaxImageBytes = int64_t{1} << 29;

enum class ImageFormat { kUnknown, kJpeg, kPng, kGif, kBmp };
/// By the first bytes.
ImageFormat image_format(std::string_view bytes);
/// "JPEG", ...
std::string_view to_string(ImageFormat format);

/// A part of a picture, in pixels of the decoded one.
struct ImageWindow {
  int64_t y, x, height, width;
};

struct DecodeJpegOptions {
  int channels = 0;                    // 0: as in the file; 1: grey; 3: RGB
  int ratio = 1;                       // shrink by 1, 2, 4 or 8 while decoding
  bool fancy_upscaling = true;         // smooth chroma instead of repeating it
  bool try_recover_truncated = false;  // fill up what is missing instead of failing ...
  float acceptable_fraction = 1;       // ... if at least this part of the rows is there
  bool is_accurate = false;            // the slower, more exact inverse DCT ("INTEGER_ACCURATE")
  std::optional<ImageWindow> crop = {};
  int64_t max_bytes = kMaxImageBytes;
};
/// uint8 `[height, width, 1 or 3]`; CMYK becomes RGB. Throws invalid_argument for bytes that are no
/// JPEG, end too early or are damaged, resource_exhausted past the limit.
Tensor decode_jpeg(std::string_view bytes, const DecodeJpegOptions& options = {});
/// {height, width, channels} from the header alone. Throws as decode_jpeg.
std::array<int64_t, 3> jpeg_shape(std::string_view bytes);

struct DecodePngOptions {
  int channels = 0;      // 0: as in the file; 1: grey; 2: grey, alpha; 3: RGB; 4: RGB, alpha
  DType dtype = kUInt8;  // or kUInt16
  int64_t max_bytes = kMaxImageBytes;
};
/// `[height, width, channels]` in the dtype. Throws as decode_jpeg.
Tensor decode_png(std::string_view bytes, const DecodePngOptions& options = {});

struct DecodeBmpOptions {
  int channels = 0;  // 0: as in the file; else it must be what the file has: 1, 3 or 4
  int64_t max_bytes = kMaxImageBytes;
};
/// uint8 `[height, width, 1, 3 or 4]` of an uncompressed BMP with 8 (the indices), 24 or 32 bits a
/// pixel. Throws as decode_jpeg; unimplemented for other BMPs.
Tensor decode_bmp(std::string_view bytes, const DecodeBmpOptions& options = {});

struct DecodeGifOptions {
  int64_t max_frames = 0;  // 0: all
  int64_t max_bytes = kMaxImageBytes;
};
/// uint8 `[frames, height, width, 3]`; each frame is drawn over the one before. Throws as
/// decode_jpeg.
Tensor decode_gif(std::string_view bytes, const DecodeGifOptions& options = {});

struct DecodeImageOptions {
  int channels = 0;               // as in the decoder of the format found
  DType dtype = kUInt8;           // kUInt16: times 256 (PNG: its own); kFloat32: in [0, 1]
  bool expand_animations = true;  // GIF: all frames, rank 4; else the first alone
  int64_t max_bytes = kMaxImageBytes;
};
/// A picture of whichever format the first bytes tell.
Tensor decode_image(std::string_view bytes, const DecodeImageOptions& options = {});

struct EncodeJpegOptions {
  int quality = 95;  // 0 to 100
  bool progressive = false;
  bool optimize_size = false;       // slower, with tables of its own
  bool chroma_downsampling = true;  // colour at half the resolution
  bool is_density_in_cm = false;    // of the next two; else in inches
  int x_density = 300;
  int y_density = 300;
  std::string xmp_metadata = {};
};
/// A JPEG of uint8 `[height, width, 1 or 3]`. Throws invalid_argument for other tensors.
std::string encode_jpeg(const Tensor& image, const EncodeJpegOptions& options = {});

struct EncodePngOptions {
  int compression = -1;  // 0 (none) to 9; -1: zlib's default
};
/// A PNG of uint8 or uint16 `[height, width, 1 to 4]`. Throws invalid_argument for other tensors.
std::string encode_png(const Tensor& image, const EncodePngOptions& options = {});

}  // namespace thalweg
