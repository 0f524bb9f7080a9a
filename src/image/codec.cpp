#include "thalweg/image/codec.h"

namespace thalweg {
namespace {

// 8-bit pixels in the wanted type, as TensorFlow scales them.
Tensor widened(Tensor image, DType dtype) {
  if (dtype == kUInt8) return image;
  const auto from = image.data<uint8_t>();
  Tensor result(dtype, image.shape());
  if (dtype == kUInt16) {
    const auto to = result.mutable_data<uint16_t>();
    for (size_t i = 0; i < from.size(); ++i) to[i] = static_cast<uint16_t>(from[i] * 256);
  } else {
    const auto to = result.mutable_data<float>();
    for (size_t i = 0; i < from.size(); ++i) to[i] = static_cast<float>(from[i]) * (1.0f / 255);
  }
  return result;
}

Tensor decode_png_as(std::string_view bytes, const DecodeImageOptions& options) {
  const DType stored = options.dtype == kUInt8 ? kUInt8 : kUInt16;
  const Tensor image = decode_png(
      bytes, {.channels = options.channels, .dtype = stored, .max_bytes = options.max_bytes});
  if (options.dtype != kFloat32) return image;
  Tensor result(kFloat32, image.shape());
  const auto from = image.data<uint16_t>();
  const auto to = result.mutable_data<float>();
  for (size_t i = 0; i < from.size(); ++i) to[i] = static_cast<float>(from[i]) * (1.0f / 65535);
  return result;
}

Tensor decode_gif_as(std::string_view bytes, const DecodeImageOptions& options) {
  if (options.channels != 0 && options.channels != 3) {
    throw invalid_argument("a GIF is decoded to 3 channels, got ", options.channels);
  }
  const int64_t frames = options.expand_animations ? 0 : 1;
  const Tensor image = widened(
      decode_gif(bytes, {.max_frames = frames, .max_bytes = options.max_bytes}), options.dtype);
  return options.expand_animations ? image : image.reshape(image.shape().slice(1));
}

}  // namespace

ImageFormat image_format(std::string_view bytes) {
  if (bytes.starts_with("\xff\xd8\xff")) return ImageFormat::kJpeg;
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return ImageFormat::kPng;
  if (bytes.starts_with("GIF8")) return ImageFormat::kGif;
  if (bytes.starts_with("BM")) return ImageFormat::kBmp;
  return ImageFormat::kUnknown;
}

std::string_view to_string(ImageFormat format) {
  switch (format) {
    case ImageFormat::kJpeg: return "JPEG";
    case ImageFormat::kPng: return "PNG";
    case ImageFormat::kGif: return "GIF";
    case ImageFormat::kBmp: return "BMP";
    case ImageFormat::kUnknown: break;
  }
  return "unknown";
}

Tensor decode_image(std::string_view bytes, const DecodeImageOptions& options) {
  if (options.dtype != kUInt8 && options.dtype != kUInt16 && options.dtype != kFloat32) {
    throw invalid_argument("images are decoded to uint8, uint16 or float32, got ", options.dtype);
  }
  switch (image_format(bytes)) {
    case ImageFormat::kJpeg:
      return widened(
          decode_jpeg(bytes, {.channels = options.channels, .max_bytes = options.max_bytes}),
          options.dtype);
    case ImageFormat::kPng: return decode_png_as(bytes, options);
    case ImageFormat::kGif: return decode_gif_as(bytes, options);
    case ImageFormat::kBmp:
      return widened(
          decode_bmp(bytes, {.channels = options.channels, .max_bytes = options.max_bytes}),
          options.dtype);
    case ImageFormat::kUnknown: break;
  }
  throw invalid_argument("the ", bytes.size(),
                         " bytes are no JPEG, PNG, GIF or BMP, by how they begin");
}

}  // namespace thalweg
